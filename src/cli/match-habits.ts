import type { DeclaredCommand } from '../commands/declare.ts'
import { habits } from './habits.ts'
import type { ReadLine } from './read-line.ts'
import { commandName, lineageOf, namesOf } from './tree.ts'

export interface Match {
  readonly reason?: string | undefined
  /** The command line that was meant. */
  readonly meant?: readonly string[] | undefined
}

/** What the rows that apply say about a refused command line, in their order. */
export function matchHabits({ command, argv, isBeforeRun }: ReadLine): Match[] {
  // Words are matched as lines.
  if (!isBeforeRun || argv.join().includes('\n')) return []
  const [operand] = command.args
  const hasJq = argv.some(word => word.startsWith('--jq'))
  const lineFrom = (start: number) => argv.slice(start).join('\n')
  const rows = {
    ...habits.any,
    ...habits[commandName(command)]
  }
  return Object.entries(rows).flatMap(([typed, answer]) => {
    const pattern = patternOf(typed)
    const start = argv.findIndex((word, index) => {
      const isPlace = typed.startsWith('-') || word === operand
      return isPlace && pattern.test(lineFrom(index))
    })
    if (start === -1) return []
    const { meant, ...reason } = typeof answer === 'string' ? { meant: answer } : answer
    // Of two expressions, one would be lost.
    const isLost = hasJq && meant?.startsWith('--jq')
    if (meant === undefined || isLost) return reason
    const line = replaced(lineFrom(start), pattern, meant)
    const words = line.split('\n')
    return {
      ...reason,
      meant: inPlace(argv.slice(0, start), words, command)
    }
  })
}

/** In a line a word, or an option and its value in one. */
function patternOf(typed: string) {
  const lines = typed.replaceAll(' ', '[\\n=]')
  return new RegExp(`^(?:${lines})(?=\\n|$)`, 'u')
}

function replaced(line: string, pattern: RegExp, meant: string) {
  if (meant === 'TEXT') return line.replace(pattern, text => text.replaceAll('\n', ' '))
  return line.replace(pattern, meant.replaceAll(' ', '\n'))
}

/** A whole command takes the place of the one that was typed; its options follow, but not a page. */
function inPlace(before: readonly string[], words: readonly string[], command: DeclaredCommand) {
  const [first, ...rest] = words
  if (first !== 'petstore') return [...before, ...words]
  const end = rest.indexOf('--help') + 1
  if (end > 0) return rest.slice(0, end)
  const names = lineageOf(command).flatMap(namesOf)
  const options = before.filter(word => !names.includes(word))
  return [...rest, ...options]
}
