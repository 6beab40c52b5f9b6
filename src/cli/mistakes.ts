import { InvalidArgumentError, type Option } from '@commander-js/extra-typings'
import { Failure } from '../failure.ts'
import { hintWord } from '../platform/shell.ts'
import { oneOf } from '../settings/value-types.ts'
import type { CommandLine, Word } from './argv.ts'
import {
  type Argv,
  fixInvalidArgument,
  fixInvalidValue,
  fixOneDash,
  fixOperands,
  fixStray,
  fixUnknownName,
  fixUnknownOption,
  fixValue,
  isKeyOption,
  isKnownOption,
} from './fixes.ts'
import { type ParsedLine, parseArgv } from './parse.ts'
import { commandPath, leavesOf, pathBelow, rootOf } from './tree.ts'

interface Situation {
  readonly version: string
  /** Whether a command may prompt for what is missing. */
  readonly canPrompt: boolean
}

/** A usage error in the words of this program. Its hint is the command that was meant, as far as that can be guessed. */
export function withSuggestion(line: ParsedLine, error: unknown, situation: Situation): Failure {
  const { message, fix, hint } = mistakeIn(line.typed, error)
  const suggestion = fix && suggestionFor(fix, situation)
  return new Failure('usage', message, { hint: suggestion ?? hint })
}

/** A line with more mistakes than this gets no suggestion. */
const maximumFixes = 5

/** Fixes one mistake after another until the command line is right; then it can be run as it is shown. */
function suggestionFor(fix: Argv, situation: Situation): string | undefined {
  let argv = fix
  for (let count = 1; count <= maximumFixes; count += 1) {
    const line = parseArgv(argv, situation.version)
    const { result } = line
    if (typeof result !== 'object' || 'command' in result)
      return mayRepeat(line.typed) ? shown(line, situation) : undefined
    const mistake = mistakeIn(line.typed, result.error)
    if (mistake.fix === undefined) return mistake.hint
    argv = mistake.fix
  }
  return undefined
}

/** A header or a URL may hold a secret. */
function mayRepeat({ argv, options }: CommandLine): boolean {
  const hasSecretHeader = options.some(
    ({ option, value = '' }) => option.long === '--header' && /auth|cookie|key|token|secret/i.test(value),
  )
  return !hasSecretHeader && !argv.some((word) => /:\/\/[^/]*@/.test(word))
}

function shown({ typed, result }: ParsedLine, { canPrompt }: Situation): string {
  const { argv, command } = typed
  const has = (long: string) => typed.options.some(({ option }) => option.long === long)
  // What follows `--` is no option.
  const end = typed.isLiteral ? argv.lastIndexOf('--') : argv.length
  const typedAgain = (...added: readonly string[]) =>
    ['petstore', ...argv.slice(0, end), ...added, ...argv.slice(end)].map(hintWord).join(' ')
  const path = typeof result === 'object' ? pathBelow(command) : ''
  if (path === 'env set' && !has('--base-url') && !has('--messages-url')) {
    return typedAgain('--base-url', 'https://HOST/v1')
  }
  const lacksValues = path === 'pets add' && !has('--file') && !canPrompt
  if (lacksValues && !has('--name')) return `${commandPath(command)} --help`
  if (lacksValues && !has('--category-id')) return typedAgain('--category-id', '1')
  return typedAgain()
}

/** The first mistake of a command line, in the words of this program: commander counts words, this names them. */
interface Mistake {
  readonly message: string
  /** The command line as it was probably meant. It may have another mistake. */
  readonly fix?: Argv | undefined
  /** What to run if there is no suggestion. */
  readonly hint: string
}

type Find = (line: CommandLine) => Omit<Mistake, 'hint'> | undefined

/** `error` is what commander or a check has thrown. */
function mistakeIn(line: CommandLine, error: unknown): Mistake {
  const hint = `${commandPath(line.command)} --help`
  for (const find of finders) {
    const mistake = find(line)
    if (mistake !== undefined) return { hint, ...mistake }
  }
  if (!(error instanceof Failure)) throw error
  const fix = error.unknownName && fixUnknownName(line, error.unknownName)
  return { message: error.message, hint: error.hint ?? hint, fix }
}

const findOneDash: Find = (line) => {
  const flags = [...line.options.map(({ flag }) => flag), ...line.unknownOptions]
  for (const flag of flags) {
    const fix = fixOneDash(line, flag)
    if (fix !== undefined) return { message: `unknown option '${nameOf(flag)}'`, fix }
  }
  return undefined
}

const findUnknown: Find = (line) => {
  const { stray, unknownOptions } = line
  const [option] = unknownOptions
  if (option !== undefined && (stray === undefined || option.index < stray.index)) return unknownOption(line, option)
  if (stray === undefined) return undefined
  const path = `${pathBelow(line.command)} ${stray.text}`.trim()
  return { message: `unknown command '${path}'`, fix: fixStray(line, stray) }
}

function unknownOption(line: CommandLine, flag: Word) {
  const name = nameOf(flag)
  const fix = fixUnknownOption(line, flag)
  if (isKeyOption(name)) return { message: `unknown option '${name}': an API key cannot be given as an option`, fix }
  if (isKnownOption(line, name)) return { message: `${name} takes no value`, fix: fixValue(line, flag) }
  const owners = leavesOf(rootOf(line.command)).filter((leaf) =>
    leaf.options.some(({ short, long }) => [short, long].includes(name)),
  )
  if (owners.length === 0 || fix !== undefined) return { message: `unknown option '${name}'`, fix }
  const paths = owners.map((owner) => `'${pathBelow(owner)}'`)
  const path = pathBelow(line.command)
  const place = path === '' ? '' : ` for '${path}'`
  return { message: `unknown option '${name}'${place}; it belongs to ${oneOf(paths)}` }
}

/** Without what follows a `=`: it may be a key in the wrong place. */
const nameOf = ({ text }: Word) =>
  text.startsWith('--') ? text.replace(/=.*$/s, '') : (/^-(?:[a-z]+|.)/iu.exec(text)?.[0] ?? '-')

const findUnfinished: Find = ({ unfinished }) =>
  unfinished && { message: `${unfinished.long} needs a value${choicesOf(unfinished)}` }

const findInvalidOption: Find = (line) => {
  for (const typed of line.options) {
    const { option, value } = typed
    const expected = value === undefined ? undefined : expectedInstead(option, value)
    if (expected === undefined) continue
    return { message: `invalid ${nounFor(option, `'${value}'`)}: use ${expected}`, fix: fixInvalidValue(line, typed) }
  }
  return undefined
}

const findConflict: Find = ({ options }) => {
  for (const { option } of options) {
    // Missing from commander's types.
    const { conflictsWith } = option as Option & { conflictsWith: readonly string[] }
    const other = options.find((candidate) => conflictsWith.includes(candidate.option.attributeName()))
    if (other !== undefined) return { message: `${option.long} and ${other.option.long} cannot be used together` }
  }
  return undefined
}

const findMissing: Find = (line) => {
  const { command, operands } = line
  const missing = command.registeredArguments[operands.length]
  if (missing === undefined || !missing.required) return undefined
  return { message: `the ${missing.name()} is missing${choicesOf(missing)}`, fix: fixOperands(line) }
}

const findExcess: Find = (line) => {
  const { command, operands } = line
  const { registeredArguments } = command
  if (registeredArguments.at(-1)?.variadic) return undefined
  const excess = operands.slice(registeredArguments.length).map(({ text }) => `'${text}'`)
  if (excess.length === 0) return undefined
  const fix = fixOperands(line)
  const isSecret = pathBelow(command).startsWith('auth ')
  if (isSecret && !fix?.includes('--env')) {
    return { message: 'unexpected argument; an API key cannot be given as an argument', fix }
  }
  return { message: `unexpected argument${excess.length > 1 ? 's' : ''} ${excess.join(', ')}`, fix }
}

const findInvalidArgument: Find = (line) => {
  const { command, operands } = line
  for (const [index, argument] of command.registeredArguments.entries()) {
    const word = argument.variadic ? undefined : operands[index]
    const expected = word && expectedInstead(argument, word.text)
    if (word === undefined || expected === undefined) continue
    const message = `invalid ${argument.name()} '${word.text}': use ${expected}`
    return { message, fix: fixInvalidArgument(line, argument, word) }
  }
  return undefined
}

const finders: readonly Find[] = [
  findOneDash,
  findUnknown,
  findUnfinished,
  findInvalidOption,
  findConflict,
  findMissing,
  findExcess,
  findInvalidArgument,
]

type Declared = Pick<Option, 'argChoices' | 'parseArg' | 'defaultValue'>

/** What the declaration accepts instead of the text; undefined if it accepts the text. */
function expectedInstead({ argChoices, parseArg, defaultValue }: Declared, text: string): string | undefined {
  try {
    parseArg?.(text, defaultValue)
    return undefined
  } catch (error) {
    // Any other error has a message of its own.
    if (!(error instanceof InvalidArgumentError)) return undefined
    return argChoices === undefined ? error.message : oneOf(argChoices)
  }
}

const choicesOf = ({ argChoices }: Declared) => (argChoices === undefined ? '' : `: use ${oneOf(argChoices)}`)

/** `--category-id <id>` holds a category id, `--limit <count>` a limit; `--watch` is not a noun. */
function nounFor({ long = '', flags }: Option, value: string): string {
  const name = long.replace(/^--/, '')
  const placeholder = /<(.*)>/.exec(flags)?.[1]
  if (/^(watch|fail|fail-with|int64)$/.test(name)) return `value ${value} for ${long}`
  const isCompound = placeholder !== undefined && name.endsWith(`-${placeholder}`)
  return `${isCompound ? name.replaceAll('-', ' ') : name} ${value}`
}
