import type { Argument, Option } from '@commander-js/extra-typings'
import { type AnyCommand, notesOf } from '../commands/declare.ts'
import { Failure } from '../failure.ts'
import { hintWord } from '../platform/shell.ts'
import { oneOf } from '../settings/value-types.ts'
import { type CommandLine, longMeant, type Mistake, type Word } from './argv.ts'
import { isKeyOption, repaired } from './fixes.ts'
import { reasonAgainst } from './habits.ts'
import { parseArgv } from './parse.ts'
import { commandName, commandPath, commandsBelow, rootOf } from './tree.ts'

/**
 * A usage error in this program's wording. Its hint is the corrected command, if there is a good
 * guess.
 */
export function usageFailure(line: CommandLine, mistake: Mistake, canPrompt: boolean): Failure {
  const hint = suggestionFor(line, mistake, canPrompt)
  return new Failure('usage', concealed(messageFor(line, mistake), line.argv), { hint })
}

/** A line with more mistakes than this gets no suggestion. */
const maximumFixes = 5

/**
 * The only place that makes the hint of a mistake. It is always safe to run: it repairs one mistake
 * after another, and repeats nothing but what was typed. `canPrompt`: the command prompts for what
 * is missing.
 */
function suggestionFor(typed: CommandLine, first: Mistake, canPrompt: boolean): string {
  let line = typed
  let mistake: Mistake | undefined = first
  for (let count = 0; mistake !== undefined; count += 1) {
    const argv = count < maximumFixes && !isDrastic(line) ? repaired(line, mistake) : undefined
    if (argv === undefined) return withoutRepair(line, mistake)
    const { typed: next, result } = parseArgv(rootOf(typed.command), argv)
    line = next
    mistake = typeof result === 'object' && 'mistake' in result ? result.mistake : undefined
  }
  // A repair may have joined words, so the secrets are looked for as they were typed.
  const isRepeatable = line.argv.every((word) => concealed(word, typed.argv) === word)
  return (isRepeatable && !isDrastic(line) ? completed(line, canPrompt) : undefined) ?? helpOn(line)
}

const helpOn = ({ command }: CommandLine) => `${commandPath(command)} --help`

function withoutRepair(line: CommandLine, mistake: Mistake): string {
  const { hint } = mistake.kind === 'refused' ? mistake.failure : {}
  return hint !== undefined && !isDrastic(line) && concealed(hint, line.argv) === hint
    ? hint
    : helpOn(line)
}

/** It deletes something or sends it again, so it is never corrected. */
function isDrastic({ argv, command }: CommandLine): boolean {
  const hasOption = argv.some((word) =>
    /--(yes|restart|resend-doubtful|accept-doubtful)\b|PETSTORE_ALLOW_HTTP/.test(word),
  )
  return hasOption || notesOf(command).deletes === true
}

/**
 * The valid command line with what it still needs; undefined if it needs a value that has no
 * placeholder.
 */
function completed(
  { argv, command, options, isLiteral }: CommandLine,
  canPrompt: boolean,
): string | undefined {
  const has = (long: string) => options.some(({ option }) => option.long === long)
  const needs = commandsBelow(command).length > 0 ? [] : (notesOf(command).needs ?? [])
  const missing = needs.find((need) => !(need.isPrompted && canPrompt) && !need.options.some(has))
  if (missing !== undefined && missing.placeholder === undefined) return undefined
  const added = missing === undefined ? [] : [missing.options[0], missing.placeholder ?? '']
  // What follows `--` is no option.
  const end = isLiteral ? argv.lastIndexOf('--') : argv.length
  return ['petstore', ...argv.slice(0, end), ...added, ...argv.slice(end)].map(hintWord).join(' ')
}

/** Hides what looks like a secret: an API key may have been typed at a wrong place. */
function concealed(text: string, argv: readonly string[]): string {
  return argv.flatMap(secretsIn).reduce((shown, secret) => shown.replaceAll(secret, '***'), text)
}

/**
 * What follows the name of a key, a URL with a password, and long words that are neither a URL nor
 * a file.
 */
function secretsIn(word: string): readonly string[] {
  // The limits keep the time linear.
  const named =
    /(?:key|token|secret|password|cookie|authorization)[\w-]{0,40}\s{0,9}[=:]\s{0,9}(.{4,})$/is.exec(
      word,
    )?.[1]
  const value = named ?? word.replace(/^(--)?[\w-]+=/, '')
  const isLong = value.length >= 20 && !/\s|^https?:|\.(json|jsonl|ndjson|csv)$/i.test(value)
  return named !== undefined || isLong || /:\/\/[^/]*@/.test(value) ? [value] : []
}

function messageFor(line: CommandLine, mistake: Mistake): string {
  const { command } = line
  switch (mistake.kind) {
    case 'unknown option':
      return unknownOption(command, mistake.word)
    case 'unknown command': {
      const path = `${commandName(command)} ${mistake.word.text}`.trim()
      const reason = reasonAgainst(command, mistake.word.text)
      return `unknown command '${path}'${reason === undefined ? '' : `: ${reason}`}`
    }
    case 'needless value':
      return `${mistake.option.long} takes no value`
    case 'no value':
      return `${mistake.option.long} needs a value${choicesOf(mistake.option)}`
    case 'missing option':
      return `${mistake.option.long} is missing${choicesOf(mistake.option)}`
    case 'invalid value': {
      const { declared, value, expected } = mistake
      const choices = declared.argChoices
      return `invalid ${nounFor(declared, `'${value.text}'`)}: use ${choices === undefined ? expected : oneOf(choices)}`
    }
    case 'conflict':
      return `${mistake.options[0].long} and ${mistake.options[1].long} cannot be used together`
    case 'missing argument':
      return `the ${mistake.argument.name()} is missing${choicesOf(mistake.argument)}`
    case 'excess words': {
      const words = mistake.words.map(({ text }) => `'${text}'`)
      if (notesOf(command).readsKey)
        return 'unexpected argument; an API key cannot be given as an argument'
      return `unexpected argument${words.length > 1 ? 's' : ''} ${words.join(', ')}`
    }
    case 'refused':
      return mistake.failure.message
  }
}

function unknownOption(command: AnyCommand, { text }: Word): string {
  const isOneDash = longMeant(command, text) !== undefined
  // The rest of the word may be a misplaced key.
  const name = text.startsWith('--') || isOneDash ? text.replace(/=.*$/s, '') : text.slice(0, 2)
  if (isKeyOption(command, name))
    return `unknown option '${name}': an API key cannot be given as an option`
  const reason = reasonAgainst(command, name)
  return `unknown option '${name}'${reason === undefined ? '' : `: ${reason}`}`
}

const choicesOf = ({ argChoices }: Pick<Option, 'argChoices'>) =>
  argChoices === undefined ? '' : `: use ${oneOf(argChoices)}`

/** `--category-id <id>` holds a category id, `--limit <count>` a limit; `--watch` is not a noun. */
function nounFor(declared: Option | Argument, value: string): string {
  if (!('long' in declared)) return `${declared.name()} ${value}`
  const { long = '', flags } = declared
  const name = long.replace(/^--/, '')
  const placeholder = /<(.*)>/.exec(flags)?.[1]
  if (/^(watch|fail|fail-with|int64)$/.test(name)) return `value ${value} for ${long}`
  const isCompound = placeholder !== undefined && name.endsWith(`-${placeholder}`)
  return `${isCompound ? name.replaceAll('-', ' ') : name} ${value}`
}
