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
  const rows = { ...habits.any, ...habits[commandName(command)] }
  return Object.entries(rows).flatMap(([typed, answer]) => {
    const { meant, ...reason } = typeof answer === 'string' ? { meant: answer } : answer
    const pattern = new RegExp(`^(?:${typed.replaceAll(' ', '[\\n=]')})(?=\\n|$)`, 'u')
    const isOption = typed.startsWith('-')
    const start = argv.findIndex((word, index) => {
      const isPlace = isOption || (word === command.args[0] && !word.startsWith('-'))
      return isPlace && pattern.test(argv.slice(index).join('\n'))
    })
    if (start === -1) return []
    if (meant === undefined) return reason
    const before = argv.slice(0, start)
    const rest = argv.slice(start)
    const text =
      meant === 'TEXT'
        ? rest.join(' ')
        : rest.join('\n').replace(pattern, meant.replaceAll(' ', '\n'))
    return { ...reason, meant: inPlace(before, text.split('\n'), command) }
  })
}

/** A whole command takes the place of the one that was typed; its options follow. */
function inPlace(
  before: readonly string[],
  [first, ...rest]: readonly string[],
  command: DeclaredCommand
): readonly string[] {
  if (first !== 'petstore') return [...before, first ?? '', ...rest]
  const names = lineageOf(command).flatMap(namesOf)
  return [...rest, ...before.filter(word => !names.includes(word))]
}
