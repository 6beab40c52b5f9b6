import { CommanderError } from '@commander-js/extra-typings'
import type { DeclaredCommand } from '../commands/declare.ts'
import { Failure } from '../failure.ts'
import { requireEffect, typedOptions } from './shared-options.ts'
import { innermost, isDrastic } from './tree.ts'

/** A command line as commander reads it. */
export type ReadLine = ReturnType<typeof readLine>

/**
 * Touches neither disk nor network. Commander keeps what it reads in the commands themselves, so
 * each line that is read takes the place of the one before.
 */
export function readLine(program: DeclaredCommand, argv: readonly string[]) {
  let end: CommanderError | Failure | undefined
  try {
    program.parse(argv, { from: 'user' })
    requireEffect(innermost(program), program)
    requireText(argv)
  } catch (error) {
    if (!(error instanceof CommanderError || error instanceof Failure)) throw error
    end = error
  }
  const command = innermost(program)
  const { notes } = command
  const isRequest = /^commander\.(version|help)/.test(end?.code ?? '')
  return {
    argv,
    command,
    /** The line asks for the version or a page, which ends commander too. */
    request: isRequest ? end : undefined,
    /** Undefined if the line is right. */
    error: isRequest ? undefined : end,
    /** The error was found before the command ran, so nothing was sent. */
    isBeforeRun: true,
    /** Standard input is not a terminal. */
    isPiped: false,
    /** Nothing is missing that the command would prompt for. */
    isComplete: isRequest || notes.isComplete?.(command.opts()) !== false,
    /** It neither deletes anything nor sends it again. */
    isHarmless: !notes.destroys && !typedOptions(command).some(isDrastic)
  }
}

/** Node puts a mark where the bytes that were typed are no text: it would be sent in their place. */
function requireText(argv: readonly string[]) {
  if (argv.some(word => word.includes('\ufffd')))
    throw new Failure('usage', 'the command line has bytes that are not UTF-8 text')
}
