import type { Option } from '@commander-js/extra-typings'
import type { AnyCommand } from '../commands/declare.ts'
import {
  type CommandLine,
  isRepeatable,
  longMeant,
  typedOption,
  type Word,
  wordAfter
} from './argv.ts'
import { type Argv, type Edits, edited, type Repair, removed, replaced } from './edits.ts'
import { type Habit, habitsOf, meantBy } from './habits.ts'
import { insteadOfKey } from './key-options.ts'
import { nearest } from './nearest.ts'
import { effectiveOptions, fieldsOf } from './shared-options.ts'
import { commandWords, isCalled, optionsUnder } from './tree.ts'
import { readable } from './value-fixes.ts'

/** An option that does not exist. */
export function repairOption(line: CommandLine, word: Word): Repair | undefined {
  const { argv, command } = line
  const long = longMeant(command, word.text)?.long
  if (long !== undefined) {
    const rest = word.text.replace(/^-[a-z-]+/i, '')
    return edited(argv, { [word.index]: [`${long}${rest}`] })
  }
  const [flag, glued] = splitOption(word.text)
  return (
    byOptionHabit(line, word, flag, glued) ??
    misspelledOption(line, word, flag) ??
    nameFirst(line, word, flag) ??
    insteadOfKey(line, word, flag)
  )
}

/** `--limit=5` and `-n5` in two parts. */
function splitOption(text: string): [flag: string, glued: string | undefined] {
  const [, flag = text, glued] = /^(--[^=]+|-.)=?(.+)?$/s.exec(text) ?? []
  return [flag, glued]
}

/** The first row that fits. */
function byOptionHabit(
  line: CommandLine,
  word: Word,
  flag: string,
  glued: string | undefined
): Repair | undefined {
  const { argv, command, words } = line
  const next = wordAfter(words, word)
  for (const habit of habitsOf(command, flag)) {
    const meant = meantBy(habit, command, glued ?? next?.text)
    if (meant === undefined || !fits(line, habit, meant.words, glued)) continue
    const takesNext = habit.value !== undefined && glued === undefined
    const taken = takesNext && next !== undefined ? [next] : []
    const edits = {
      ...removed(taken),
      ...editsFor(line, word.index, meant.words)
    }
    return edited(argv, edits, meant.adds)
  }
  return undefined
}

function fits(
  line: CommandLine,
  { value, beside }: Habit,
  meant: Argv,
  glued: string | undefined
): boolean {
  const losesValue = glued !== undefined && value === undefined && meant.length > 0
  const isAlone = beside !== undefined && typedOption(line, beside) === undefined
  if (losesValue || isAlone) return false
  return isOtherCommand(meant) || canBeAdded(line, meant)
}

/** Another command has the option, or takes its value. */
function isOtherCommand([first = '', ...others]: Argv): boolean {
  return !first.startsWith('-') && others.length > 0
}

/** Writes what is meant over the option at a place. */
function editsFor({ words, operands, options }: CommandLine, at: number, meant: Argv): Edits {
  if (isOtherCommand(meant)) {
    const path = words.slice(0, words.length - operands.length)
    return {
      ...replaced(path, meant.slice(0, 2)),
      [at]: meant.slice(2)
    }
  }
  // `--watch --interval 5` is `--watch 5`: the option without a value goes.
  const valueless = options.filter(({ option, value }) => {
    return option.long === meant[0] && value === undefined
  })
  return {
    ...removed(valueless.map(typed => typed.flag)),
    [at]: meant
  }
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
  const isTaken = options.some(typed => typed.option === option && typed.value !== undefined)
  return isTaken ? undefined : option
}

function misspelledOption(
  { argv, command }: CommandLine,
  { text, index }: Word,
  flag: string
): Repair | undefined {
  if (!flag.startsWith('--')) return undefined
  const rest = text.slice(flag.length)
  const value = rest === '' ? argv[index + 1] : rest.slice(1)
  const known = effectiveOptions(command)
  const possible = known.filter(option => canTake(command, option, value))
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
  flag: string
): Repair | undefined {
  const path = commandWords(command)
  const owners = command.commands.filter(child => {
    return optionsUnder(child).some(({ long }) => long === flag)
  })
  const isOwner = (name: string) => owners.some(child => isCalled(child, name))
  const at = argv.findLastIndex(isOwner)
  // The word after the option may be its value.
  const others = words.slice(path.length).filter(word => word.index !== index + 1)
  const unnamed = isOwner('list') && others.length === 0 ? 'list' : undefined
  const name = argv[at] ?? unnamed
  if (name === undefined) return undefined
  const rest = edited(argv, {
    ...removed(words.slice(0, path.length)),
    ...(at >= 0 && { [at]: [] })
  })
  return { argv: [...path, name, ...rest.argv] }
}

/** `--dry-run=client` and `--json=id,name`: the option takes no value. */
export function withoutValue(
  { argv, command }: CommandLine,
  { text, index }: Word
): Repair | undefined {
  const [flag, glued = ''] = splitOption(text)
  const isYes = /^(?:true|yes|client)$/i.test(glued)
  if (isYes) return edited(argv, { [index]: [flag] })
  const fields = fieldsOf(command)
  const areFields = glued.split(',').every(field => fields.includes(field))
  // The next mistake is the word without its option.
  return areFields ? edited(argv, { [index]: [flag, glued] }) : undefined
}
