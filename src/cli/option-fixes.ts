import type { AnyCommand } from '../commands/declare.ts'
import { type CommandLine, longMeant, typedOption, type Word } from './argv.ts'
import { type Argv, type Edits, edited, removed, replaced } from './edits.ts'
import { freeOption, habitsFor, splitOption, withAdded, wordsInstead } from './habit-match.ts'
import { nearest } from './nearest.ts'
import { keyOptions } from './option-habits.ts'
import { effectiveOptions, fieldsOf } from './shared-options.ts'
import { commandName, isCalled, optionsUnder } from './tree.ts'
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
  const meant =
    byOptionHabit(line, word) ?? misspelledOption(line, word, flag) ?? nameFirst(line, word, flag)
  if (meant !== undefined) return meant
  return isKeyOption(command, flag) ? loginLine(line) : undefined
}

function misspelledOption(
  { argv, command }: CommandLine,
  { text, index }: Word,
  flag: string,
): Argv | undefined {
  if (!flag.startsWith('--')) return undefined
  const rest = text.slice(flag.length)
  const value = rest === '' ? argv[index + 1] : rest.slice(1)
  const possible = effectiveOptions(command).filter((option) => {
    const isRefused = option.required && value !== undefined && !isFlag(value)
    return !isRefused || readable(command, option, value) !== undefined
  })
  const names = possible.flatMap(({ long }) => long?.slice(2) ?? [])
  const meant = nearest(flag.slice(2), names)
  if (meant === undefined) return undefined
  return edited(argv, { [index]: [`--${meant}${rest}`] })
}

const isFlag = (text: string) => text.startsWith('-')

/** `pets --status sold list`: an option of a command follows its name. Without one, it is a list. */
function nameFirst(
  { argv, command, words }: CommandLine,
  { index }: Word,
  flag: string,
): Argv | undefined {
  const path = commandName(command)
    .split(' ')
    .filter((word) => word !== '')
  const candidates = command.commands.filter((child) =>
    optionsUnder(child).some(({ long }) => long === flag),
  )
  const isName = (text: string) => candidates.some((child) => isCalled(child, text))
  const at = argv.findLastIndex(isName)
  // The word after the option may be its value.
  const others = words.slice(path.length).filter((word) => word.index !== index + 1)
  const isList = others.length === 0 && candidates.some((child) => isCalled(child, 'list'))
  const name = argv[at] ?? (isList ? 'list' : undefined)
  if (name === undefined) return undefined
  const typedPath = words.slice(0, path.length)
  return [...path, name, ...edited(argv, { ...removed(typedPath), [at]: [] })]
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
