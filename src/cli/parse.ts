import {
  type Argument,
  InvalidArgumentError,
  type Option,
  type OptionValues
} from '@commander-js/extra-typings'
import { type AnyCommand, areExclusive, problemWith } from '../commands/declare.ts'
import { Failure } from '../failure.ts'
import type { PartialSettings } from '../settings/settings.ts'
import type { SettingName } from '../settings/table.ts'
import {
  argumentAt,
  type CommandLine,
  isRepeatable,
  longMeant,
  type Mistake,
  readArgv,
  type TypedOption,
  takesValue,
  typedOption,
  type Word
} from './argv.ts'
import { misfitIn, settingOf, withFormat } from './shared-options.ts'
import { isGroup } from './tree.ts'

/** A command line, and what it asks for. */
export interface ParsedLine {
  readonly typed: CommandLine
  readonly flags: PartialSettings
  /** Printed instead of running the command. */
  readonly page?: 'help' | 'group' | 'version' | undefined
  readonly mistake?: Mistake | undefined
  readonly values?: { readonly options: OptionValues; readonly args: readonly unknown[] }
}

/**
 * Parsing touches neither disk nor network, and never fails: the first mistake is part of the
 * result.
 */
export function parseArgv(program: AnyCommand, argv: readonly string[]): ParsedLine {
  const typed = readArgv(program, argv)
  // Other programs read it as `--version`. Nothing is shown in detail, not even this error.
  if (/^(-v+|--verbose)$/.test(argv.join(' '))) {
    const message = '--verbose needs a command, whose requests it shows'
    const failure = new Failure('usage', message, { hint: 'petstore --version' })
    return { typed, flags: {}, mistake: { kind: 'refused', failure } }
  }
  const mistakes = [...misplacedIn(typed)]
  const { options, flags } = readOptions(typed, mistakes)
  const page = pageFor(typed, mistakes)
  if (page !== undefined) return { typed, flags, page }
  const args = readArguments(typed, mistakes)
  const [mistake = misfitIn(typed, flags)] = mistakes
  return { typed, flags, mistake, values: { options, args } }
}

function pageFor(line: CommandLine, mistakes: readonly Mistake[]): ParsedLine['page'] {
  const isHelp = typedOption(line, '--help') !== undefined
  if (isHelp && line.stray === undefined) return 'help'
  if (typedOption(line, '--version') !== undefined) return 'version'
  return mistakes.length === 0 && isGroup(line.command) ? 'group' : undefined
}

/** Words and options that are not known where they stand. */
function* misplacedIn(line: CommandLine): Generator<Mistake> {
  const { argv, command, options, unknownOptions, stray } = line
  for (const word of [...options.map(({ flag }) => flag), ...unknownOptions]) {
    if (word.text === argv[word.index] && longMeant(command, word.text) !== undefined)
      yield { kind: 'unknown option', word }
  }
  const [unknown] = unknownOptions
  if (unknown !== undefined && (stray === undefined || unknown.index < stray.index))
    yield { kind: 'unknown option', word: unknown }
  if (stray !== undefined) yield { kind: 'unknown command', word: stray }
}

/**
 * The values of the options, and those of shared ones as settings. An invalid value is left out,
 * and the other options still decide the form of its error.
 */
function readOptions({ command, options: typed }: CommandLine, mistakes: Mistake[]) {
  // Commander has the defaults.
  const options: OptionValues = { ...command.opts() }
  const flags: Partial<Record<SettingName, unknown>> = {}
  // One option may be given thousands of times.
  const given = new Set<Option>()
  for (const one of typed) {
    const { option } = one
    const name = option.attributeName()
    const before = options[name]
    const read = readOption(one, before, mistakes)
    if (read === undefined) continue
    const setting = settingOf(option)
    if (setting !== undefined) flags[setting] = read
    const isSecond = given.has(option)
    given.add(option)
    if (!command.options.includes(option)) continue
    options[name] = read
    const isOther = isSecond && String(before) !== String(read)
    if (isOther && !isRepeatable(option)) mistakes.push({ kind: 'given twice', option })
  }
  for (const option of given) {
    const other = [...given].find(candidate => areExclusive(option, candidate))
    if (other !== undefined) mistakes.push({ kind: 'conflict', options: [option, other] })
  }
  const unset = command.options.find(option => option.mandatory && !given.has(option))
  if (unset !== undefined) mistakes.push({ kind: 'missing option', option: unset })
  return { options, flags: withFormat(flags as PartialSettings) }
}

/** Undefined if its value is a mistake. */
function readOption(
  { option, flag, value }: TypedOption,
  before: unknown,
  mistakes: Mistake[]
): unknown {
  const { required, negate, presetArg } = option
  if (required && value === undefined) {
    mistakes.push({ kind: 'no value', option })
    return undefined
  }
  if (value !== undefined && !takesValue(option)) {
    mistakes.push({ kind: 'needless value', option, word: flag })
    return undefined
  }
  // The value of `--watch` without seconds, and of `--no-color`.
  const preset = typeof presetArg === 'string' ? { ...flag, text: presetArg } : undefined
  const word = value ?? preset
  return word === undefined ? !negate : readValue(option, word, before, mistakes)
}

/**
 * `api /pets`: one argument is left out, because it is optional and refuses the first word.
 */
function readArguments({ command, operands }: CommandLine, mistakes: Mistake[]): unknown[] {
  const { registeredArguments: declared } = command
  const [first] = declared
  const [operand] = operands
  const isShort = first?.required === false && operands.length < declared.length
  const problem = problemWith(text => first?.parseArg?.(text, undefined))
  const isSkipped = isShort && operand !== undefined && problem(operand.text) !== undefined
  const words = isSkipped ? [undefined, ...operands] : operands
  const missing = declared.slice(words.length).find(({ required }) => required)
  if (missing !== undefined) mistakes.push({ kind: 'missing argument', argument: missing })
  const excess = operands.filter((_, index) => argumentAt(command, index) === undefined)
  if (excess.length > 0) mistakes.push({ kind: 'excess words', words: excess })
  return declared.map((argument, index) => {
    if (argument.variadic) return words.slice(index).map(word => word?.text)
    const word = words[index]
    return word && readValue(argument, word, undefined, mistakes)
  })
}

function readValue(
  declared: Option | Argument,
  value: Word,
  before: unknown,
  mistakes: Mistake[]
): unknown {
  try {
    return declared.parseArg === undefined ? value.text : declared.parseArg(value.text, before)
  } catch (error) {
    if (error instanceof Failure) mistakes.push({ kind: 'refused', failure: error })
    else if (!(error instanceof InvalidArgumentError)) throw error
    else mistakes.push({ kind: 'invalid value', declared, value, expected: error.message })
    return undefined
  }
}
