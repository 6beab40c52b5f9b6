import {
  type Argument,
  InvalidArgumentError,
  type Option,
  type OptionValues,
} from '@commander-js/extra-typings'
import {
  type AnyCommand,
  areExclusive,
  asDeclared,
  type DeclaredCommand,
  type Values,
} from '../commands/declare.ts'
import { Failure } from '../failure.ts'
import type { SettingFlags } from '../settings/settings.ts'
import {
  argumentAt,
  type CommandLine,
  findOption,
  isRepeatable,
  longMeant,
  type Mistake,
  readArgv,
  typedOption,
  type Word,
} from './argv.ts'
import { misfitIn, readFlags, settingOf } from './shared-options.ts'
import { isGroup } from './tree.ts'

/** A command line, and what it asks for. */
export interface ParsedLine {
  readonly typed: CommandLine
  readonly flags: SettingFlags
  readonly result:
    | 'help'
    | 'group'
    | 'version'
    | { readonly command: DeclaredCommand; readonly values: Values }
    | { readonly mistake: Mistake }
}

/**
 * Parsing touches neither disk nor network, and never fails: the first mistake is part of the
 * result.
 */
export function parseArgv(program: AnyCommand, argv: readonly string[]): ParsedLine {
  const typed = readArgv(program, argv)
  // Without a command, nothing is shown in detail, not even the error.
  const flags = isVerboseAlone(typed) ? {} : readFlags(typed.options)
  return { typed, flags, result: parsedResult(typed, flags) }
}

function parsedResult(line: CommandLine, flags: SettingFlags): ParsedLine['result'] {
  const { command, stray } = line
  const isHelp = typedOption(line, '--help') !== undefined
  if (isHelp && stray === undefined) return 'help'
  if (typedOption(line, '--version') !== undefined) return 'version'
  const mistakes = [...misplacedIn(line)]
  const options = readOptions(line, mistakes)
  if (mistakes.length === 0 && isGroup(command))
    return isVerboseAlone(line) ? { mistake: verboseAlone() } : 'group'
  mistakes.push(...miscountedIn(line))
  const args = readArguments(line, mistakes)
  const [mistake = misfitIn(line, flags)] = mistakes
  return mistake === undefined
    ? { command: asDeclared(command), values: { options, args } }
    : { mistake }
}

/** `petstore -v`, which other programs read as `--version`. */
const isVerboseAlone = ({ words, options, unknownOptions }: CommandLine) =>
  words.length + unknownOptions.length === 0 &&
  options.length > 0 &&
  options.every(({ option }) => settingOf(option) === 'verbose')

const verboseAlone = (): Mistake => ({
  kind: 'refused',
  failure: new Failure('usage', '--verbose needs a command, whose requests it shows', {
    hint: 'petstore --version',
  }),
})

/** Words and options that are not known where they stand. */
function* misplacedIn({
  argv,
  command,
  options,
  unknownOptions,
  stray,
}: CommandLine): Generator<Mistake> {
  for (const word of [...options.map(({ flag }) => flag), ...unknownOptions]) {
    if (word.text === argv[word.index] && longMeant(command, word.text) !== undefined)
      yield { kind: 'unknown option', word }
  }
  const [unknown] = unknownOptions
  if (unknown !== undefined && (stray === undefined || unknown.index < stray.index)) {
    const [flag = '', value] = unknown.text.split('=')
    const option = value === undefined ? undefined : findOption(command, flag)
    yield option === undefined
      ? { kind: 'unknown option', word: unknown }
      : { kind: 'needless value', option, word: unknown }
  }
  if (stray !== undefined) yield { kind: 'unknown command', word: stray }
  for (const { option, value } of options) {
    if (option.required && value === undefined) yield { kind: 'no value', option }
  }
}

/** Options that exclude each other, and too few or too many words after the command. */
function* miscountedIn({ command, options, operands }: CommandLine): Generator<Mistake> {
  // One option may be given thousands of times.
  const given = new Set(options.map(({ option }) => option))
  for (const option of given) {
    const other = [...given].find((candidate) => areExclusive(option, candidate))
    if (other !== undefined) yield { kind: 'conflict', options: [option, other] }
  }
  const unset = command.options.find((option) => option.mandatory && !given.has(option))
  if (unset !== undefined) yield { kind: 'missing option', option: unset }
  const skipped = skippedIn(command, operands)
  const remaining = command.registeredArguments.slice(operands.length + skipped)
  const missing = remaining.find(({ required }) => required)
  if (missing !== undefined) yield { kind: 'missing argument', argument: missing }
  const words = operands.filter((_, index) => argumentAt(command, index + skipped) === undefined)
  if (words.length > 0) yield { kind: 'excess words', words }
}

/**
 * The values of the command's own options. Those of shared options are settings; here they are only
 * checked.
 */
function readOptions({ command, options }: CommandLine, mistakes: Mistake[]): OptionValues {
  // Commander has the defaults.
  const values: OptionValues = { ...command.opts() }
  const seen = new Map<Option, unknown>()
  for (const { option, value } of options) {
    // Its value is missing, which is a mistake already.
    if (option.required && value === undefined) continue
    const name = option.attributeName()
    const word = value ?? presetOf(option)
    const read =
      word === undefined ? !option.negate : readValue(option, word, mistakes, values[name])
    if (!command.options.includes(option)) continue
    values[name] = read
    if (isRepeatable(option)) continue
    if (String(seen.get(option) ?? read) !== String(read))
      mistakes.push({ kind: 'given twice', option })
    seen.set(option, read)
  }
  return values
}

/** The value of `--watch` without seconds. */
function presetOf({ optional, presetArg }: Option): Word | undefined {
  return optional && typeof presetArg === 'string' ? { text: presetArg, index: -1 } : undefined
}

function readArguments({ command, operands }: CommandLine, mistakes: Mistake[]): unknown[] {
  const skipped = skippedIn(command, operands)
  return command.registeredArguments.map((argument, index) => {
    if (argument.variadic) return operands.slice(index).map(({ text }) => text)
    const operand = operands[index - skipped]
    return operand && readValue(argument, operand, mistakes)
  })
}

/** `api /pets`: one argument is left out, because it is optional and refuses the first word. */
function skippedIn({ registeredArguments }: AnyCommand, operands: readonly Word[]): 0 | 1 {
  const [argument] = registeredArguments
  const [operand] = operands
  const isShort = operands.length < registeredArguments.filter(({ variadic }) => !variadic).length
  if (argument === undefined || argument.required || operand === undefined || !isShort) return 0
  const refusal: Mistake[] = []
  readValue(argument, operand, refusal)
  return refusal.length === 0 ? 0 : 1
}

function readValue(
  declared: Option | Argument,
  value: Word,
  mistakes: Mistake[],
  before?: unknown,
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
