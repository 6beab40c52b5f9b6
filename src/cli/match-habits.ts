import type { DeclaredCommand } from '../commands/declare.ts'
import { type Habit, habits } from './habits.ts'
import { commandName, lineageOf, namesOf } from './tree.ts'

interface Match {
  readonly reason: string | undefined
  /** The command line that was meant, if there is one. */
  readonly meant: readonly string[] | undefined
}

/** What the rows that apply say about a refused command line, in their order. */
export function matchHabits(command: DeclaredCommand, argv: readonly string[]): Match[] {
  // Words are matched as lines.
  if (argv.some(word => word.includes('\n'))) return []
  const name = commandName(command)
  const here = habits.filter(habit => habit.command === undefined || habit.command === name)
  return here.flatMap(habit => matchHabit(habit, command, argv) ?? [])
}

function matchHabit(
  habit: Habit,
  command: DeclaredCommand,
  argv: readonly string[]
): Match | undefined {
  const { typed, meant, reason } = habit
  const pattern = new RegExp(`^(?:${typed.replaceAll(' ', '[\\n=]')})(?=\\n|$)`, 'u')
  const isHere = (start: number) => pattern.test(argv.slice(start).join('\n'))
  const [first = ''] = command.args
  const place = argv.indexOf(first)
  const start = typed.startsWith('-')
    ? argv.findIndex((_, index) => isHere(index))
    : first.startsWith('-') || !isHere(place)
      ? -1
      : place
  if (start === -1) return undefined
  if (meant === undefined) return { reason, meant }

  const before = argv.slice(0, start)
  const rest = argv.slice(start)
  if (habit.isOneText) return { reason, meant: [...before, rest.join(' ')] }
  const replaced = rest.join('\n').replace(pattern, meant.replaceAll(' ', '\n'))
  const words = replaced.split('\n')
  if (!habit.isCommand) return { reason, meant: [...before, ...words] }
  const names = lineageOf(command).flatMap(namesOf)
  const options = before.filter(word => !names.includes(word))
  return { reason, meant: [...words, ...options] }
}
