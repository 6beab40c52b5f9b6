import type { Option } from '@commander-js/extra-typings'
import type { AnyCommand } from '../commands/declare.ts'
import { isCalled } from './tree.ts'

/** A word of the command line. Combined letters (`-qv`) become several words with the same index. */
export interface Word {
  readonly text: string
  /** Its index in argv. */
  readonly index: number
}

/** An option on the command line. */
export interface TypedOption {
  readonly option: Option
  readonly flag: Word
  /** Undefined if it takes none, or if the command line ends before it. For `--limit=5` its index is that of the flag. */
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
  readonly wantsHelp: boolean
  /** The last option, if its value is still missing. */
  readonly unfinished: Option | undefined
  /** Two options that cannot be used together. */
  readonly conflict: readonly [Option, Option] | undefined
  /** The first required argument without an operand. */
  readonly missing: AnyCommand['registeredArguments'][number] | undefined
  /** The operands for which there is no argument. */
  readonly excess: readonly Word[]
  /** Whether `--` has ended the options. */
  readonly isLiteral: boolean
}

/**
 * Reads argv as commander would, but to its end: commander stops at the first mistake, and a wrong or unfinished command
 * line can still ask for help, for JSON or for completion. Like commander, it takes the shared options first, wherever they
 * stand, so an option of a command never takes one of them as its value.
 */
export function readArgv(program: AnyCommand, argv: readonly string[]): CommandLine {
  const shared = takeSharedOptions(
    program,
    argv.map((text, index) => ({ text, index })),
  )
  const own = readWords(program, shared.rest)
  const options = [...shared.options, ...own.options]
  const next = argumentAt(own.command, own.operands.length)
  return {
    ...own,
    argv,
    options,
    unfinished: [...own.options, ...shared.options].find(({ option, value }) => option.required && value === undefined)
      ?.option,
    conflict: conflictIn(options.map(({ option }) => option)),
    missing: next?.required ? next : undefined,
    excess: own.operands.filter((_, index) => argumentAt(own.command, index) === undefined),
  }
}

/** The argument that takes an operand. */
const argumentAt = ({ registeredArguments }: AnyCommand, index: number) =>
  registeredArguments[index] ?? registeredArguments.find(({ variadic }) => variadic)

/** An option of the command or of one above it. */
export function findOption(command: AnyCommand, flag: string): Option | undefined {
  return optionNamed(command, flag) ?? (command.parent === null ? undefined : findOption(command.parent, flag))
}

function takeSharedOptions(program: AnyCommand, words: Word[]) {
  const options: TypedOption[] = []
  const rest: Word[] = []
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word.text === '--') {
      rest.push(word, ...words.splice(0))
    } else {
      const typed = word.text.startsWith('-') ? readOption(program, word, words) : undefined
      if (typed === undefined) rest.push(word)
      else options.push(typed)
    }
  }
  return { options, rest }
}

function readWords(program: AnyCommand, rest: Word[]) {
  let command = program
  let stray: Word | undefined
  let isLiteral = false
  let wantsHelp = false
  const words: Word[] = []
  const operands: Word[] = []
  const options: TypedOption[] = []
  const unknownOptions: Word[] = []
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const { text } = word
    const isNumber = negativeNumber.test(text) && argumentAt(command, operands.length) !== undefined
    if (isLiteral || isNumber || text === '-' || !text.startsWith('-')) {
      words.push(word)
      const child = stray === undefined ? childNamed(command, text) : undefined
      if (child !== undefined) command = child
      else if (command.commands.length > 0) stray ??= word
      else operands.push(word)
    } else if (text === '--') {
      isLiteral = true
    } else {
      const isHelp = text === '--help' || /^-h/.test(text)
      wantsHelp ||= isHelp
      const typed = readOption(command, word, rest)
      if (typed !== undefined) options.push(typed)
      else if (!isHelp) unknownOptions.push(word)
    }
  }
  return { command, words, stray, operands, options, unknownOptions, wantsHelp, isLiteral }
}

/** Not an option where an argument can stand. */
const negativeNumber = /^-(\d+|\d*\.\d+)(e[+-]?\d+)?$/

/** One option of the command itself. The rest of combined letters goes back to the words. */
function readOption(command: AnyCommand, flag: Word, words: Word[]): TypedOption | undefined {
  const { text, index } = flag
  const isLong = text.startsWith('--')
  const [, name = '', glued] = (isLong ? /^(--[^=]*)(?:=(.*))?$/s : /^(-.)(.+)?$/s).exec(text) ?? []
  const option = optionNamed(command, name)
  if (option === undefined) return undefined
  if (option.required || option.optional) {
    if (glued !== undefined) return { option, flag, value: { text: glued, index } }
    const hasValue = option.required || (words[0] !== undefined && !words[0].text.startsWith('-'))
    return { option, flag, value: hasValue ? words.shift() : undefined }
  }
  if (glued !== undefined && isLong) return undefined
  if (glued !== undefined) words.unshift({ text: `-${glued}`, index })
  return { option, flag, value: undefined }
}

function conflictIn(options: readonly Option[]): CommandLine['conflict'] {
  for (const option of options) {
    // Missing from commander's types.
    const { conflictsWith } = option as Option & { conflictsWith: readonly string[] }
    const other = options.find((candidate) => conflictsWith.includes(candidate.attributeName()))
    if (other !== undefined) return [option, other]
  }
  return undefined
}

const optionNamed = (command: AnyCommand, flag: string) =>
  command.options.find(({ short, long }) => short === flag || long === flag)

const childNamed = (command: AnyCommand, word: string) => command.commands.find((child) => isCalled(child, word))
