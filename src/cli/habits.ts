import type { AnyCommand } from '../commands/declare.ts'
import type { Argv } from './edits.ts'
import table from './habits.txt'
import { commandName } from './tree.ts'
import { readerOfKind, type ValueReader } from './typed-words.ts'

/** A row of habits.txt, which says what its parts are. */
export interface Habit {
  /** `['']` for a row about a value alone. */
  readonly typed: readonly string[]
  readonly beside: string | undefined
  /** The row fits if it gives a value. Without it, the row takes none. */
  readonly value: ValueReader | undefined
  readonly becomes: Argv
  readonly adds: readonly Argv[]
}

/** What a row makes of what was typed. */
export interface Meant {
  readonly words: Argv
  readonly adds: readonly Argv[]
}

/** The rows of a section about a phrase or an option; about '', those with only a value. */
export function habitsIn(section: string, typed: string): Habit[] {
  const name = typed.toLowerCase()
  return rowsIn(section).filter(habit => habit.typed.includes(name))
}

/** The rows about an option that a command does not have, or a word that it does not expect. */
export function habitsOf(command: AnyCommand, typed: string): Habit[] {
  return [...habitsIn(commandName(command), typed), ...habitsIn('every command', typed)]
}

/** Undefined if the row does not fit. */
export function meantBy(
  { value: read, becomes, adds }: Habit,
  command: AnyCommand,
  typed?: string
): Meant | undefined {
  // An empty value, as of a variable that is not set, stands for nothing.
  const value = !read ? '' : typed ? read(typed, command) : undefined
  if (value === undefined) return undefined
  const filled = (words: Argv) => words.map(word => word.replace('{}', () => value))
  return { words: filled(becomes), adds: adds.map(filled) }
}

export function rowsIn(section: string): Habit[] {
  const lines = sectionsNamed(section).join('').split('\n')
  return lines.filter(line => line.includes('→') && !line.startsWith('#')).map(habitFrom)
}

/** Each begins with its title, which can name several commands: `pets add, api]`. */
function sectionsNamed(name: string): string[] {
  const [, ...sections] = table.split(/^\[/m)
  return sections.filter(section => section.split(']', 1)[0]?.split(', ').includes(name))
}

function habitFrom(row: string): Habit {
  const [left = '', right = ''] = row.split(/ ?→ ?/)
  const [, names = '', beside, kind] = /^(.*?)(?: with (--\S+))?(?: ?<(.+)>)?$/.exec(left) ?? []
  const [becomes = [], ...adds] = right.split(/(?:^| )\+ /).map(wordsIn)
  const value = kind === undefined ? undefined : readerOfKind(kind)
  return { typed: names.split(', '), beside, value, becomes, adds }
}

/** The words of a part of a row; one with spaces is quoted. */
function wordsIn(text: string): Argv {
  const words = text.match(/'.*'|\S+/g) ?? []
  return words.map(word => word.replace(/^'(.*)'$/, '$1'))
}
