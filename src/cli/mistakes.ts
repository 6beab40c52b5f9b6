import { InvalidArgumentError, type Option } from '@commander-js/extra-typings'
import { type AnyCommand, notesOf } from '../commands/declare.ts'
import { Failure } from '../failure.ts'
import { hintWord } from '../platform/shell.ts'
import { oneOf } from '../settings/value-types.ts'
import type { CommandLine, Word } from './argv.ts'
import {
  type Argv,
  type Declared,
  fixByHabit,
  fixInvalid,
  fixOneDash,
  fixOperands,
  fixStray,
  fixUnknownName,
  fixUnknownOption,
  fixValue,
  isKeyOption,
  optionNamed,
} from './fixes.ts'
import { type ParsedLine, parseArgv } from './parse.ts'
import { commandPath, leavesOf, pathBelow, rootOf } from './tree.ts'

/** A usage error in this program's wording. Its hint is the corrected command, if there is a good guess. */
export function withSuggestion({ typed }: ParsedLine, error: unknown, canPrompt: boolean): Failure {
  const { message, fix, hint } = mistakeIn(typed, error)
  const suggestion = fix && suggestionFor(rootOf(typed.command), fix, canPrompt)
  return new Failure('usage', message, { hint: suggestion ?? hint })
}

/** A line with more mistakes than this gets no suggestion. */
const maximumFixes = 5

/** Fixes one mistake after another until the command line is valid, so that it can be run as shown. */
function suggestionFor(program: AnyCommand, argv: Argv, canPrompt: boolean, count = 1): string | undefined {
  const line = parseArgv(program, argv)
  const { typed, result } = line
  if (typeof result !== 'object' || 'command' in result) return mayRepeat(typed) ? shown(line, canPrompt) : undefined
  const { fix, hint } = mistakeIn(typed, result.error)
  if (fix === undefined) return hint
  return count < maximumFixes ? suggestionFor(program, fix, canPrompt, count + 1) : undefined
}

/** A header or a URL may hold a secret. */
function mayRepeat({ argv, options }: CommandLine): boolean {
  const hasSecretHeader = options.some(
    ({ option, value }) => option.long === '--header' && /auth|cookie|key|token|secret/i.test(value?.text ?? ''),
  )
  return !hasSecretHeader && !argv.some((word) => /:\/\/[^/]*@/.test(word))
}

/** `canPrompt`: the command prompts for what is missing. */
function shown({ typed, result }: ParsedLine, canPrompt: boolean): string {
  const { argv, command } = typed
  const has = (long: string) => typed.options.some(({ option }) => option.long === long)
  // What follows `--` is no option.
  const end = typed.isLiteral ? argv.lastIndexOf('--') : argv.length
  const typedAgain = (...added: readonly string[]) =>
    ['petstore', ...argv.slice(0, end), ...added, ...argv.slice(end)].map(hintWord).join(' ')
  const needs = typeof result === 'object' ? (notesOf(command).needs ?? []) : []
  const missing = needs.find(({ options, isPrompted }) => !(isPrompted && canPrompt) && !options.some(has))
  if (missing === undefined) return typedAgain()
  const { options, example } = missing
  return example === undefined ? `${commandPath(command)} --help` : typedAgain(options[0], example)
}

/** A mistake of a command line, in this program's wording. */
interface Mistake {
  readonly message: string
  /** The command line that was probably meant. It may have another mistake. */
  readonly fix?: Argv | undefined
  /** What to run if there is no suggestion. */
  readonly hint?: string
}

/** The first mistake. `error` was thrown by a check that has a message of its own. */
function mistakeIn(line: CommandLine, error: unknown): Mistake & { readonly hint: string } {
  const hint = `${commandPath(line.command)} --help`
  const [mistake] = findMistakes(line)
  if (mistake !== undefined) return { hint, ...mistake }
  if (!(error instanceof Failure)) throw error
  const fix = error.unknownName && (fixByHabit(line) ?? fixUnknownName(line, error.unknownName))
  return { message: error.message, hint: error.hint ?? hint, fix }
}

function* findMistakes(line: CommandLine): Generator<Mistake> {
  const { command, options, unknownOptions, stray, operands, unfinished, conflict, missing, excess } = line
  for (const flag of [...options.map((typed) => typed.flag), ...unknownOptions]) {
    const fix = fixOneDash(line, flag)
    if (fix !== undefined) yield { message: `unknown option '${nameOf(flag)}'`, fix }
  }
  const [flag] = unknownOptions
  if (flag !== undefined && (stray === undefined || flag.index < stray.index)) yield unknownOption(line, flag)
  if (stray !== undefined) {
    const path = `${pathBelow(command)} ${stray.text}`.trim()
    yield { message: `unknown command '${path}'`, fix: fixByHabit(line) ?? fixStray(line, stray) }
  }
  if (unfinished !== undefined) yield { message: `${unfinished.long} needs a value${choicesOf(unfinished)}` }
  for (const { option, value } of options) {
    if (value !== undefined) yield* checkValue(line, option, value, nounFor(option, `'${value.text}'`))
  }
  if (conflict !== undefined) {
    yield { message: `${conflict[0].long} and ${conflict[1].long} cannot be used together` }
  }
  if (missing !== undefined) {
    yield {
      message: `the ${missing.name()} is missing${choicesOf(missing)}`,
      fix: fixByHabit(line) ?? fixOperands(line),
    }
  }
  if (excess.length > 0) yield excessOperands(line)
  for (const [index, argument] of command.registeredArguments.entries()) {
    const value = operands[index]
    if (value !== undefined) yield* checkValue(line, argument, value, `${argument.name()} '${value.text}'`)
  }
}

function unknownOption(line: CommandLine, flag: Word): Mistake {
  const name = nameOf(flag)
  const fix = fixUnknownOption(line, flag)
  if (isKeyOption(name)) return { message: `unknown option '${name}': an API key cannot be given as an option`, fix }
  if (optionNamed(line.command, name) !== undefined)
    return { message: `${name} takes no value`, fix: fixValue(line, flag) }
  const owners = leavesOf(rootOf(line.command)).filter((leaf) =>
    leaf.options.some(({ short, long }) => [short, long].includes(name)),
  )
  if (owners.length === 0 || fix !== undefined) return { message: `unknown option '${name}'`, fix }
  const paths = owners.map((owner) => `'${pathBelow(owner)}'`)
  const path = pathBelow(line.command)
  const place = path === '' ? '' : ` for '${path}'`
  return { message: `unknown option '${name}'${place}; it belongs to ${oneOf(paths)}` }
}

/** Without the part after `=`, which may be a misplaced key. */
const nameOf = ({ text }: Word) =>
  text.startsWith('--') ? text.replace(/=.*$/s, '') : (/^-(?:[a-z]+|.)/iu.exec(text)?.[0] ?? '-')

function excessOperands(line: CommandLine): Mistake {
  const excess = line.excess.map(({ text }) => `'${text}'`)
  const fix = fixByHabit(line) ?? fixOperands(line)
  const isSecret = pathBelow(line.command).startsWith('auth ')
  if (isSecret && !fix?.includes('--env')) {
    return { message: 'unexpected argument; an API key cannot be given as an argument', fix }
  }
  return { message: `unexpected argument${excess.length > 1 ? 's' : ''} ${excess.join(', ')}`, fix }
}

/** The mistake in a value that its declaration does not accept. */
function* checkValue(line: CommandLine, declared: Declared, value: Word, what: string): Generator<Mistake> {
  const { argChoices, parseArg, defaultValue } = declared
  try {
    parseArg?.(value.text, defaultValue)
  } catch (error) {
    // Any other error has a message of its own.
    if (!(error instanceof InvalidArgumentError)) return
    const expected = argChoices === undefined ? error.message : oneOf(argChoices)
    yield { message: `invalid ${what}: use ${expected}`, fix: fixInvalid(line, declared, value) }
  }
}

const choicesOf = ({ argChoices }: Pick<Declared, 'argChoices'>) =>
  argChoices === undefined ? '' : `: use ${oneOf(argChoices)}`

/** `--category-id <id>` holds a category id, `--limit <count>` a limit; `--watch` is not a noun. */
function nounFor({ long = '', flags }: Option, value: string): string {
  const name = long.replace(/^--/, '')
  const placeholder = /<(.*)>/.exec(flags)?.[1]
  if (/^(watch|fail|fail-with|int64)$/.test(name)) return `value ${value} for ${long}`
  const isCompound = placeholder !== undefined && name.endsWith(`-${placeholder}`)
  return `${isCompound ? name.replaceAll('-', ' ') : name} ${value}`
}
