import { Failure } from '../failure.ts'
import { hintWord } from '../platform/shell.ts'
import { concealed } from '../platform/typed-secrets.ts'
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
  const message = concealed(messageOf(line), argv)
  // The pages of commands only name the shared options.
  const ownPage = `${commandPath(command)} --help`
  const page = command === program && failure ? 'petstore help options' : ownPage
  const hint = correctedLine(line) ?? failure?.hint ?? page
  return new Failure('usage', message, {
    hint,
    cause: error
  })
}

function messageOf(line: ReadLine): string {
  const { command, error } = line
  const answers = matchHabits(line)
  const reason = answers.find(each => each.reason)?.reason
  if (reason !== undefined) return reason
  const { args, registeredArguments } = command
  if (error?.code === 'commander.excessArguments')
    return `unexpected argument '${args[registeredArguments.length]}'`
  const text = error?.message.replace(/^error: /, '') ?? ''
  if (error?.code !== 'commander.unknownOption') return text
  // Commander quotes an option with its value, which may be a secret.
  return text.replace(/=.*(?=')/s, '')
}

/** The corrected line for a hint, if it is certain to do no harm. */
function correctedLine(line: ReadLine): string | undefined {
  const right = corrected(line)
  if (!right?.isHarmless) return undefined
  const text = right.argv.join(' ')
  if (concealed(text, right.argv) !== text) return undefined
  const words = right.argv.map(hintWord)
  return `petstore ${words.join(' ')}`
}

/** In one line. */
const mostMistakes = 3

/** Corrects one mistake after another, until nothing is refused. */
function corrected(line: ReadLine, left = mostMistakes): ReadLine | undefined {
  if (left === 0) return undefined
  const meant = matchHabits(line).map(match => match.meant)
  for (const words of [...meant, respelled(line)]) {
    if (words === undefined) continue
    const next = readLine(program, words)
    const right = next.error === undefined ? next : corrected(next, left - 1)
    if (right !== undefined) return right
  }
  return undefined
}
