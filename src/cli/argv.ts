import type { Option } from '@commander-js/extra-typings'
import type { AnyCommand } from '../commands/declare.ts'
import { commandLine, type HintOptions } from '../platform/shell.ts'
import { commandPath, isCalled } from './tree.ts'

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
  /**
   * Undefined if it takes none, or if the command line ends before it. For `--limit=5` its index is that of the flag.
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
  readonly hasHelpOption: boolean
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
 * Reads argv as commander would, but to its end: commander stops at the first mistake, and a wrong or unfinished
 * command line can still ask for help, for JSON or for completion. Like commander, it takes the shared options first,
 * wherever they stand, so an option of a command never takes one of them as its value.
 */
export function readArgv(program: AnyCommand, argv: readonly string[]): CommandLine {
  const all = argv.map((text, index) => ({ text, index }))
  const shared: TypedOption[] = []
  const rest: Word[] = []
  for (const part of partsOf(all, () => program)) {
    if ('option' in part) shared.push(part)
    else rest.push(part)
  }

  let command = program
  let stray: Word | undefined
  let isLiteral = false
  let hasHelpOption = false
  const words: Word[] = []
  const operands: Word[] = []
  const own: TypedOption[] = []
  const unknownOptions: Word[] = []
  for (const part of partsOf(rest, () => command)) {
    if ('option' in part) own.push(part)
    else if (isLiteral || !isFlag(part.text, argumentAt(command, operands.length))) {
      words.push(part)
      const child = stray === undefined ? childNamed(command, part.text) : undefined
      if (child !== undefined) command = child
      else if (command.commands.length > 0) stray ??= part
      else operands.push(part)
    } else if (part.text === '--') isLiteral = true
    else if (part.text === '--help' || part.text.startsWith('-h')) hasHelpOption = true
    else unknownOptions.push(part)
  }

  const options = [...shared, ...own]
  const next = argumentAt(command, operands.length)
  return {
    argv,
    command,
    words,
    stray,
    operands,
    options,
    unknownOptions,
    hasHelpOption,
    unfinished: [...own, ...shared].find(({ option, value }) => option.required && value === undefined)?.option,
    conflict: conflictIn(options.map(({ option }) => option)),
    missing: next?.required ? next : undefined,
    excess: operands.filter((_, index) => argumentAt(command, index) === undefined),
    isLiteral,
  }
}

/**
 * The same command for a hint, with some options changed or left out. The caller passes the files. Not for a command
 * whose options hold secrets or can be repeated.
 */
export function retyped({ command, options }: CommandLine, change: HintOptions, paths: readonly string[]): string {
  const inOrder = options.toSorted((one, other) => one.flag.index - other.flag.index)
  const typed = inOrder.map(({ option, value }) => [option.long, value?.text ?? true])
  return commandLine(commandPath(command), { paths, options: { ...Object.fromEntries(typed), ...change } })
}

/** The argument that takes an operand. */
const argumentAt = ({ registeredArguments }: AnyCommand, index: number) =>
  registeredArguments[index] ?? registeredArguments.find(({ variadic }) => variadic)

/** An option of the command or of one above it. */
export function findOption(command: AnyCommand, flag: string): Option | undefined {
  return optionNamed(command, flag) ?? (command.parent === null ? undefined : findOption(command.parent, flag))
}

/** The options of a command, and all other words. The words before an option may change which command that is. */
function* partsOf(words: readonly Word[], command: () => AnyCommand): Generator<TypedOption | Word> {
  const left = [...words]
  let isLiteral = false
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    isLiteral ||= word.text === '--'
    const option = isLiteral || !word.text.startsWith('-') ? undefined : readOption(command(), word, left)
    yield option ?? word
  }
}

/** A negative number is not an option where an argument can stand. */
const isFlag = (text: string, argument: CommandLine['missing']) =>
  text.startsWith('-') && text !== '-' && (argument === undefined || !/^-(\d+|\d*\.\d+)(e[+-]?\d+)?$/.test(text))

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
