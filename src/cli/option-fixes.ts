import type { Option } from '@commander-js/extra-typings'
import { type AnyCommand, areExclusive } from '../commands/declare.ts'
import { type CommandLine, findOption, longMeant, type TypedOption, type Word } from './argv.ts'
import { type Argv, type Edits, edited, removed } from './edits.ts'
import { type Habit, keyOptions, optionHabits } from './habits.ts'
import { nearest } from './nearest.ts'
import { effectiveOptions } from './shared-options.ts'
import { commandName } from './tree.ts'

/** An option that does not exist. */
export function repairOption(line: CommandLine, word: Word): Argv | undefined {
  const { argv, command } = line
  const isOneDash = longMeant(command, word.text) !== undefined
  if (isOneDash) return edited(argv, { [word.index]: [`-${word.text}`] })
  const { flag } = splitOption(word.text)
  const meant = byOptionHabit(line, word) ?? misspelledOption(line, word, flag)
  if (meant !== undefined) return meant
  return isKeyOption(command, flag) ? loginLine(line) : undefined
}

/** `--limit=5` and `-n5` in two parts. */
function splitOption(text: string): SplitOption {
  const parts = /^(--[^=]+|-.)=?(.+)?$/s.exec(text)
  const [, flag = text, glued] = parts ?? []
  return { flag, glued }
}

interface SplitOption {
  readonly flag: string
  readonly glued: string | undefined
}

function misspelledOption(
  { argv, command }: CommandLine,
  { text, index }: Word,
  flag: string,
): Argv | undefined {
  if (!flag.startsWith('--')) return undefined
  const known = effectiveOptions(command)
  const names = known.flatMap(({ long }) => long?.slice(2) ?? [])
  const meant = nearest(flag.slice(2), names)
  if (meant === undefined) return undefined
  const rest = text.slice(flag.length)
  return edited(argv, { [index]: [`--${meant}${rest}`] })
}

/** Whether the option gives an API key to another program. */
export function isKeyOption(command: AnyCommand, flag: string): boolean {
  const isLetter = /^-\w$/.test(flag)
  const isForKey = nearest(flag, keyOptions) !== undefined
  return isForKey && !isLetter && habitsFor(command, flag).length === 0
}

/** Neither the key nor anything else that was typed is repeated. */
function loginLine({ options }: CommandLine): Argv {
  const login = ['auth', 'login']
  const typed = options.find(({ option }) => option.long === '--env')
  const environment = typed?.value
  return environment === undefined ? login : [...login, '--env', environment.text]
}

/** The rows about an option of another program. */
function habitsFor(command: AnyCommand, flag: string): readonly Habit[] {
  const typedFlag = flag.toLowerCase()
  return optionHabits.filter(({ on, typed }) => {
    const isForCommand = on === undefined || on.includes(commandName(command))
    return isForCommand && typed.includes(typedFlag)
  })
}

/** The first row that fits. */
function byOptionHabit(line: CommandLine, word: Word): Argv | undefined {
  const { flag } = splitOption(word.text)
  for (const habit of habitsFor(line.command, flag)) {
    const argv = byHabit(line, word, habit)
    if (argv !== undefined) return argv
  }
  return undefined
}

function byHabit(line: CommandLine, word: Word, habit: Habit): Argv | undefined {
  const { argv, command, words, options } = line
  if (habit.beside !== undefined && !isTyped(options, habit.beside)) return undefined
  const { glued } = splitOption(word.text)
  const next = words.find(({ index }) => index === word.index + 1)
  const typedValue = glued ?? next?.text
  const value = typedValue === undefined ? undefined : habit.value?.(typedValue, command)
  const takesNoValue = habit.value === undefined
  const isFlag = takesNoValue && (glued === undefined || habit.becomes.length === 0)
  if (value === undefined && !isFlag) return undefined
  const meant = filledIn(habit, value)
  if (!canBeAdded(line, meant)) return undefined
  const isNextTaken = value !== undefined && glued === undefined && next !== undefined
  const edits: Edits = {
    ...withoutValueless(options, meant[0]),
    ...removed(isNextTaken ? [next] : []),
    [word.index]: meant,
  }
  return withAdded(line, edited(argv, edits), habit)
}

export function filledIn({ becomes }: Habit, value = ''): Argv {
  return becomes.map((word) => word.replace('{value}', () => value))
}

function isTyped(options: readonly TypedOption[], flag: string): boolean {
  return options.some(({ option }) => option.long === flag)
}

/** Whether the command has the option and its value is not typed yet. */
function canBeAdded({ command, options }: CommandLine, meant: Argv): boolean {
  const [flag = '', value = ''] = meant
  // A value that looks like an option needs another form.
  if (!flag.startsWith('--')) return !flag.startsWith('-')
  if (value.startsWith('-')) return false
  const known = effectiveOptions(command)
  const option = known.find(({ long }) => long === flag)
  if (option === undefined) return false
  const isRepeatable = Array.isArray(option.defaultValue)
  const typed = options.filter((one) => one.option === option)
  return isRepeatable || typed.every((one) => one.value === undefined)
}

/** `--watch --interval 5` is `--watch 5`: the option without a value goes. */
function withoutValueless(options: readonly TypedOption[], flag: string | undefined): Edits {
  const valueless = options.filter(
    ({ option, value }) => option.long === flag && value === undefined,
  )
  return removed(valueless.map((typed) => typed.flag))
}

/** Adds the options of a habit, unless they were typed or meant, or something that excludes them. */
export function withAdded(
  { command, options }: CommandLine,
  argv: Argv,
  { adds = [] }: Habit,
  meant: readonly Option[] = [],
): Argv {
  const typed = [...options.map(({ option }) => option), ...meant]
  const added = adds.filter(([flag = '']) => {
    const option = findOption(command, flag)
    const isExcluded = (other: Option) => option !== undefined && areExclusive(option, other)
    return !typed.some((other) => other.long === flag || isExcluded(other))
  })
  return [...argv, ...added.flat()]
}

/** The shared options that unknown ones mean: `--format` before `pets export` is repaired. */
export function meantOptions({ command, unknownOptions }: CommandLine): Option[] {
  return unknownOptions.flatMap(({ text }) => {
    const flag = splitOption(text).flag.toLowerCase()
    const habit = optionHabits.find(({ on, typed }) => on === undefined && typed.includes(flag))
    const meantFlag = habit?.becomes[0] ?? ''
    return findOption(command, meantFlag) ?? []
  })
}
