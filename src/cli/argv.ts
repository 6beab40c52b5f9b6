import type { Argument, Option } from '@commander-js/extra-typings'
import { type AnyCommand, JoinedOption } from '../commands/declare.ts'
import type { Failure } from '../failure.ts'
import { isCalled, isGroup } from './tree.ts'

/**
 * A word of the command line. Combined letters (`-qv`) become several words with the same index.
 */
export interface Word {
  readonly text: string
  /** Its index in argv. */
  readonly index: number
}

/** An option on the command line. */
export interface TypedOption {
  readonly option: Option
  readonly flag: Word
  /** Undefined if none follows. For `--limit=5` its index is that of the flag. */
  readonly value: Word | undefined
}

/** A command line, split by the declarations of the tree and not checked. */
export interface CommandLine {
  readonly argv: readonly string[]
  /** The command that the words name, or the last group before a stray word. */
  command: AnyCommand
  /** All words but options and their values. */
  words: Word[]
  /** The first word that is not a command where one is required. */
  stray: Word | undefined
  /** The words after the command. */
  operands: Word[]
  options: TypedOption[]
  unknownOptions: Word[]
  /** Whether `--` has ended the options. */
  isLiteral: boolean
}

/**
 * What is wrong with a command line. The words are in `mistake-text.ts`, the hint in
 * `suggestion.ts`.
 */
export type Mistake =
  | { readonly kind: 'unknown option' | 'unknown command'; readonly word: Word }
  | { readonly kind: 'needless value'; readonly option: Option; readonly word: Word }
  | { readonly kind: 'no value' | 'missing option' | 'given twice'; readonly option: Option }
  | {
      readonly kind: 'invalid value'
      readonly declared: Option | Argument
      readonly value: Word
      readonly expected: string
    }
  | { readonly kind: 'conflict'; readonly options: readonly [Option, Option] }
  | { readonly kind: 'missing argument'; readonly argument: Argument }
  | { readonly kind: 'excess words'; readonly words: readonly Word[] }
  /** Found by a check that has a message of its own. */
  | { readonly kind: 'refused'; readonly failure: Failure }

/**
 * Reads argv to its end, whatever it contains: a wrong or unfinished command line can still ask for
 * help, for JSON or for completion. docs/decisions.md says why commander does not parse.
 */
export function readArgv(program: AnyCommand, argv: readonly string[]): CommandLine {
  const line: CommandLine = {
    argv,
    command: program,
    words: [],
    stray: undefined,
    operands: [],
    options: [],
    unknownOptions: [],
    isLiteral: false
  }
  for (let index = 0; index < argv.length; index += 1) {
    const word = { text: argv[index] ?? '', index }
    const argumentHere = argumentAt(line.command, line.operands.length)
    if (line.isLiteral || !isFlag(word.text, argumentHere)) addWord(line, word)
    else if (word.text === '--') line.isLiteral = true
    else if (word.text.startsWith('--')) addLongOption(line, word)
    else addLetters(line, word)
    const newest = line.options.at(-1)
    const hasTakenNext = newest?.value?.index === index + 1
    if (hasTakenNext) index += 1
  }
  return line
}

function addWord(line: CommandLine, word: Word): void {
  const { command, stray, words, operands } = line
  words.push(word)
  const child = stray ? undefined : command.commands.find(each => isCalled(each, word.text))
  if (child !== undefined) line.command = child
  else if (isGroup(command)) line.stray ??= word
  else operands.push(word)
}

function addLongOption(line: CommandLine, word: Word): void {
  const [, name = '', glued] = /^(--[^=]*)(?:=(.*))?$/s.exec(word.text) ?? []
  const option = findOption(line.command, name)
  if (option === undefined) line.unknownOptions.push(word)
  else addOption(line, option, word, glued)
}

/** One or more options of one letter, up to one that is unknown or takes the rest as its value. */
function addLetters(line: CommandLine, { text, index }: Word): void {
  for (let start = 1; start < text.length; start += 1) {
    const flag = { text: `-${text.slice(start)}`, index }
    const option = findOption(line.command, `-${text[start]}`)
    if (option === undefined) {
      line.unknownOptions.push(flag)
      return
    }
    const isLast = takesValue(option)
    const rest = isLast ? text.slice(start + 1) : ''
    addOption(line, option, flag, rest === '' ? undefined : rest)
    if (isLast) return
  }
}

function addOption(
  { argv, command, options }: CommandLine,
  option: Option,
  flag: Word,
  glued: string | undefined
): void {
  const index = flag.index + 1
  const next = { text: argv[index] ?? '--', index }
  const following = canFollow(command, option, next.text) ? next : undefined
  const value = glued === undefined ? following : { text: glued, index: flag.index }
  options.push({ option, flag, value })
}

/** The argument that takes an operand. */
export const argumentAt = ({ registeredArguments }: AnyCommand, index: number) =>
  registeredArguments[index] ?? registeredArguments.find(({ variadic }) => variadic)

/** An option of the command or of one above it. */
export function findOption(command: AnyCommand, flag: string): Option | undefined {
  const own = command.options.find(({ short, long }) => short === flag || long === flag)
  if (own !== undefined) return own
  const { parent } = command
  return parent === null ? undefined : findOption(parent, flag)
}

/** The last one counts if an option is typed several times. */
export function typedOption({ options }: CommandLine, flag: string): TypedOption | undefined {
  return options.findLast(({ option }) => option.long === flag)
}

/** The one directly after another. */
export function wordAfter(words: readonly Word[], { index }: Word): Word | undefined {
  return words.find(word => word.index === index + 1)
}

/** The environment that the line names, as an argument or with `--env`. */
export function environmentIn(line: CommandLine): string | undefined {
  const { command, operands } = line
  const isNamed = command.registeredArguments[0]?.name() === 'environment'
  const typed = isNamed ? operands[0] : typedOption(line, '--env')?.value
  return typed?.text
}

/** Whether an option collects the values of each time that it is typed. */
export function isRepeatable({ defaultValue }: Option): boolean {
  return Array.isArray(defaultValue)
}

/** `-env local` would be read as `-e nv`, and `-CategoryId 2` of PowerShell as `-C`. */
export function longMeant(command: AnyCommand, text: string): Option | undefined {
  const name = text.length < 40 ? /^-([a-z][a-z-]+)/i.exec(text)?.[1] : undefined
  return name === undefined ? undefined : findOption(command, longFlag(name))
}

/** The form of an option's name: `--category-id` for `categoryId`. */
export function longFlag(name: string): string {
  const words = name.replace(/([a-z])([A-Z])/g, '$1-$2').replaceAll('_', '-')
  return `--${words.toLowerCase()}`
}

/** A negative number is not an option where an argument can stand. */
function isFlag(text: string, argument: ReturnType<typeof argumentAt>): boolean {
  if (!text.startsWith('-') || text === '-') return false
  const isNumber = /^-(\d+|\d*\.\d+)(e[+-]?\d+)?$/.test(text)
  return argument === undefined || !isNumber
}

export function takesValue({ required, optional }: Option): boolean {
  return required || optional
}

/**
 * Whether a word can be the value of an option. Another option cannot: after `--name --status`, the
 * name is missing.
 */
function canFollow(command: AnyCommand, option: Option, next: string): boolean {
  if (option instanceof JoinedOption) return false
  if (!next.startsWith('-')) return takesValue(option)
  const isOption = next.startsWith('--') || findOption(command, next.slice(0, 2)) !== undefined
  return option.required && !isOption
}
