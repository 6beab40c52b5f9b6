import type { CommanderError } from '@commander-js/extra-typings'
import type { DeclaredCommand } from '../commands/declare.ts'
import type { Failure } from '../failure.ts'

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
