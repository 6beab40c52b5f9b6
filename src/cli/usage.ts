import type { CommanderError } from '@commander-js/extra-typings'
import type { DeclaredCommand } from '../commands/declare.ts'
import { Failure } from '../failure.ts'
import { hintWord } from '../platform/shell.ts'
import { matchHabits } from './match-habits.ts'
import { type Refused, respelled } from './spelling.ts'
import { commandPath } from './tree.ts'
import { concealed } from './typed-secrets.ts'

/** A command line as commander reads it. */
export interface ReadLine {
  readonly command: DeclaredCommand
  /** The line asks for the version or a page: the code of commander for that. */
  readonly request: string | undefined
  /** Undefined if the line is right. */
  readonly error: CommanderError | Failure | undefined
  /** It neither deletes anything nor sends it again. */
  readonly isHarmless: boolean
}

type Read = (argv: readonly string[]) => ReadLine

/** A usage error. Its hint is the corrected command line, or the page of the command. */
export function usageFailure(refused: Refused, read: Read): Failure {
  const { argv, command, error } = refused
  const page = `${commandPath(command)} --help`
  const hint = error instanceof Failure ? error.hint : undefined
  // Each reading changes what commander knows about the refused line.
  const message = messageOf(refused)
  return new Failure('usage', concealed(message, argv), {
    hint: correctedLine(refused, read) ?? hint ?? page,
    cause: error
  })
}

function messageOf({ argv, command, error, isUnread }: Refused): string {
  const habits = isUnread ? matchHabits(command, argv) : []
  const reasons = habits.flatMap(({ reason }) => reason ?? [])
  if (reasons[0] !== undefined) return reasons[0]
  const { args, registeredArguments } = command
  if (error.code === 'commander.excessArguments')
    return `unexpected argument '${args[registeredArguments.length]}'`
  // Commander quotes an option with its value, which may be a secret.
  const text = error.message.replace(/^error: /, '')
  return error.code === 'commander.unknownOption' ? text.replace(/=.*(?=')/s, '') : text
}

/** The corrected line for a hint, if it is certain to do no harm. */
function correctedLine(refused: Refused, read: Read): string | undefined {
  const argv = corrected(refused, read, mostMistakes)
  if (argv === undefined) return undefined
  const { isHarmless } = read(argv)
  const isSecret = argv.some(word => concealed(word, [word]) !== word)
  return isHarmless && !isSecret ? ['petstore', ...argv].map(hintWord).join(' ') : undefined
}

/** In one line. */
const mostMistakes = 3

/** Corrects one mistake after another, until nothing is refused. */
function corrected(refused: Refused, read: Read, left: number): readonly string[] | undefined {
  if (left === 0) return undefined
  const { argv, command, isUnread } = refused
  const habits = isUnread ? matchHabits(command, argv).map(({ meant }) => meant) : []
  for (const meant of [...habits, respelled(refused)]) {
    if (meant === undefined) continue
    const line = read(meant)
    if (line.error === undefined) return meant
    const next = { argv: meant, command: line.command, error: line.error, isUnread: true }
    const rest = corrected(next, read, left - 1)
    if (rest !== undefined) return rest
  }
  return undefined
}
