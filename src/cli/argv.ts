import type { Option } from '@commander-js/extra-typings'
import type { AnyCommand } from '../commands/declare.ts'
import { isCalled } from './tree.ts'

/** An option as it stands on the command line. */
export interface TypedOption {
  readonly option: Option
  /** Undefined if it takes none, or if the command line ends before it. */
  readonly value: string | undefined
}

/** A command line, taken apart by what the tree declares and checked against nothing. */
export interface CommandLine {
  /** The command that the words lead to, as far as they lead. */
  readonly command: AnyCommand
  /** The first word that is not a command where only a command can stand. */
  readonly stray: string | undefined
  /** The words behind the command that belong to no option. */
  readonly operands: readonly string[]
  readonly options: readonly TypedOption[]
  readonly wantsHelp: boolean
  /** The last option, if its value is still missing. */
  readonly unfinished: Option | undefined
  /** Whether `--` has ended the options. */
  readonly isLiteral: boolean
}

/**
 * Reads argv in the way commander does, but to its end: commander stops at the first mistake, and a command line that is
 * wrong or unfinished still asks for help, for JSON or for completion. Like commander, it takes the shared options first,
 * wherever they stand: no option of a command has one of them as its value.
 */
export function readArgv(program: AnyCommand, argv: readonly string[]): CommandLine {
  const shared = takeSharedOptions(program, argv)
  const own = readWords(program, shared.rest)
  return {
    ...own,
    options: [...shared.options, ...own.options],
    unfinished: own.unfinished ?? unfinishedOf(shared.options),
  }
}

/** An option of the command or of one above it. */
export function findOption(command: AnyCommand, flag: string): Option | undefined {
  return optionNamed(command, flag) ?? (command.parent === null ? undefined : findOption(command.parent, flag))
}

function takeSharedOptions(program: AnyCommand, argv: readonly string[]) {
  const options: TypedOption[] = []
  const rest: string[] = []
  const words = [...argv]
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === '--') {
      rest.push(word, ...words.splice(0))
    } else {
      const typed = word.startsWith('-') ? readOption(program, word, words) : undefined
      if (typed === undefined) rest.push(word)
      else options.push(typed)
    }
  }
  return { options, rest }
}

function readWords(program: AnyCommand, words: string[]): CommandLine {
  let command = program
  let stray: string | undefined
  let isLiteral = false
  let wantsHelp = false
  const operands: string[] = []
  const options: TypedOption[] = []
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (isLiteral || word === '-' || !word.startsWith('-')) {
      const child = stray === undefined ? childNamed(command, word) : undefined
      if (child !== undefined) command = child
      else if (command.commands.length > 0) stray ??= word
      else operands.push(word)
    } else if (word === '--') {
      isLiteral = true
    } else {
      wantsHelp ||= word === '--help' || /^-h/.test(word)
      const typed = readOption(command, word, words)
      if (typed !== undefined) options.push(typed)
    }
  }
  return { command, stray, operands, options, wantsHelp, unfinished: unfinishedOf(options), isLiteral }
}

/** One option of the command itself; of letters together, the others go back to the words. */
function readOption(command: AnyCommand, word: string, words: string[]): TypedOption | undefined {
  const isLong = word.startsWith('--')
  const [, flag = '', glued] = (isLong ? /^(--[^=]*)(?:=(.*))?$/s : /^(-.)(.+)?$/s).exec(word) ?? []
  const option = optionNamed(command, flag)
  if (option === undefined) return undefined
  if (option.required || option.optional) return { option, value: glued ?? nextValue(option, words) }
  if (glued !== undefined && isLong) return undefined
  if (glued !== undefined) words.unshift(`-${glued}`)
  return { option, value: undefined }
}

function nextValue(option: Option, words: string[]): string | undefined {
  if (option.required) return words.shift()
  return words[0] !== undefined && !words[0].startsWith('-') ? words.shift() : undefined
}

function unfinishedOf(options: readonly TypedOption[]): Option | undefined {
  const last = options.at(-1)
  return last?.option.required && last.value === undefined ? last.option : undefined
}

const optionNamed = (command: AnyCommand, flag: string) =>
  command.options.find(({ short, long }) => short === flag || long === flag)

const childNamed = (command: AnyCommand, word: string) => command.commands.find((child) => isCalled(child, word))
