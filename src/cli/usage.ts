import { Failure } from '../failure.ts'
import { hintWord } from '../text/shell.ts'
import { concealed } from '../text/typed-secrets.ts'
import { matchHabits } from './match-habits.ts'
import { program } from './program.ts'
import { type ReadLine, readLine } from './read-line.ts'
import { respelled } from './spelling.ts'
import { commandPath } from './tree.ts'

/** A usage error. Its hint is the corrected command line, or the page of the command. */
export function usageFailure(line: ReadLine): Failure {
  const { argv, command, error } = line
  const failure = error instanceof Failure ? error : undefined
  // Each reading changes what commander knows about this line.
  const problem = messageOf(line)
  const { right, reason = problem } = corrected(line)
  const message = concealed(reason, argv)
  // The pages of commands only name the shared options.
  const ownPage = `${commandPath(command)} --help`
  const page = command === program && failure ? 'petstore help options' : ownPage
  const hint = (right && hintOf(right, argv)) ?? failure?.hint ?? page
  return new Failure('usage', message, {
    hint,
    cause: error
  })
}

function messageOf({ command, error }: ReadLine) {
  const { args, registeredArguments } = command
  if (error?.code === 'commander.excessArguments')
    return `unexpected argument '${args[registeredArguments.length]}'`
  const text = error?.message.replace(/^error: /, '') ?? ''
  if (error?.code !== 'commander.unknownOption') return text
  // Commander quotes an option with its value, which may be a secret.
  return text.replace(/=.*(?=')/s, '')
}

/** The line for a hint, if it is certain to do no harm. */
function hintOf({ argv, isHarmless }: ReadLine, typed: readonly string[]) {
  const text = argv.join(' ')
  if (!isHarmless || concealed(text, [...argv, ...typed]) !== text) return undefined
  const hint = `petstore ${argv.map(hintWord).join(' ')}`
  // It is copied from JSON too, which escapes them.
  return hint.includes('"') ? undefined : hint
}

/** In one line. */
const mostMistakes = 3

interface Correction {
  readonly right?: ReadLine
  /** Why a line is refused, if a row of the table knows more than commander. */
  readonly reason?: string | undefined
}

/** Corrects one mistake after another, until nothing is refused. */
function corrected(line: ReadLine, left = mostMistakes): Correction {
  if (left === 0) return {}
  const matches = [...matchHabits(line), { meant: respelled(line), reason: undefined }]
  let firstReason: string | undefined
  for (const { meant, reason } of matches) {
    const isImpossible = meant === undefined && reason !== undefined
    if (isImpossible) return { reason }
    const further = meant === undefined ? {} : readAgain(meant, left)
    const known = reason ?? further.reason
    if (further.right) return { right: further.right, reason: known }
    firstReason ??= known
  }
  return { reason: firstReason }
}

/** What is still wrong with a corrected line. */
function readAgain(argv: readonly string[], left: number): Correction {
  const line = readLine(program, argv)
  if (line.error !== undefined) return corrected(line, left - 1)
  return line.isComplete ? { right: line } : {}
}
