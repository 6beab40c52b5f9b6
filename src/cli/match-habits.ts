import type { DeclaredCommand } from '../commands/declare.ts'
import { habits } from './habits.ts'
import { commandName, lineageOf, namesOf } from './tree.ts'

interface Match {
  readonly reason?: string
  /** The command line that was meant. */
  readonly meant?: readonly string[]
}

/** What the rows that apply say about a refused command line, in their order. */
export function matchHabits(command: DeclaredCommand, argv: readonly string[]): Match[] {
  // Words are matched as lines.
  if (argv.some(word => word.includes('\n'))) return []
  const rows = {
    ...habits[commandName(command)],
    ...habits.any
  }
  return Object.entries(rows).flatMap(([typed, answer]) => {
    const pattern = patternOf(typed)
    const start = argv.findIndex((word, index) => {
      const isPlace = typed.startsWith('-') || isFirst(word, command)
      return isPlace && pattern.test(argv.slice(index).join('\n'))
    })
    if (start === -1) return []
    const { meant, ...reason } = typeof answer === 'string' ? { meant: answer } : answer
    if (meant === undefined) return reason
    const before = argv.slice(0, start)
    const rest = argv.slice(start)
    const words = meant === 'TEXT' ? [rest.join(' ')] : replaced(rest, pattern, meant)
    return { ...reason, meant: inPlace(before, words, command) }
  })
}

/** In a line a word, or an option and its value in one. */
function patternOf(typed: string): RegExp {
  const lines = typed.replaceAll(' ', '[\\n=]')
  return new RegExp(`^(?:${lines})(?=\\n|$)`, 'u')
}

/** Whether the word is the first argument of the command. */
function isFirst(word: string, { args }: DeclaredCommand): boolean {
  return word === args[0] && !word.startsWith('-')
}

function replaced(words: readonly string[], pattern: RegExp, meant: string): string[] {
  const lines = meant.replaceAll(' ', '\n')
  const text = words.join('\n').replace(pattern, lines)
  return text.split('\n')
}

/** A whole command takes the place of the one that was typed; its options follow. */
function inPlace(
  before: readonly string[],
  words: readonly string[],
  command: DeclaredCommand
): readonly string[] {
  const [first, ...rest] = words
  if (first !== 'petstore') return [...before, ...words]
  const names = lineageOf(command).flatMap(namesOf)
  const options = before.filter(word => !names.includes(word))
  return [...rest, ...options]
}
