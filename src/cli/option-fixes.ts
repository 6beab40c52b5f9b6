import type { Option } from '@commander-js/extra-typings'
import type { AnyCommand } from '../commands/declare.ts'
import { type CommandLine, longMeant, typedOption, type Word } from './argv.ts'
import { type Argv, type Edits, edited, removed, replaced } from './edits.ts'
import { freeOption, habitsFor, meantBy, splitOption, withAdded } from './habit-match.ts'
import { insteadOfKey } from './key-options.ts'
import { nearest } from './nearest.ts'
import type { OptionHabit } from './option-habits.ts'
import { effectiveOptions, fieldsOf } from './shared-options.ts'
import { commandWords, isCalled, optionsUnder } from './tree.ts'
import { readable } from './value-fixes.ts'

/** An option that does not exist. */
export function repairOption(line: CommandLine, word: Word): Argv | undefined {
  const { argv, command } = line
  const long = longMeant(command, word.text)?.long
  if (long !== undefined) {
    const rest = word.text.replace(/^-[a-z-]+/i, '')
    return edited(argv, { [word.index]: [`${long}${rest}`] })
  }
  const { flag } = splitOption(word.text)
  return (
    byOptionHabit(line, word) ??
    misspelledOption(line, word, flag) ??
    nameFirst(line, word, flag) ??
    insteadOfKey(line, word, flag)
  )
}

function misspelledOption(
  { argv, command }: CommandLine,
  { text, index }: Word,
  flag: string,
): Argv | undefined {
  if (!flag.startsWith('--')) return undefined
  const rest = text.slice(flag.length)
  const value = rest === '' ? argv[index + 1] : rest.slice(1)
  const known = effectiveOptions(command)
  const possible = known.filter((option) => canTake(command, option, value))
  const names = possible.flatMap(({ long }) => long?.slice(2) ?? [])
  const meant = nearest(flag.slice(2), names)
  if (meant === undefined) return undefined
  return edited(argv, { [index]: [`--${meant}${rest}`] })
}

/** An option that refuses the value was not meant. */
function canTake(command: AnyCommand, option: Option, value: string | undefined): boolean {
  const isOption = value?.startsWith('-') === true
  if (!option.required || value === undefined || isOption) return true
  return readable(command, option, value) !== undefined
}

/** `pets --status sold list`: an option of a command follows its name. Without one, it is a list. */
function nameFirst(
  { argv, command, words }: CommandLine,
  { index }: Word,
  flag: string,
): Argv | undefined {
  const path = commandWords(command)
  const owners = command.commands.filter((child) => {
    return optionsUnder(child).some(({ long }) => long === flag)
  })
  const isOwner = (name: string) => owners.some((child) => isCalled(child, name))
  const at = argv.findLastIndex(isOwner)
  // The word after the option may be its value.
  const isValue = (word: Word) => word.index === index + 1
  const hasOthers = words.slice(path.length).some((word) => !isValue(word))
  const unnamed = isOwner('list') && !hasOthers ? 'list' : undefined
  const name = argv[at] ?? unnamed
  if (name === undefined) return undefined
  const typedPath = words.slice(0, path.length)
  const rest = edited(argv, {
    ...removed(typedPath),
    [at]: [],
  })
  return [...path, name, ...rest]
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

/** The first row that fits. */
function byOptionHabit(line: CommandLine, word: Word): Argv | undefined {
  const { argv, command, words, operands } = line
  const { flag, glued } = splitOption(word.text)
  const next = words.find(({ index }) => index === word.index + 1)
  const value = glued === undefined ? next : { text: glued, index: word.index }
  for (const habit of habitsFor(command, flag)) {
    const meant = meantBy(habit, command, value)
    if (meant === undefined || !fits(line, habit, meant.words, glued)) continue
    const taken = habit.value !== undefined && value !== undefined ? [value] : []
    const path = words.slice(0, words.length - operands.length)
    const edits: Edits = {
      ...withoutValueless(line, meant.words[0]),
      ...removed(taken),
      [word.index]: meant.words,
      ...(habit.command === undefined ? {} : replaced(path, habit.command.split(' '))),
    }
    return withAdded(line, edited(argv, edits), meant.adds)
  }
  return undefined
}

function fits(
  line: CommandLine,
  { value, becomes, beside, command }: OptionHabit,
  meant: Argv,
  glued: string | undefined,
): boolean {
  const losesValue = glued !== undefined && value === undefined && becomes.length > 0
  const isAlone = beside !== undefined && typedOption(line, beside) === undefined
  if (losesValue || isAlone) return false
  // Another command has other options.
  return command !== undefined || canBeAdded(line, meant)
}

function canBeAdded(line: CommandLine, [flag = '', value = '']: Argv): boolean {
  // A value that looks like an option needs another form.
  if (!flag.startsWith('--')) return !flag.startsWith('-')
  return !/^-./.test(value) && freeOption(line, flag) !== undefined
}

/** `--watch --interval 5` is `--watch 5`: the option without a value goes. */
function withoutValueless({ options }: CommandLine, flag: string | undefined): Edits {
  const valueless = options.filter(
    ({ option, value }) => option.long === flag && value === undefined,
  )
  return removed(valueless.map((typed) => typed.flag))
}
