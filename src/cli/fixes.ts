import type { Option } from '@commander-js/extra-typings'
import type { AnyCommand } from '../commands/declare.ts'
import type { UnknownName } from '../failure.ts'
import { environmentNames } from '../settings/saved-state.ts'
import { type CommandLine, readArgv, type Word } from './argv.ts'
import * as habits from './habits.ts'
import { nearest } from './nearest.ts'
import { effectiveOptions } from './shared-options.ts'
import { topics } from './topics.ts'
import { childrenOf, leavesOf, pathBelow, rootOf } from './tree.ts'

export type Argv = readonly string[]

/** Replaces words of argv, by index. An empty replacement removes its word. */
const edited = (argv: Argv, changes: Readonly<Record<number, Argv>>): Argv =>
  argv.flatMap((word, index) => changes[index] ?? [word])

/** Replaces the first words of the command line, wherever options stand between them. */
function withFirstWords(argv: Argv, words: readonly Word[], meant: readonly string[]): Argv {
  const [first, ...rest] = words
  if (first === undefined) return argv
  return edited(argv, { ...Object.fromEntries(rest.map(({ index }) => [index, []])), [first.index]: meant })
}

/** Replaces the end of a word: of `--status=Sold`, the value. */
function withEnd(argv: Argv, { text, index }: Word, end: string): Argv {
  const word = argv[index] ?? ''
  return edited(argv, { [index]: [word.slice(0, word.length - text.length) + end] })
}

/** A word that is not a command where a command is expected. */
export function fixStray({ argv, command, words }: CommandLine, stray: Word): Argv | undefined {
  const path = pathBelow(command)
  if (habits.unsupported.has(`${path} ${stray.text}`.trim().toLowerCase())) return undefined
  const replacedBy = (...meant: readonly string[]) => edited(argv, { [stray.index]: meant })
  if (stray.text === 'help') return [...replacedBy(), '--help']
  if (stray.text === rootOf(command).name()) return replacedBy()
  const siblings = childrenOf(command).map((child) => child.name())
  const sibling = nearest(stray.text, siblings)
  if (sibling !== undefined) return replacedBy(sibling)
  const elsewhere = commandElsewhere(command, stray.text)
  if (elsewhere !== undefined) {
    return withFirstWords(argv, words.slice(0, words.indexOf(stray) + 1), pathBelow(elsewhere).split(' '))
  }
  if (path === 'messages') return replacedBy('send', stray.text)
  return path === 'pets' && /^\d+$/.test(stray.text) ? replacedBy('get', stray.text) : undefined
}

/** The first words of the command line, as other programs would understand them. */
export function fixByHabit({ argv, words }: CommandLine): Argv | undefined {
  for (let count = Math.min(3, words.length); count > 0; count -= 1) {
    const first = words.slice(0, count)
    const meant = habits.commands.get(first.map(({ text }) => text.toLowerCase()).join(' '))
    if (meant !== undefined) return withFirstWords(argv, first, meant.split(' '))
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
export function fixOneDash(line: CommandLine, { text, index }: Word): Argv | undefined {
  const isWord = /^-[a-z][a-z-]+/.test(text) && text === line.argv[index]
  const meant = isWord ? optionNamed(line.command, `-${text.replace(/=.*$/s, '')}`) : undefined
  return meant ? edited(line.argv, { [index]: [`-${text}`] }) : undefined
}

export const isKeyOption = (flag: string) => nearest(flag, habits.keyOptions) !== undefined && !/^-\w$/.test(flag)

export function fixUnknownOption(line: CommandLine, { text, index }: Word): Argv | undefined {
  const [, flag = '', value = ''] = /^(--[^=]+|-.)(.*)$/s.exec(text) ?? []
  const { argv, command, options: typed } = line
  if (habits.optionsForArguments[pathBelow(command)]?.includes(flag)) {
    return edited(argv, { [index]: value === '' ? [] : [value.replace(/^=/, '')] })
  }
  const habit = habits.options.get(flag.toLowerCase())
  if (habit !== undefined && optionNamed(command, habit.split(' ')[0] ?? '') !== undefined)
    return edited(argv, { [index]: (habit + value).split(' ') })
  const names = effectiveOptions(command).flatMap(({ long }) => (long === undefined ? [] : [long.slice(2)]))
  const meant = flag.startsWith('--') ? nearest(flag.slice(2), names) : undefined
  if (meant !== undefined) return edited(argv, { [index]: [`--${meant}${value}`] })
  if (!isKeyOption(flag)) return undefined
  // Neither the key nor anything else that was typed is repeated.
  const environment = typed.find(({ option }) => option.long === '--env')?.value
  return ['auth', 'login', ...(environment === undefined ? [] : ['--env', environment.text])]
}

export const optionNamed = (command: AnyCommand, name: string) =>
  effectiveOptions(command).find(({ short, long }) => long === name || short === name)

/** `--json=true` becomes `--json`; the meaning of `--json=false` is unclear. */
export function fixValue({ argv }: CommandLine, { text, index }: Word): Argv | undefined {
  return /=(true|yes|on|1)?$/i.test(text) ? edited(argv, { [index]: [text.replace(/=.*$/, '')] }) : undefined
}

/** What an option or an argument accepts. */
export type Declared = Pick<Option, 'argChoices' | 'parseArg' | 'defaultValue'> & { readonly flags?: string }

/** A value that is not one of the choices, or a time with its unit. */
export function fixInvalid({ argv }: CommandLine, declared: Declared, value: Word): Argv | undefined {
  const isTime = /[<[]seconds[>\]]/.test(declared.flags ?? '')
  const meant = isTime ? withoutUnit(value.text) : nearestChoice(declared, value.text)
  return meant === undefined ? undefined : withEnd(argv, value, meant)
}

const withoutUnit = (seconds: string) => /^(\d+(\.\d+)?) ?s\w*$/.exec(seconds)?.[1]

function nearestChoice({ argChoices = [] }: Declared, text: string): string | undefined {
  return choiceByHabit(argChoices, text) ?? nearest(text.trim(), argChoices)
}

function choiceByHabit(choices: readonly string[], text: string): string | undefined {
  const habit = habits.values.get(text.toLowerCase())
  return choices.find((choice) => choice === habit)
}

/** Too many operands, or too few. */
export function fixOperands(line: CommandLine): Argv | undefined {
  const { argv, command, operands, excess } = line
  const path = pathBelow(command)
  const [first] = operands
  if (path === 'api' && first?.text.startsWith('/')) return edited(argv, { [first.index]: ['GET', first.text] })
  if (path === 'messages send' && first !== undefined) {
    return withFirstWords(argv, operands, [operands.map(({ text }) => text).join(' ')])
  }
  if (path === 'config set' && first?.text.includes('='))
    return edited(argv, { [first.index]: first.text.split('=', 2) })
  return excess.length === 0 ? undefined : asOptions(line)
}

/** Adds the missing option before each operand; undefined if one of them fits no option. */
function asOptions({ argv, command, options, words, excess }: CommandLine): Argv | undefined {
  const path = pathBelow(command)
  const taking = ['--env', ...(habits.optionsForOperands[path] ?? [])].flatMap(
    (long) => optionNamed(command, long) ?? [],
  )
  const used = new Set(options.map(({ option }) => option))
  const changes: Record<number, readonly string[]> = {}
  /** By the index of the last word of a value: its option, and the index of its first word. */
  const values = new Map(options.map(({ option, value }) => [value?.index, { option, start: value?.index }]))
  for (const { text, index } of excess) {
    if (text === 'help') return edited(argv, { [index]: ['--help'] })
    if (/^[–—]/.test(text)) return edited(argv, { [index]: [text.replace(/^[–—]+/, '--')] })
    if (path === 'pets add' && /\.(csv|ndjson|jsonl)$/i.test(text))
      return withFirstWords(argv, words.slice(0, 2), ['pets', 'import'])
    const assigned = fromAssignment(command, text)
    if (assigned !== undefined) {
      const { option, value } = assigned
      if (!option.required || used.has(option) || !accepts(option, value)) return undefined
      used.add(option)
      changes[index] = [option.long ?? '', value]
      continue
    }
    const option = taking.find((candidate) => {
      const canRepeat = Array.isArray(candidate.defaultValue)
      return (canRepeat || !used.has(candidate)) && accepts(candidate, text)
    })
    const before = values.get(index - 1)
    const joint = joints[before?.option.long ?? '']
    if (option !== undefined) {
      used.add(option)
      values.set(index, { option, start: index })
      changes[index] = [option.long ?? '', nearestChoice(option, text) ?? text]
    } else if (before?.start !== undefined && joint !== undefined) {
      const value = changes[before.start] ?? [argv[before.start] ?? '']
      changes[before.start] = [...value.slice(0, -1), `${value.at(-1)}${joint}${text}`]
      changes[index] = []
      values.set(index, before)
    } else if (canDrop.has(path)) changes[index] = []
    else return undefined
  }
  return edited(argv, changes)
}

/** `categoryId=1` is `--category-id 1`, where the command has that option. */
function fromAssignment(command: AnyCommand, text: string): { option: Option; value: string } | undefined {
  const [, name = '', value] = /^([a-z][\w-]*)=(.+)$/is.exec(text) ?? []
  const long = `--${name.replace(/([a-z])([A-Z])/g, '$1-$2').toLowerCase()}`
  const option = optionNamed(command, long)
  return option === undefined || value === undefined ? undefined : { option, value }
}

/** The character that joins the words of a value: `--name Sir Waddles` lacks quotes, `--fields id name` a comma. */
const joints: Readonly<Record<string, string>> = { '--name': ' ', '--fields': ',' }

/** An operand of `auth login` may be a key, and `env list` lists every environment anyway. */
const canDrop: ReadonlySet<string> = new Set(['auth login', 'env list'])

function accepts({ argChoices, flags, long, parseArg }: Option, text: string): boolean {
  if (argChoices !== undefined) return nearestChoice({ argChoices }, text) !== undefined
  if (long === '--file') return /\.json$/i.test(text)
  if (long === '--env') return environmentNames({}).includes(text)
  if (/<url>/.test(flags)) return /^https?:\/\//.test(text)
  // A pet in JSON is no name.
  if (long === '--name') return !/^\s*[{[]/.test(text)
  if (/<key=/.test(flags)) return /^[^=]+=/.test(text)
  try {
    parseArg?.(text, undefined)
    return true
  } catch {
    return false
  }
}

/** The name of an environment, a setting or a field that does not exist. */
export function fixUnknownName(line: CommandLine, { name, known, option }: UnknownName): Argv | undefined {
  const { argv, options, operands } = line
  const meant =
    choiceByHabit(known, name) ?? nearest(name, known) ?? (known.length === 0 ? withoutUnit(name) : undefined)
  if (meant === undefined) return undefined
  const value = options.map((typed) => typed.value).find((typed) => typed?.text.split(',').includes(name))
  if (value !== undefined) {
    const names = value.text.split(',').map((one) => (one === name ? meant : one))
    return withEnd(argv, value, names.join(','))
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
  const fix = fixesLeft > 0 ? (fixByHabit(line) ?? fixStray(line, line.stray)) : undefined
  return fix === undefined ? [] : nearestPath(program, fix, fixesLeft - 1)
}
