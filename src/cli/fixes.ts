import { type AnyCommand, type BareValue, notesOf, problemWith } from '../commands/declare.ts'
import type { UnknownName } from '../failure.ts'
import { environmentNames } from '../settings/saved-state.ts'
import { type CommandLine, findOption, longMeant, type Mistake, type Word } from './argv.ts'
import * as habits from './habits.ts'
import { effectiveOptions } from './shared-options.ts'
import { childrenOf } from './tree.ts'

export type Argv = readonly string[]

/**
 * The command line that was probably meant; it may have another mistake. Undefined if nothing is
 * close.
 */
export function repaired(line: CommandLine, mistake: Mistake): Argv | undefined {
  switch (mistake.kind) {
    case 'unknown command':
      return byHabit(line) ?? repairWord(line, mistake.word)
    case 'unknown option':
      return repairOption(line, mistake.word)
    case 'invalid value': {
      const { declared, value } = mistake
      const isStrict = changesSomething(line.command)
      return withEnd(line.argv, value, choiceFor(declared.argChoices ?? [], value.text, isStrict))
    }
    case 'missing argument':
      return byHabit(line)
    case 'excess words':
      return byHabit(line) ?? repairExcess(line, mistake.words)
    case 'refused':
      return (
        mistake.failure.unknownName &&
        (byHabit(line) ?? repairName(line, mistake.failure.unknownName))
      )
    default:
      return undefined
  }
}

/** Replaces words of argv, by index. An empty replacement removes its word. */
const edited = (argv: Argv, changes: Readonly<Record<number, Argv>>): Argv =>
  argv.flatMap((word, index) => changes[index] ?? [word])

/** Replaces the first words of the command line, wherever options stand between them. */
function withFirstWords(argv: Argv, words: readonly Word[], meant: readonly string[]): Argv {
  const [first, ...rest] = words
  if (first === undefined) return argv
  return edited(argv, {
    ...Object.fromEntries(rest.map(({ index }) => [index, []])),
    [first.index]: meant,
  })
}

/** Replaces the end of a word: of `--status=Sold`, the value. */
function withEnd(argv: Argv, { text, index }: Word, end: string | undefined): Argv | undefined {
  const word = argv[index] ?? ''
  return end === undefined
    ? undefined
    : edited(argv, { [index]: [word.slice(0, word.length - text.length) + end] })
}

/** The first words of the command line, as other programs would understand them. */
function byHabit({ argv, words }: CommandLine): Argv | undefined {
  for (let count = Math.min(3, words.length); count > 0; count -= 1) {
    const first = words.slice(0, count)
    const meant = habits.commands.get(first.map(({ text }) => text.toLowerCase()).join(' '))
    if (meant !== undefined) return withFirstWords(argv, first, meant.split(' '))
  }
  return undefined
}

/** A word that is not a command where a command is expected. */
function repairWord({ argv, command }: CommandLine, stray: Word): Argv | undefined {
  if (habits.reasonAgainst(command, stray.text) !== undefined) return undefined
  if (stray.text === 'help') return [...edited(argv, { [stray.index]: [] }), '--help']
  const names = childrenOf(command).flatMap((child) => [child.name(), ...child.aliases()])
  const meant = nearest(stray.text, names)
  return meant === undefined ? undefined : edited(argv, { [stray.index]: [meant] })
}

function repairOption(line: CommandLine, { text, index }: Word): Argv | undefined {
  const { argv, command, options, operands } = line
  if (longMeant(command, text) !== undefined) return edited(argv, { [index]: [`-${text}`] })
  const [, flag = '', value = ''] = /^(--[^=]+|-.)(.*)$/s.exec(text) ?? []
  const glued = value.replace(/^=/, '')
  const habit = habits.optionFor(command, flag)
  if (habit === '') return edited(argv, { [index]: glued === '' ? [] : [glued] })
  const [long = '', standardInput] = habit?.split(' ') ?? []
  if (standardInput === '-') {
    // `--file -` replaces `--data '{…}'` with its value.
    const next = operands.find((word) => word.index === index + 1)
    return edited(argv, { ...(next && { [next.index]: [] }), [index]: [long, standardInput] })
  }
  if (optionNamed(command, long) !== undefined)
    return edited(argv, { [index]: (habit + value).split(' ') })
  const names = effectiveOptions(command).flatMap((option) => option.long?.slice(2) ?? [])
  const meant = flag.startsWith('--') ? nearest(flag.slice(2), names) : undefined
  if (meant !== undefined) return edited(argv, { [index]: [`--${meant}${value}`] })
  if (!isKeyOption(command, flag)) return undefined
  // Neither the key nor anything else that was typed is repeated.
  const environment = options.find(({ option }) => option.long === '--env')?.value
  return ['auth', 'login', ...(environment === undefined ? [] : ['--env', environment.text])]
}

export const isKeyOption = (command: AnyCommand, flag: string) =>
  nearest(flag, habits.keyOptions) !== undefined &&
  !/^-\w$/.test(flag) &&
  habits.optionFor(command, flag) === undefined

const optionNamed = (command: AnyCommand, name: string) =>
  effectiveOptions(command).find(({ long }) => long === name)

/** What a hint sends or saves was typed, so only its case is corrected. */
const changesSomething = (command: AnyCommand) => notesOf(command).changes !== undefined

function choiceFor(
  choices: readonly string[],
  text: string,
  isStrict: boolean,
): string | undefined {
  const typed = text.trim().toLowerCase()
  const same = choices.find((choice) => choice.toLowerCase() === typed)
  return same === undefined && !isStrict ? nearest(typed, choices) : same
}

/** Joins the words of a text without quotes, or adds the missing option before each word. */
function repairExcess(
  { argv, command, operands, options }: CommandLine,
  words: readonly Word[],
): Argv | undefined {
  const { isText, readsKey } = notesOf(command)
  // An option after `--` is not a part of the text.
  if (isText && operands.some(({ text }) => text.startsWith('-'))) return undefined
  if (isText) return withFirstWords(argv, operands, [operands.map(({ text }) => text).join(' ')])
  const used = new Set(options.map(({ option }) => option.long))
  const changes: Record<number, Argv> = {}
  for (const { text, index } of words) {
    const change = withOption(command, text, used) ?? (readsKey ? [] : undefined)
    if (change === undefined) return undefined
    changes[index] = change
    used.add(change[0])
  }
  return edited(argv, changes)
}

/** The word with the option that it probably belongs to. */
function withOption(
  command: AnyCommand,
  text: string,
  used: ReadonlySet<string | undefined>,
): Argv | undefined {
  const [, name = '', value = ''] = /^([a-z][\w-]*)=(.+)$/is.exec(text) ?? []
  const assigned = `--${name.replace(/([a-z])([A-Z])/g, '$1-$2').toLowerCase()}`
  if (name !== '' && !used.has(assigned) && findOption(command, assigned)?.required)
    return [assigned, value]
  // `--json id,name`, as in gh.
  const areFields = text.split(',').every((field) => notesOf(command).fields?.includes(field))
  if (areFields && !used.has('--fields')) return ['--fields', text]
  // A pet in JSON.
  if (/^\s*[{[]/.test(text)) return optionNamed(command, '--file') && ['--file', '-']
  const environments = new RegExp(`^(${environmentNames({}).join('|')})$`)
  const candidates: readonly BareValue[] = [
    ['--env', environments],
    ...(notesOf(command).bareValues ?? []),
  ]
  for (const [long, pattern = /./] of candidates) {
    const option = optionNamed(command, long)
    if (option === undefined || !pattern.test(text)) continue
    if (used.has(long) && !Array.isArray(option.defaultValue)) continue
    const { argChoices } = option
    const value =
      argChoices === undefined ? text : choiceFor(argChoices, text, changesSomething(command))
    const problem = problemWith((word) => option.parseArg?.(word, option.defaultValue))
    if (value !== undefined && problem(value) === undefined) return [long, value]
  }
  return undefined
}

/** The name of an environment, a setting or a field that does not exist. */
function repairName(
  line: CommandLine,
  { name, known, option, isValue }: UnknownName,
): Argv | undefined {
  const { argv, command, options, operands } = line
  const meant = choiceFor(known, name, isValue === true && changesSomething(command))
  if (meant === undefined) return undefined
  const value = options
    .map((typed) => typed.value)
    .find((typed) => typed?.text.split(',').includes(name))
  if (value !== undefined) {
    const names = value.text.split(',').map((one) => (one === name ? meant : one))
    return withEnd(argv, value, names.join(','))
  }
  const operand = operands.find(({ text }) => text === name)
  if (operand !== undefined) return edited(argv, { [operand.index]: [meant] })
  return option === undefined ? undefined : [option, meant, ...argv]
}

/**
 * Longer words are no typing errors, and comparing them takes a time that grows with the square of
 * their length.
 */
const longestWord = 40

/** The candidate that a misspelled text most likely means; undefined if none is close. */
export function nearest(text: string, candidates: readonly string[]): string | undefined {
  if (text.length > longestWord) return undefined
  const typed = text.toLowerCase()
  const near = candidates
    .map((candidate) => ({ candidate, distance: editDistance(typed, candidate.toLowerCase()) }))
    .filter(
      ({ candidate, distance }) =>
        distance <= Math.floor(Math.max(typed.length, candidate.length) / 3),
    )
    .toSorted((one, other) => one.distance - other.distance)
  return near[0]?.candidate ?? onlyBeginning(typed, candidates)
}

/** `production` for `prod`, if no other candidate begins so. */
function onlyBeginning(typed: string, candidates: readonly string[]): string | undefined {
  const longer = candidates.filter((candidate) => candidate.toLowerCase().startsWith(typed))
  return typed.replace(/^-+/, '').length >= 3 && longer.length === 1 ? longer[0] : undefined
}

/** How many letters have to be inserted, deleted, replaced or swapped with their neighbor. */
function editDistance(one: string, other: string): number {
  // The distances between the beginnings of both words, by their lengths.
  const distances = [Array.from({ length: other.length + 1 }, (_, j) => j)]
  const at = (i: number, j: number) => distances[i]?.[j] ?? Number.POSITIVE_INFINITY
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i]
    distances.push(row)
    for (let j = 1; j <= other.length; j += 1) {
      const replaced = at(i - 1, j - 1) + (one[i - 1] === other[j - 1] ? 0 : 1)
      const isSwap = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      row.push(
        Math.min(
          at(i, j - 1) + 1,
          at(i - 1, j) + 1,
          replaced,
          isSwap ? at(i - 2, j - 2) + 1 : replaced,
        ),
      )
    }
  }
  return at(one.length, other.length)
}
