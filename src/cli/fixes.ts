import type { Option } from '@commander-js/extra-typings'
import {
  type AnyCommand,
  areExclusive,
  type BareValue,
  notesOf,
  problemWith,
} from '../commands/declare.ts'
import type { UnknownName } from '../failure.ts'
import { environmentNames } from '../settings/saved-state.ts'
import { type CommandLine, findOption, longMeant, type Mistake, type Word } from './argv.ts'
import {
  commandHabits,
  describedPath,
  type Habit,
  isObject,
  keyOptions,
  optionHabits,
  reasonAgainst,
  valueHabits,
} from './habits.ts'
import { nearest } from './nearest.ts'
import { effectiveOptions } from './shared-options.ts'
import { childrenOf, commandName } from './tree.ts'

export type Argv = readonly string[]

/**
 * The command line that was probably meant; it may have another mistake. Undefined if nothing is
 * close.
 */
export async function repaired(line: CommandLine, mistake: Mistake): Promise<Argv | undefined> {
  switch (mistake.kind) {
    case 'unknown command':
      return byCommandHabit(line) ?? repairWord(line, mistake.word)
    case 'unknown option':
      return repairOption(line, mistake.word)
    case 'invalid value':
      return repairValue(line, mistake.declared, mistake.value)
    case 'missing argument':
      return byCommandHabit(line) ?? splitAssignment(line) ?? repairRequest(line)
    case 'excess words':
      return byCommandHabit(line) ?? insteadOfId(line) ?? repairExcess(line, mistake.words)
    case 'refused': {
      const { unknownName } = mistake.failure
      if (unknownName === undefined) return undefined
      return urlOfEnvironment(line) ?? byCommandHabit(line) ?? repairName(line, unknownName)
    }
    default:
      return undefined
  }
}

/** Replaces words of argv, by index. An empty replacement removes its word. */
const edited = (argv: Argv, changes: Readonly<Record<number, Argv>>): Argv =>
  argv.flatMap((word, index) => changes[index] ?? [word])

/** Replaces words of the command line by others, wherever options stand between them. */
function withWords(argv: Argv, words: readonly Word[], meant: Argv): Argv {
  const [first, ...rest] = words
  if (first === undefined) return argv
  const removed = rest.map(({ index }): [number, Argv] => [index, []])
  return edited(argv, { ...Object.fromEntries(removed), [first.index]: meant })
}

/** Replaces the end of a word: of `--status=Sold`, the value. */
function withEnd(argv: Argv, { text, index }: Word, end: string | undefined): Argv | undefined {
  if (end === undefined) return undefined
  const word = argv[index] ?? ''
  return edited(argv, { [index]: [word.slice(0, word.length - text.length) + end] })
}

const filledIn = ({ becomes }: Habit, value = ''): Argv =>
  becomes.map((word) => word.replace('{value}', () => value))

/** The first words of the command line, as other programs would understand them. */
function byCommandHabit(line: CommandLine): Argv | undefined {
  const { words, command } = line
  for (let count = Math.min(3, words.length); count > 0; count -= 1) {
    const first = words.slice(0, count)
    const next = words[count]
    const phrase = first.map(({ text }) => text.toLowerCase()).join(' ')
    for (const habit of commandHabits.filter(({ typed }) => typed.includes(phrase))) {
      const value = habit.value && next && habit.value(next.text, command)
      if (habit.value !== undefined && value === undefined) continue
      const replaced = value === undefined || next === undefined ? first : [...first, next]
      const argv = withWords(line.argv, replaced, filledIn(habit, value))
      return withAdded(line, argv, habit, meantOptions(line))
    }
  }
  return undefined
}

/** Adds the options of a habit, unless they were typed, or something that excludes them. */
function withAdded(
  { command, options }: CommandLine,
  argv: Argv,
  { adds = [] }: Habit,
  meant: readonly Option[] = [],
): Argv {
  const typed = [...options.map(({ option }) => option), ...meant]
  const added = adds.filter(([flag = '']) => {
    const option = findOption(command, flag)
    const isTyped = (other: Option) => other.long === flag
    const isExcluded = (other: Option) => option !== undefined && areExclusive(option, other)
    return !typed.some((other) => isTyped(other) || isExcluded(other))
  })
  return [...argv, ...added.flat()]
}

/** The shared options that unknown ones mean: `--format` before `pets export` is repaired. */
function meantOptions({ command, unknownOptions }: CommandLine): Option[] {
  return unknownOptions.flatMap(({ text }) => {
    const flag = splitOption(text).flag.toLowerCase()
    const habit = optionHabits.find(({ on, typed }) => on === undefined && typed.includes(flag))
    return findOption(command, habit?.becomes[0] ?? '') ?? []
  })
}

/** A word that is not a command where a command is expected. */
function repairWord({ argv, command }: CommandLine, stray: Word): Argv | undefined {
  if (reasonAgainst(command, stray.text) !== undefined) return undefined
  if (stray.text === 'help') return [...edited(argv, { [stray.index]: [] }), '--help']
  const names = childrenOf(command).flatMap((child) => [child.name(), ...child.aliases()])
  const meant = nearest(stray.text, names)
  return meant === undefined ? undefined : edited(argv, { [stray.index]: [meant] })
}

/** `--limit=5` and `-n5` in two parts. */
function splitOption(text: string): { flag: string; glued: string | undefined } {
  const [, flag = text, glued] = /^(--[^=]+|-.)=?(.+)?$/s.exec(text) ?? []
  return { flag, glued }
}

function repairOption(line: CommandLine, word: Word): Argv | undefined {
  const { argv, command, options } = line
  if (longMeant(command, word.text) !== undefined)
    return edited(argv, { [word.index]: [`-${word.text}`] })
  const byHabit = byOptionHabit(line, word)
  if (byHabit !== undefined) return byHabit
  const { flag } = splitOption(word.text)
  const names = effectiveOptions(command).flatMap((option) => option.long?.slice(2) ?? [])
  const meant = flag.startsWith('--') ? nearest(flag.slice(2), names) : undefined
  if (meant !== undefined)
    return edited(argv, { [word.index]: [`--${meant}${word.text.slice(flag.length)}`] })
  if (!isKeyOption(command, flag)) return undefined
  // Neither the key nor anything else that was typed is repeated.
  const environment = options.find(({ option }) => option.long === '--env')?.value
  return ['auth', 'login', ...(environment === undefined ? [] : ['--env', environment.text])]
}

/** The rows about an option of another program. */
const habitsFor = (command: AnyCommand, flag: string) =>
  optionHabits.filter(
    ({ on, typed }) =>
      typed.includes(flag.toLowerCase()) && (on?.includes(commandName(command)) ?? true),
  )

function byOptionHabit(line: CommandLine, word: Word): Argv | undefined {
  const { argv, command, words, options } = line
  const { flag, glued } = splitOption(word.text)
  const next = words.find(({ index }) => index === word.index + 1)
  const typedValue = glued ?? next?.text
  for (const habit of habitsFor(command, flag)) {
    const isAlone = !options.some(({ option }) => option.long === habit.beside)
    if (habit.beside !== undefined && isAlone) continue
    const value = typedValue === undefined ? undefined : habit.value?.(typedValue, command)
    const isFlag = habit.value === undefined && (glued === undefined || habit.becomes.length === 0)
    const meant = filledIn(habit, value)
    if (!(isFlag || value !== undefined) || !canBeAdded(line, meant)) continue
    const isNextTaken = value !== undefined && glued === undefined && next !== undefined
    const changes = {
      ...withoutValueless(line, meant[0]),
      ...(isNextTaken && { [next.index]: [] }),
      [word.index]: meant,
    }
    return withAdded(line, edited(argv, changes), habit)
  }
  return undefined
}

/** Whether the command has the option and its value is not typed yet. */
function canBeAdded({ command, options }: CommandLine, [flag = '', value = '']: Argv): boolean {
  // A value that looks like an option needs another form.
  if (!flag.startsWith('--')) return !flag.startsWith('-')
  const option = effectiveOptions(command).find(({ long }) => long === flag)
  const isTyped = options.some((typed) => typed.option === option && typed.value !== undefined)
  const isRepeatable = Array.isArray(option?.defaultValue)
  return option !== undefined && !value.startsWith('-') && (!isTyped || isRepeatable)
}

/** `--watch --interval 5` is `--watch 5`: the option without a value goes. */
function withoutValueless({ options }: CommandLine, flag = ''): Record<number, Argv> {
  const typed = options.filter(({ option, value }) => option.long === flag && value === undefined)
  return Object.fromEntries(typed.map((one): [number, Argv] => [one.flag.index, []]))
}

export const isKeyOption = (command: AnyCommand, flag: string) =>
  nearest(flag, keyOptions) !== undefined &&
  !/^-\w$/.test(flag) &&
  habitsFor(command, flag).length === 0

/** What a hint sends or saves was typed, so only its case is corrected. */
const changesSomething = (command: AnyCommand) => notesOf(command).changes !== undefined

function repairValue(
  line: CommandLine,
  declared: Extract<Mistake, { kind: 'invalid value' }>['declared'],
  value: Word,
): Argv | undefined {
  const { argv, command } = line
  const long = 'long' in declared ? declared.long : undefined
  const meant = valueByHabit(command, long, value.text)
  if (meant !== undefined) return withEnd(argv, value, meant)
  const choice = choiceFor(declared.argChoices ?? [], value.text, changesSomething(command))
  if (choice !== undefined) return withEnd(argv, value, choice)
  return long === undefined ? (repairRequest(line) ?? insteadOfId(line)) : undefined
}

/** What another program's value of an option means: `--limit all`. */
function valueByHabit(command: AnyCommand, long: string | undefined, text: string) {
  const habit = valueHabits.find(
    ({ typed: [option], value }) => option === long && value?.(text, command),
  )
  return habit && filledIn(habit, text.toLowerCase()).at(-1)
}

/** `pets get Rex`: what is no id may be a name. */
function insteadOfId({ argv, command, words, operands }: CommandLine): Argv | undefined {
  const { instead } = notesOf(command)
  const path = words.slice(0, words.length - operands.length)
  const isName = /\p{L}/u.test(operands[0]?.text ?? '')
  return instead === undefined || !isName ? undefined : withWords(argv, path, instead.split(' '))
}

/** `api get pets`. Other words are not repeated: they may be misplaced keys. */
function repairRequest({ argv, command, operands }: CommandLine): Argv | undefined {
  const [path, method, ...others] = operands.map(({ text }) => text).toReversed()
  const isRead = method === undefined || /^(get|head)$/i.test(method)
  const [, described] = describedPath.exec(path ?? '') ?? []
  const isRequest = notesOf(command).takesObject === 'fields'
  if (!isRequest || !isRead || described === undefined || others.length > 0) return undefined
  return withWords(argv, operands, [(method ?? 'get').toUpperCase(), `/${described}`])
}

function choiceFor(
  choices: readonly string[],
  text: string,
  isStrict: boolean,
): string | undefined {
  const typed = text.trim().toLowerCase()
  const same = choices.find((choice) => choice.toLowerCase() === typed)
  return same === undefined && !isStrict ? nearest(typed, choices) : same
}

/** `config set base-url URL --env dev`: a URL belongs to an environment. */
function urlOfEnvironment({ argv, words, options }: CommandLine): Argv | undefined {
  const [, , setting, url] = words
  const phrase = words.slice(0, 3).map(({ text }) => text)
  const typed = options.find(({ option }) => option.long === '--env')
  const name = typed?.value?.text ?? 'local'
  const isUrl = /^config set (base-|messages-)?url$/.test(phrase.join(' '))
  if (!isUrl || typed === undefined || name === 'local' || words.length !== 4) return undefined
  const option = setting?.text === 'messages-url' ? '--messages-url' : '--base-url'
  const rest = edited(argv, {
    ...Object.fromEntries(words.map(({ index }): [number, Argv] => [index, []])),
    ...withoutOption(typed),
  })
  return ['env', 'set', name, option, url?.text ?? '', ...rest]
}

/** `config set timeout=5`: the value follows the name. */
function splitAssignment({ argv, command, operands }: CommandLine): Argv | undefined {
  const last = operands.at(-1)
  const isForTwo = command.registeredArguments.length === operands.length + 1
  const [, name = '', value = ''] = /^([\w-]+)=(.+)$/s.exec(last?.text ?? '') ?? []
  if (last === undefined || !isForTwo || name === '') return undefined
  return edited(argv, { [last.index]: [name, value] })
}

/** Joins the words of a text without quotes, or adds the missing option before each word. */
async function repairExcess(line: CommandLine, excess: readonly Word[]): Promise<Argv | undefined> {
  const { argv, command, operands, options } = line
  const { isText, readsKey, joins } = notesOf(command)
  // An option after `--` is not a part of the text.
  const isOption = operands.some(({ text }) => text.startsWith('-'))
  if (isText && isOption) return undefined
  if (isText) return withWords(argv, operands, [joined(operands)])
  const used = new Set(options.map(({ option }) => option.long))
  const changes: Record<number, Argv> = {}
  const rest: Word[] = []
  for (const word of excess) {
    const meant =
      (await fromObject(line, word)) ??
      withOption(command, word.text, used) ??
      (readsKey ? [] : undefined)
    if (meant === undefined) rest.push(word)
    else changes[word.index] = meant
    used.add(meant?.[0])
    // The `--json` of `--json '{…}'` means the object.
    const before = options.find(({ flag }) => flag.index === word.index - 1)
    if (isObject(word.text) && before?.option.long === '--json') changes[word.index - 1] = []
  }
  const [first] = rest
  if (first === undefined) return edited(argv, changes)
  if (joins === undefined || isOption || used.has(joins) || !areTogether(rest)) return undefined
  const [, ...others] = rest
  for (const { index } of others) changes[index] = []
  return edited(argv, { ...changes, [first.index]: [joins, joined(rest)] })
}

const joined = (words: readonly Word[]) => words.map(({ text }) => text).join(' ')

const areTogether = (words: readonly Word[]) =>
  words.every(({ index }, position) => index === (words[0]?.index ?? 0) + position)

async function fromObject({ command }: CommandLine, { text }: Word): Promise<Argv | undefined> {
  const { takesObject } = notesOf(command)
  if (takesObject === undefined || !isObject(text)) return undefined
  const { optionsFromObject } = await import('./typed-object.ts')
  const found = optionsFromObject(takesObject, text)
  return 'options' in found ? found.options : undefined
}

/** The word with the option that it probably belongs to. */
function withOption(
  command: AnyCommand,
  text: string,
  used: ReadonlySet<string | undefined>,
): Argv | undefined {
  if (isObject(text)) return undefined
  const [, name = '', value = ''] = /^([a-z][\w-]*)=(.+)$/is.exec(text) ?? []
  const assigned = `--${name.replace(/([a-z])([A-Z])/g, '$1-$2').toLowerCase()}`
  if (name !== '' && !used.has(assigned) && findOption(command, assigned)?.required)
    return [assigned, value]
  // `--json id,name`, as in gh.
  const areFields = text.split(',').every((field) => notesOf(command).fields?.includes(field))
  if (areFields && !used.has('--fields')) return ['--fields', text]
  const environments = new RegExp(`^(${environmentNames({}).join('|')})$`)
  const candidates: readonly BareValue[] = [
    ['--env', environments],
    ...(notesOf(command).bareValues ?? []),
  ]
  for (const [long, pattern = /./] of candidates) {
    const option = effectiveOptions(command).find((candidate) => candidate.long === long)
    if (option === undefined || !pattern.test(text)) continue
    if (used.has(long) && !Array.isArray(option.defaultValue)) continue
    const read = readable(command, option, text)
    if (read !== undefined) return [long, read]
  }
  return undefined
}

/** The text, or the choice that it means; undefined if the option refuses it. */
function readable(command: AnyCommand, option: Option, text: string): string | undefined {
  const { argChoices, defaultValue, long } = option
  const meant = valueByHabit(command, long, text)
  if (meant !== undefined) return meant
  const value =
    argChoices === undefined ? text : choiceFor(argChoices, text, changesSomething(command))
  const problem = problemWith((word) => option.parseArg?.(word, defaultValue))
  return value === undefined || problem(value) !== undefined ? undefined : value
}

/** The name of an environment, a setting or a field that does not exist. */
function repairName(
  line: CommandLine,
  { name, known, option, isValue }: UnknownName,
): Argv | undefined {
  const { argv, command, options, operands } = line
  const meant = choiceFor(known, name, isValue === true && changesSomething(command))
  const typed = options.find(({ value }) => value?.text.split(',').includes(name))
  // It has the status of all environments.
  const isAll = name === 'all' && typed?.option.long === '--env'
  if (isAll && notesOf(command).coversAll) return edited(argv, withoutOption(typed))
  if (meant === undefined) return undefined
  if (typed?.value !== undefined) {
    const names = typed.value.text.split(',').map((one) => (one === name ? meant : one))
    return withEnd(argv, typed.value, names.join(','))
  }
  const operand = operands.find(({ text }) => text === name)
  if (operand !== undefined) return edited(argv, { [operand.index]: [meant] })
  return option === undefined ? undefined : [option, meant, ...argv]
}

const withoutOption = ({ flag, value }: CommandLine['options'][number]) => ({
  [flag.index]: [],
  ...(value && { [value.index]: [] }),
})
