import type { Argument, Option } from '@commander-js/extra-typings'
import { type AnyCommand, JoinedOption, optionNotes } from '../commands/declare.ts'
import type { Failure } from '../failure.ts'
import { commandLine, type HintOptions } from '../platform/shell.ts'
import { commandPath, isCalled, isGroup, optionsUnder, rootOf } from './tree.ts'

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
  /**
   * Undefined if it takes none, or if none follows. For `--limit=5` its index is that of the flag.
   */
  readonly value: Word | undefined
}

/** A command line, split by the declarations of the tree and not checked. */
export interface CommandLine {
  readonly argv: readonly string[]
  /** The command that the words name, or the last group before a stray word. */
  readonly command: AnyCommand
  /** All words but options and their values. */
  readonly words: readonly Word[]
  /** The first word that is not a command where one is required. */
  readonly stray: Word | undefined
  /** The words after the command. */
  readonly operands: readonly Word[]
  readonly options: readonly TypedOption[]
  readonly unknownOptions: readonly Word[]
  /** Whether `--` has ended the options. */
  readonly isLiteral: boolean
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
  const reader = new ArgvReader(program, argv)
  for (let index = 0; index < argv.length; index += 1) {
    const word = { text: argv[index] ?? '', index }
    reader.read(word, argv[index + 1])
    const newest = reader.options.at(-1)
    const hasTakenNext = newest?.value?.index === index + 1
    if (hasTakenNext) index += 1
  }
  return reader
}

/** The part of a command line that was read so far. */
class ArgvReader implements CommandLine {
  readonly argv: readonly string[]
  command: AnyCommand
  stray: Word | undefined
  isLiteral = false
  readonly words: Word[] = []
  readonly operands: Word[] = []
  readonly options: TypedOption[] = []
  readonly unknownOptions: Word[] = []

  constructor(program: AnyCommand, argv: readonly string[]) {
    this.argv = argv
    this.command = program
  }

  /** `next` is the word that may be the value of an option. */
  read(word: Word, next: string | undefined): void {
    const argumentHere = argumentAt(this.command, this.operands.length)
    if (this.isLiteral || !isFlag(word.text, argumentHere)) this.#readWord(word)
    else if (word.text === '--') this.isLiteral = true
    else this.#readOptions(word, next)
  }

  #readWord(word: Word): void {
    this.words.push(word)
    const { commands } = this.command
    const child = this.stray ? undefined : commands.find((each) => isCalled(each, word.text))
    if (child !== undefined) this.command = child
    else if (isGroup(this.command)) this.stray ??= word
    else this.operands.push(word)
  }

  #readOptions(word: Word, next: string | undefined): void {
    for (const part of partsOf(this.command, word, next)) {
      if ('option' in part) this.options.push(part)
      else this.unknownOptions.push(part)
    }
  }
}

/**
 * The same command for a hint, with some options changed or left out. A user may paste a hint
 * unread, so it never deletes data or sends it again. The caller passes the files. Not for a
 * command whose options hold secrets or can be repeated.
 */
export function retyped(
  { command, options }: CommandLine,
  change: HintOptions,
  paths: readonly string[],
): string {
  const harmless = options.filter(({ option }) => !optionNotes(option).isDrastic)
  const entries = harmless.map(({ option, value }) => [option.long, value?.text ?? true])
  const typed = Object.fromEntries(entries)
  return commandLine(commandPath(command), { paths, options: { ...typed, ...change } })
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
  return words.find((word) => word.index === index + 1)
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

/** The options in one word, which can be combined letters, and the part of it that is unknown. */
function* partsOf(
  command: AnyCommand,
  word: Word,
  next: string | undefined,
): Generator<TypedOption | Word> {
  const { text, index } = word
  const valueFor = (option: Option, glued: string | undefined): Word | undefined => {
    if (!takesValue(option)) return undefined
    if (glued !== undefined) return { text: glued, index }
    const isNextTaken = next !== undefined && canFollow(command, option, next)
    return isNextTaken ? { text: next, index: index + 1 } : undefined
  }
  if (text.startsWith('--')) {
    const [, name = '', glued] = /^(--[^=]*)(?:=(.*))?$/s.exec(text) ?? []
    const option = findOption(command, name)
    const isKnown = option !== undefined && (glued === undefined || takesValue(option))
    yield isKnown ? { option, flag: word, value: valueFor(option, glued) } : word
    return
  }
  for (let start = 1; start < text.length; start += 1) {
    const flag = { text: `-${text.slice(start)}`, index }
    const option = findOption(command, `-${text[start]}`)
    if (option === undefined) return yield flag
    yield { option, flag, value: valueFor(option, text.slice(start + 1) || undefined) }
    if (takesValue(option)) return
  }
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional
}

/**
 * Whether a word can be the value of an option. Another option cannot: after `--name --status`, the
 * name is missing.
 */
function canFollow(command: AnyCommand, option: Option, next: string): boolean {
  if (option instanceof JoinedOption) return false
  if (!next.startsWith('-')) return true
  return option.required && !isAnyOption(command, next)
}

/** Whether this command has an option with this letter, or any command has it by its name. */
function isAnyOption(command: AnyCommand, text: string): boolean {
  const isLong = text.startsWith('--')
  const name = isLong ? text.replace(/=.*$/s, '') : text.slice(0, 2)
  if (name === '--') return true
  if (!isLong) return findOption(command, name) !== undefined
  return optionsUnder(rootOf(command)).some(({ long }) => long === name)
}
