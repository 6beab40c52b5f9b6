import { CommanderError } from '@commander-js/extra-typings'
import type { DeclaredCommand } from '../commands/declare.ts'
import { Failure } from '../failure.ts'
import { requireEffect, typedOptions } from './shared-options.ts'
import { innermost, isDrastic } from './tree.ts'

/** A command line as commander reads it. */
export interface ReadLine {
  readonly argv: readonly string[]
  readonly command: DeclaredCommand
  /** The line asks for the version or a page, which ends commander too. */
  readonly request: CommanderError | undefined
  /** Undefined if the line is right. */
  readonly error: CommanderError | Failure | undefined
  /** The error was found before the command ran, so nothing was sent. */
  readonly isBeforeRun: boolean
  /** It neither deletes anything nor sends it again. */
  readonly isHarmless: boolean
}

/**
 * Touches neither disk nor network. Commander keeps what it reads in the commands themselves, so
 * each line that is read takes the place of the one before.
 */
export function readLine(program: DeclaredCommand, argv: readonly string[]): ReadLine {
  let end: CommanderError | Failure | undefined
  try {
    program.parse(argv, { from: 'user' })
    requireEffect(innermost(program), program)
  } catch (error) {
    if (!(error instanceof CommanderError || error instanceof Failure)) throw error
    end = error
  }
  const command = innermost(program)
  const isRequest = /^commander\.(version|help)/.test(end?.code ?? '')
  return {
    argv,
    command,
    request: isRequest ? end : undefined,
    error: isRequest ? undefined : end,
    isBeforeRun: true,
    isHarmless: !command.notes.destroys && !typedOptions(command).some(isDrastic)
  }
}
