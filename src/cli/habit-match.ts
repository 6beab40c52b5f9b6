import type { Option } from '@commander-js/extra-typings'
import { type AnyCommand, areExclusive } from '../commands/declare.ts'
import { type CommandLine, findOption, isRepeatable, type Word } from './argv.ts'
import type { Argv } from './edits.ts'
import type { Habit } from './habits.ts'
import { type OptionHabit, optionHabits, sharedOptionHabits } from './option-habits.ts'
import { effectiveOptions } from './shared-options.ts'
import { commandName } from './tree.ts'

/** What a row makes of what was typed. */
export interface Meant {
  readonly words: Argv
  readonly adds: readonly Argv[]
}

/** Undefined if the row does not fit. */
export function meantBy(
  { value: read, becomes, adds = [] }: Habit,
  command: AnyCommand,
  typed: Word | undefined,
): Meant | undefined {
  const value = read === undefined ? '' : typed && read(typed.text, command)
  if (value === undefined) return undefined
  const filled = (words: Argv) => words.map((word) => word.replace('{value}', () => value))
  return { words: filled(becomes), adds: adds.map(filled) }
}

/** The rows about an option of another program. */
export function habitsFor(command: AnyCommand, flag: string): readonly OptionHabit[] {
  const own = optionHabits[commandName(command)] ?? []
  const habits = [...own, ...sharedOptionHabits]
  return habits.filter(({ typed }) => typed.includes(flag.toLowerCase()))
}

/** An option of the command whose value is not typed yet. */
export function freeOption({ command, options }: CommandLine, flag: string): Option | undefined {
  const option = effectiveOptions(command).find(({ long }) => long === flag)
  if (option === undefined || isRepeatable(option)) return option
  const isTaken = options.some((typed) => typed.option === option && typed.value !== undefined)
  return isTaken ? undefined : option
}

/** Adds the options of a habit, unless they were typed or meant, or something that excludes them. */
export function withAdded(
  { command, options, unknownOptions }: CommandLine,
  argv: Argv,
  adds: readonly Argv[],
  meant: readonly Option[] = [],
): Argv {
  const typed = [...options.map(({ option }) => option), ...meant]
  const added = adds.filter(([flag = '']) => {
    const option = findOption(command, flag)
    const isExcluded = (other: Option) => option !== undefined && areExclusive(option, other)
    if (typed.some((other) => other.long === flag || isExcluded(other))) return false
    // The command that has it may be known only after the repair.
    return !unknownOptions.some(({ text }) => splitOption(text).flag === flag)
  })
  return [...argv, ...added.flat()]
}

/** The shared options that unknown ones mean: `--format` before `pets export` is repaired. */
export function meantOptions({ command, unknownOptions }: CommandLine): Option[] {
  return unknownOptions.flatMap(({ text }) => {
    const flag = splitOption(text).flag.toLowerCase()
    const habit = sharedOptionHabits.find(({ typed }) => typed.includes(flag))
    const meantFlag = habit?.becomes[0] ?? ''
    return findOption(command, meantFlag) ?? []
  })
}

/** `--limit=5` and `-n5` in two parts. */
export function splitOption(text: string): SplitOption {
  const parts = /^(--[^=]+|-.)=?(.+)?$/s.exec(text)
  const [, flag = text, glued] = parts ?? []
  return { flag, glued }
}

interface SplitOption {
  readonly flag: string
  readonly glued: string | undefined
}
