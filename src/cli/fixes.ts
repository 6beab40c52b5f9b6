import type { Option } from '@commander-js/extra-typings'
import type { AnyCommand } from '../commands/declare.ts'
import type { UnknownName } from '../failure.ts'
import { environmentNames } from '../settings/saved-state.ts'
import { type CommandLine, readArgv, type TypedOption, type Word } from './argv.ts'
import { habits, optionsForOperands } from './habits.ts'
import { nearest } from './nearest.ts'
import { ownOptions, sharedOptions } from './shared-options.ts'
import { topics } from './topics.ts'
import { childrenOf, leavesOf, pathBelow, rootOf } from './tree.ts'

export type Argv = readonly string[]

/** Replacements for words of argv, by index. An empty one removes its word. */
type Changes = Readonly<Record<number, readonly string[]>>

const edited = (argv: Argv, changes: Changes): Argv => argv.flatMap((word, index) => changes[index] ?? [word])

/** Replaces the first words of the command line, wherever options stand between them. */
function withFirstWords(argv: Argv, words: readonly Word[], meant: readonly string[]): Argv {
  const [first, ...rest] = words
  if (first === undefined) return argv
  return edited(argv, { ...Object.fromEntries(rest.map(({ index }) => [index, []])), [first.index]: meant })
}

/** A word that is not a command where a command is expected. */
export function fixStray({ argv, command, words }: CommandLine, stray: Word): Argv | undefined {
  const byHabit = fixByHabit(argv, words)
  if (byHabit !== undefined) return byHabit === 'unsupported' ? undefined : byHabit
  const before = words.slice(0, words.indexOf(stray) + 1)
  if (stray.text === 'help') return [...edited(argv, { [stray.index]: [] }), '--help']
  if (stray.text === rootOf(command).name()) return edited(argv, { [stray.index]: [] })
  const sibling = nearest(
    stray.text,
    childrenOf(command).map((child) => child.name()),
  )
  if (sibling !== undefined) return edited(argv, { [stray.index]: [sibling] })
  const elsewhere = commandElsewhere(command, stray.text)
  if (elsewhere !== undefined) return withFirstWords(argv, before, pathBelow(elsewhere).split(' '))
  const path = pathBelow(command)
  const verb = path === 'messages' ? 'send' : path === 'pets' && /^\d+$/.test(stray.text) ? 'get' : undefined
  return verb && edited(argv, { [stray.index]: [verb, stray.text] })
}

function fixByHabit(argv: Argv, words: readonly Word[]): Argv | 'unsupported' | undefined {
  for (let count = Math.min(3, words.length); count > 0; count -= 1) {
    const first = words.slice(0, count)
    const typed = first.map(({ text }) => text.toLowerCase()).join(' ')
    const meant = habits.commands.get(typed)
    if (meant !== undefined) return withFirstWords(argv, first, meant.split(' '))
    if (habits.unsupported.has(typed)) return 'unsupported'
  }
  return undefined
}

/** A command of that name below another noun, if it is the only one. */
function commandElsewhere(command: AnyCommand, word: string): AnyCommand | undefined {
  const leaves = leavesOf(rootOf(command))
  const names = leaves.map((leaf) => leaf.name())
  const name = command.parent === null ? nearest(word, names) : names.find((candidate) => candidate === word)
  const found = leaves.filter((leaf) => leaf.name() === name)
  return found.length === 1 ? found[0] : undefined
}

/** `-env local` would be read as `-e nv`. */
export function fixOneDash({ argv, command }: CommandLine, flag: Word): Argv | undefined {
  const { text, index } = flag
  const isWord = /^-[a-z][a-z-]+/.test(text) && text === argv[index]
  const isKnown = isWord && optionsOf(command).some(({ long }) => long === `-${text.replace(/=.*$/s, '')}`)
  return isKnown ? edited(argv, { [index]: [`-${text}`] }) : undefined
}

export const isKeyOption = (flag: string) => nearest(flag, habits.keyOptions) !== undefined && !/^-\w$/.test(flag)

export function fixUnknownOption(line: CommandLine, { text, index }: Word): Argv | undefined {
  const [, flag = '', value = ''] = /^(--[^=]+|-.)(.*)$/s.exec(text) ?? []
  const { argv, command, options: typed } = line
  const options = optionsOf(command)
  if (habits.optionsForArguments[pathBelow(command)]?.includes(flag)) {
    return edited(argv, { [index]: value === '' ? [] : [value.replace(/^=/, '')] })
  }
  const habit = habits.options.get(flag.toLowerCase())
  if (habit !== undefined && isKnownOption(line, habit.split(' ')[0] ?? ''))
    return edited(argv, { [index]: (habit + value).split(' ') })
  const names = options.flatMap(({ long }) => (long === undefined ? [] : [long.slice(2)]))
  const meant = flag.startsWith('--') ? nearest(flag.slice(2), names) : undefined
  if (meant !== undefined) return edited(argv, { [index]: [`--${meant}${value}`] })
  // Neither the key nor anything else that was typed is repeated.
  return isKeyOption(flag) ? ['auth', 'login', ...environmentOf(typed)] : undefined
}

export const isKnownOption = ({ command }: CommandLine, name: string) =>
  optionsOf(command).some(({ short, long }) => long === name || short === name)

/** `--json=true` as `--json`; `--json=false` may mean anything. */
export function fixValue({ argv }: CommandLine, { text, index }: Word): Argv | undefined {
  return /=(true|yes|on|1)?$/i.test(text) ? edited(argv, { [index]: [text.replace(/=.*$/, '')] }) : undefined
}

function environmentOf(options: readonly TypedOption[]): string[] {
  const value = options.find(({ option }) => option.long === '--env')?.value
  return value === undefined ? [] : ['--env', value]
}

/** A value that is not one of the choices, or a time with its unit. */
export function fixInvalidValue(
  { argv }: CommandLine,
  { option, value = '', valueIndex }: TypedOption,
): Argv | undefined {
  const seconds = /[<[]seconds[>\]]/.test(option.flags) ? withoutUnit(value) : undefined
  const choice = seconds ?? nearestChoice(option, value)
  return choice === undefined || valueIndex === undefined ? undefined : withEnd(argv, valueIndex, value, choice)
}

const withoutUnit = (seconds: string) => /^(\d+(\.\d+)?) ?s\w*$/.exec(seconds)?.[1]

export function fixInvalidArgument({ argv }: CommandLine, argument: Choices, { text, index }: Word): Argv | undefined {
  const choice = nearestChoice(argument, text)
  return choice === undefined ? undefined : edited(argv, { [index]: [choice] })
}

type Choices = Pick<Option, 'argChoices'>

function nearestChoice({ argChoices = [] }: Choices, text: string): string | undefined {
  const habit = habits.values.get(text.toLowerCase())
  return habit !== undefined && argChoices.includes(habit) ? habit : nearest(text.trim(), argChoices)
}

/** Replaces the end of a word: of `--status=Sold`, the value. */
function withEnd(argv: Argv, index: number, old: string, end: string): Argv {
  const word = argv[index] ?? ''
  return edited(argv, { [index]: [word.slice(0, word.length - old.length) + end] })
}

/** Too many operands, or too few. */
export function fixOperands(line: CommandLine): Argv | undefined {
  const { argv, command, operands, words } = line
  const path = pathBelow(command)
  const [first] = operands
  const byHabit = fixByHabit(argv, words)
  if (byHabit !== undefined && byHabit !== 'unsupported') return byHabit
  if (path === 'api' && first?.text.startsWith('/')) return edited(argv, { [first.index]: ['GET', first.text] })
  if (path === 'messages send' && first !== undefined) {
    return withFirstWords(argv, operands, [operands.map(({ text }) => text).join(' ')])
  }
  if (path === 'config set' && first?.text.includes('='))
    return edited(argv, { [first.index]: first.text.split('=', 2) })
  const excess = operands.slice(command.registeredArguments.length)
  return excess.length === 0 ? undefined : asOptions(line, excess)
}

/** Puts the missing option before each operand; undefined if one of them fits no option. */
function asOptions({ argv, command, options, words }: CommandLine, excess: readonly Word[]): Argv | undefined {
  const path = pathBelow(command)
  const used = new Set(options.map(({ option }) => option.long))
  const changes: Record<number, readonly string[]> = {}
  const unquoted = new Map(
    options.map(({ option, valueIndex }) => [valueIndex, { start: valueIndex, long: option.long }]),
  )
  for (const { text, index } of excess) {
    if (text === 'help') return edited(argv, { [index]: ['--help'] })
    if (/^[–—]/.test(text)) return edited(argv, { [index]: [text.replace(/^[–—]+/, '--')] })
    if (path === 'pets add' && /\.(csv|ndjson|jsonl)$/i.test(text))
      return withFirstWords(argv, words.slice(0, 2), ['pets', 'import'])
    const long = ['--env', ...(optionsForOperands[path] ?? [])].find((flag) => {
      return (!used.has(flag) || flag === '--raw-field') && accepts(command, flag, text)
    })
    const option = optionsOf(command).find((candidate) => candidate.long === long)
    const before = unquoted.get(index - 1)
    const joint = joints[before?.long ?? '']
    if (option === undefined) {
      if (before?.start !== undefined && joint !== undefined) {
        const [value = '', ...flags] = [...(changes[before.start] ?? [argv[before.start] ?? ''])].reverse()
        changes[before.start] = [...flags, value + joint + text]
        unquoted.set(index, before)
      } else if (!canDrop.has(path)) return undefined
      changes[index] = []
    } else {
      used.add(option.long)
      unquoted.set(index, { start: index, long: option.long })
      changes[index] = [option.long ?? '', nearestChoice(option, text) ?? text]
    }
  }
  return edited(argv, changes)
}

/** What joins the words of a value without quotes or commas: `--name Sir Waddles`, `--fields id name`. */
const joints: Readonly<Record<string, string>> = { '--name': ' ', '--fields': ',' }

/** What follows `auth login` may be a key, and `env list` lists every environment anyway. */
const canDrop: ReadonlySet<string> = new Set(['auth login', 'env list'])

function accepts(command: AnyCommand, long: string, text: string): boolean {
  const option = optionsOf(command).find((candidate) => candidate.long === long)
  if (option === undefined) return false
  if (option.argChoices !== undefined) return nearestChoice(option, text) !== undefined
  if (long === '--file') return /\.json$/i.test(text)
  if (long === '--env') return environmentNames({}).includes(text)
  if (/<url>/.test(option.flags)) return /^https?:\/\//.test(text)
  if (/<key=/.test(option.flags)) return /^[^=]+=/.test(text)
  try {
    option.parseArg?.(text, undefined)
    return true
  } catch {
    return false
  }
}

/** The name of an environment, a setting or a field that does not exist. */
export function fixUnknownName(line: CommandLine, { name, known, option }: UnknownName): Argv | undefined {
  const { argv, options, operands, words } = line
  const byHabit = fixByHabit(argv, words)
  if (byHabit !== undefined && byHabit !== 'unsupported') return byHabit
  const habit = [habits.names, habits.values]
    .map((table) => table.get(name.toLowerCase()))
    .find((one) => one && known.includes(one))
  const meant = habit ?? nearest(name, known) ?? (known.length === 0 ? withoutUnit(name) : undefined)
  if (meant === undefined) return undefined
  const given = options.find(({ value, valueIndex }) => valueIndex !== undefined && value?.split(',').includes(name))
  if (given?.value !== undefined && given.valueIndex !== undefined) {
    const names = given.value.split(',').map((one) => (one === name ? meant : one))
    return withEnd(argv, given.valueIndex, given.value, names.join(','))
  }
  const operand = operands.find(({ text }) => text === name)
  if (operand !== undefined) return edited(argv, { [operand.index]: [meant] })
  return option === undefined ? undefined : [option, meant, ...argv]
}

/** The words of the page that `petstore help WORDS` most likely means; none if nothing is close. */
export function fixHelpWords(program: AnyCommand, words: Argv): Argv {
  const names = topics.map(({ name }) => name)
  const typed = words.join('-').toLowerCase()
  const topic = habits.topics.get(typed) ?? nearest(typed, names)
  return topic === undefined ? nearestPath(program, words) : [topic]
}

function nearestPath(program: AnyCommand, words: Argv, fixesLeft = 3): Argv {
  const line = readArgv(program, words)
  if (line.stray === undefined) return pathBelow(line.command).split(' ')
  const fix = fixesLeft > 0 ? fixStray(line, line.stray) : undefined
  return fix === undefined ? [] : nearestPath(program, fix, fixesLeft - 1)
}

/** The options that have an effect on a command. */
const optionsOf = (command: AnyCommand): readonly Option[] => [...ownOptions(command), ...sharedOptions(command)]
