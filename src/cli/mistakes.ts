import type { Argument, Option } from '@commander-js/extra-typings'
import { type AnyCommand, notesOf, optionNotes } from '../commands/declare.ts'
import { Failure } from '../failure.ts'
import { hintWord } from '../platform/shell.ts'
import { type SavedState, savedEnvironment } from '../settings/saved-state.ts'
import { oneOf } from '../settings/value-types.ts'
import { type CommandLine, longMeant, type Mistake, type Word } from './argv.ts'
import { repaired } from './fixes.ts'
import { dataOptions, isObject, reasonAgainst } from './habits.ts'
import { isKeyOption } from './option-fixes.ts'
import { parseArgv } from './parse.ts'
import { commandName, commandPath, commandsBelow, rootOf, walkTree } from './tree.ts'
import { concealed } from './typed-secrets.ts'

/** What a hint depends on beside the command line. */
export interface Situation {
  /** The command prompts for what is missing. */
  readonly canPrompt: boolean
  /** Standard input is a file that is not empty. */
  readonly hasFileInput: boolean
  /** The environment without `--env`, and what is saved. */
  readonly environment: string
  readonly saved: SavedState
}

/**
 * A usage error in this program's wording. Its hint is the corrected command, if there is a good
 * guess.
 */
export async function usageFailure(
  line: CommandLine,
  mistake: Mistake,
  situation: Situation,
): Promise<Failure> {
  const message = messageFor(line, mistake)
  const reason = (await objectProblem(line, mistake)) ?? inputHelp(mistake, situation)
  const hint = reason === undefined ? await suggestionFor(line, mistake, situation) : undefined
  const whole = reason === undefined ? message : `${message.replace(/: .*$/s, '')}: ${reason}`
  return new Failure('usage', concealed(whole, line.argv), { hint })
}

/** Why the JSON on the command line cannot be given as options. */
async function objectProblem(
  { argv, command }: CommandLine,
  { kind }: Mistake,
): Promise<string | undefined> {
  const { takesObject } = notesOf(command)
  if (takesObject === undefined || !['unknown option', 'excess words'].includes(kind))
    return undefined
  const text = argv.map((word) => word.replace(/^--\w+=|^-d(?=[{[])/, '')).find(isObject)
  if (text === undefined) return undefined
  const { optionsFromObject } = await import('./typed-object.ts')
  const found = optionsFromObject(takesObject, text)
  return 'problem' in found ? found.problem : undefined
}

/** A file that was redirected is not read without being asked for. */
const inputHelp = (mistake: Mistake, { hasFileInput }: Situation) =>
  hasFileInput && mistake.kind === 'missing argument' && mistake.argument.name() === 'file'
    ? '- reads standard input'
    : undefined

/** A line with more mistakes than this gets no suggestion. */
const maximumFixes = 5

/**
 * The only place that makes the hint of a mistake. It is always safe to run: it repairs one mistake
 * after another, and repeats nothing but what was typed.
 */
async function suggestionFor(
  typed: CommandLine,
  first: Mistake,
  situation: Situation,
): Promise<string | undefined> {
  let line = typed
  let mistake: Mistake | undefined = first
  let result: ReturnType<typeof parseArgv>['result'] | undefined
  for (let count = 0; mistake !== undefined; count += 1) {
    const canRepair = count < maximumFixes && !isDrastic(line)
    const argv = canRepair ? await repaired(line, mistake) : undefined
    if (argv === undefined) return withoutRepair(line, mistake)
    const next = parseArgv(rootOf(typed.command), argv)
    line = next.typed
    result = next.result
    mistake = typeof result === 'object' && 'mistake' in result ? result.mistake : undefined
  }
  if (result === 'help') return helpOn(line)
  // A repair may have joined words, so the secrets are looked for as they were typed.
  const isRepeatable = line.argv.every(
    (word) => !word.endsWith('\n') && concealed(word, typed.argv) === word,
  )
  const isSafe = isRepeatable && !isDrastic(line) && !replacesSaved(line, situation)
  return (isSafe ? completed(line, situation.canPrompt) : undefined) ?? helpOn(line)
}

const helpOn = ({ command }: CommandLine) => `${commandPath(command)} --help`

function withoutRepair(line: CommandLine, mistake: Mistake): string | undefined {
  // The reason says what there is instead.
  const isData = mistake.kind === 'unknown option' && dataOptions.includes(mistake.word.text)
  if (isData && notesOf(line.command).takesObject === 'fields') return undefined
  const { hint } = mistake.kind === 'refused' ? mistake.failure : {}
  const isSafe = hint !== undefined && !isDrastic(line) && concealed(hint, line.argv) === hint
  return isSafe ? hint : helpOn(line)
}

/** It deletes something or sends it again, so it is never corrected. */
function isDrastic({ argv, command }: CommandLine): boolean {
  const options = walkTree(rootOf(command)).flatMap((each) => each.options)
  const drastic = options.filter((option) => optionNotes(option).isDrastic)
  const isOne = (word: string) =>
    drastic.some(({ long }) => word.split('=', 1)[0] === long) ||
    word.includes('PETSTORE_ALLOW_HTTP')
  return argv.some(isOne) || notesOf(command).deletes === true
}

/** Whether the line would replace a URL or an API key that is saved. */
function replacesSaved(
  { command, options, operands }: CommandLine,
  { saved, environment }: Situation,
): boolean {
  const typedFor = (long: string) =>
    options.findLast(({ option }) => option.long === long)?.value?.text
  const isNamed = command.registeredArguments[0]?.name() === 'environment'
  const name = (isNamed ? operands[0]?.text : typedFor('--env')) ?? environment
  const { apiKey, baseUrl, messagesUrl } = savedEnvironment(saved, name)
  const isNew = (typed: string | undefined, before: string | undefined) =>
    typed !== undefined && before !== undefined && typed.replace(/\/+$/, '') !== before
  return (
    (notesOf(command).readsKey === true && apiKey !== undefined) ||
    isNew(typedFor('--base-url'), baseUrl) ||
    isNew(typedFor('--messages-url'), messagesUrl)
  )
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
      const instead = choices === undefined ? expected : oneOf(choices)
      const several = value.text.includes(',') ? severalOf(declared) : ''
      const shown = notesOf(command).hidesWords ? '' : `'${value.text}'`
      return `invalid ${nounFor(declared, shown).trim()}: use ${instead}${several}`
    }
    case 'conflict':
      return `${mistake.options[0].long} and ${mistake.options[1].long} cannot be used together`
    case 'given twice':
      return `${mistake.option.long} is given twice, with different values${severalOf(mistake.option)}`
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

/** What to do for several values, where an option takes one. */
function severalOf(declared: Option | Argument): string {
  const { ifSeveral } = 'long' in declared ? optionNotes(declared) : {}
  return ifSeveral === undefined ? '' : `; ${ifSeveral}`
}

/** `--category-id <id>` holds a category id, `--limit <count>` a limit; `--watch` is not a noun. */
function nounFor(declared: Option | Argument, value: string): string {
  if (!('long' in declared)) return `${declared.name()} ${value}`
  const { long = '', flags } = declared
  const name = long.replace(/^--/, '')
  const placeholder = /<(.*)>/.exec(flags)?.[1]
  if (optionNotes(declared).isVerb) return `value ${value} for ${long}`
  const isCompound = placeholder !== undefined && name.endsWith(`-${placeholder}`)
  return `${isCompound ? name.replaceAll('-', ' ') : name} ${value}`
}
