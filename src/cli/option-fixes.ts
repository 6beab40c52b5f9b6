import type { Option } from '@commander-js/extra-typings'
import { type AnyCommand, areExclusive } from '../commands/declare.ts'
import {
  type CommandLine,
  findOption,
  isRepeatable,
  longMeant,
  typedOption,
  type Word,
} from './argv.ts'
import { type Argv, type Edits, edited, removed, replaced } from './edits.ts'
import { type Habit, keyOptions, optionHabits, sharedOptionHabits } from './habits.ts'
import { nearest } from './nearest.ts'
import { effectiveOptions, fieldsOf } from './shared-options.ts'
import { commandName, isCalled, optionsUnder } from './tree.ts'

/** An option that does not exist. */
export function repairOption(line: CommandLine, word: Word): Argv | undefined {
  const { argv, command } = line
  const isOneDash = longMeant(command, word.text) !== undefined
  if (isOneDash) return edited(argv, { [word.index]: [`-${word.text}`] })
  const { flag } = splitOption(word.text)
  const meant =
    byOptionHabit(line, word) ?? misspelledOption(line, word, flag) ?? nameFirst(line, flag)
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

/** `pets --status sold list`: an option of a command follows its name. */
function nameFirst({ argv, command, words }: CommandLine, flag: string): Argv | undefined {
  const path = commandName(command)
    .split(' ')
    .filter((word) => word !== '')
  const candidates = command.commands.filter((child) =>
    optionsUnder(child).some(({ long }) => long === flag),
  )
  const isName = (text: string) => candidates.some((child) => isCalled(child, text))
  const at = argv.findLastIndex(isName)
  const name = argv[at]
  if (name === undefined) return undefined
  const typedPath = words.slice(0, path.length)
  const others = edited(argv, { ...removed(typedPath), [at]: [] })
  return [...path, name, ...others]
}

/** `--dry-run=client` and `--json=id,name`: the option takes no value. */
export function withoutValue(line: CommandLine, { text, index }: Word): Argv | undefined {
  const { flag, glued = '' } = splitOption(text)
  const isYes = /^(?:true|yes|client)$/i.test(glued)
  const fields = isYes ? [] : fieldList(line, glued)
  return fields && edited(line.argv, { [index]: [flag, ...fields] })
}

/** `--json id,name`, as in gh. */
export function fieldList(line: CommandLine, text: string): Argv | undefined {
  const fields = fieldsOf(line.command)
  const areFields = text.split(',').every((field) => fields.includes(field))
  const isFree = freeOption(line, '--fields') !== undefined
  return areFields && isFree ? ['--fields', text] : undefined
}

/** Whether the option gives an API key to another program. */
export function isKeyOption(command: AnyCommand, flag: string): boolean {
  const isForKey = nearest(flag, keyOptions) !== undefined
  return isForKey && habitsFor(command, flag).length === 0
}

/** The key is not repeated, and of the rest only what says where it belongs. */
function loginLine(line: CommandLine): Argv {
  const environment = typedOption(line, '--env')?.value?.text
  const kept = environment === undefined ? [] : ['--env', environment]
  for (const flag of ['--base-url', '--messages-url']) {
    const url = typedOption(line, flag)?.value?.text
    // Anything else at this place may be the key.
    if (url !== undefined && /^https?:/.test(url)) kept.push(flag, url)
  }
  return ['auth', 'login', ...kept]
}

/** The rows about an option of another program. */
function habitsFor(command: AnyCommand, flag: string) {
  const own = optionHabits[commandName(command)] ?? []
  const habits = [...own, ...sharedOptionHabits]
  return habits.filter(({ typed }) => typed.includes(flag.toLowerCase()))
}

/** The first row that fits. */
function byOptionHabit(line: CommandLine, word: Word): Argv | undefined {
  const { argv, command, words, operands } = line
  const { flag, glued } = splitOption(word.text)
  const next = words.find(({ index }) => index === word.index + 1)
  const value = glued === undefined ? next : { text: glued, index: word.index }
  const path = words.slice(0, words.length - operands.length)
  for (const habit of habitsFor(command, flag)) {
    const takesValue = habit.value !== undefined
    const isValueLost = glued !== undefined && !takesValue && habit.becomes.length > 0
    const isAlone = habit.beside !== undefined && typedOption(line, habit.beside) === undefined
    const meant = wordsInstead(habit, command, value)
    if (isValueLost || isAlone || meant === undefined) continue
    // Another command has other options.
    if (habit.command === undefined && !canBeAdded(line, meant)) continue
    const edits: Edits = {
      ...withoutValueless(line, meant[0]),
      ...removed(takesValue && value ? [value] : []),
      [word.index]: meant,
      ...(habit.command === undefined ? {} : replaced(path, habit.command.split(' '))),
    }
    return withAdded(line, edited(argv, edits), habit)
  }
  return undefined
}

/** Undefined if the row does not fit. */
export function wordsInstead(
  habit: Habit,
  command: AnyCommand,
  typed: Word | undefined,
): Argv | undefined {
  if (habit.value === undefined) return habit.becomes
  const value = typed && habit.value(typed.text, command)
  if (value === undefined) return undefined
  return habit.becomes.map((word) => word.replace('{value}', () => value))
}

function canBeAdded(line: CommandLine, [flag = '', value = '']: Argv): boolean {
  // A value that looks like an option needs another form.
  if (!flag.startsWith('--')) return !flag.startsWith('-')
  return !/^-./.test(value) && freeOption(line, flag) !== undefined
}

/** An option of the command whose value is not typed yet. */
export function freeOption({ command, options }: CommandLine, flag: string): Option | undefined {
  const option = effectiveOptions(command).find(({ long }) => long === flag)
  if (option === undefined || isRepeatable(option)) return option
  const isTaken = options.some((typed) => typed.option === option && typed.value !== undefined)
  return isTaken ? undefined : option
}

/** `--watch --interval 5` is `--watch 5`: the option without a value goes. */
function withoutValueless({ options }: CommandLine, flag: string | undefined): Edits {
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
    const habit = sharedOptionHabits.find(({ typed }) => typed.includes(flag))
    const meantFlag = habit?.becomes[0] ?? ''
    return findOption(command, meantFlag) ?? []
  })
}
