import { type Command, InvalidArgumentError } from '@commander-js/extra-typings'
import { type AnyCommand, DeclaredCommand, option, type Subject } from '../commands/declare.ts'
import { Failure } from '../failure.ts'
import { type ColorChoice, colorChoices } from '../model/color.ts'
import { formatNames } from '../output/formats.ts'
import { type Preferences, preferences } from '../settings/preferences.ts'
import type { SettingFlags } from '../settings/settings.ts'
import { commandPath } from './tree.ts'

interface OptionNotes {
  /** What a command must act on for the option to mean something to it; absent where it always does. */
  readonly subject?: Subject
  readonly variable?: string
  /** What holds where nothing is said; the settings decide it, so commander is not told. */
  readonly standard?: string
}

/** What help says of each option of every command, by its attribute, beyond its declaration below. */
export const globalOptionNotes: Readonly<Record<string, OptionNotes>> = {
  env: { subject: 'environment', variable: 'PETSTORE_ENV', standard: 'production' },
  output: {
    subject: 'data',
    variable: 'PETSTORE_OUTPUT',
    standard: 'table in a terminal, json elsewhere',
  },
  json: { subject: 'data' },
  fields: { subject: 'fields' },
  jq: { subject: 'json' },
  int64: { subject: 'data' },
  timeout: { subject: 'requests', variable: 'PETSTORE_TIMEOUT', standard: '30' },
  retries: { subject: 'requests', variable: 'PETSTORE_RETRIES', standard: '3' },
  dryRun: { subject: 'requests' },
  quiet: {},
  verbose: { variable: 'PETSTORE_DEBUG' },
  color: { variable: 'NO_COLOR, FORCE_COLOR', standard: 'auto' },
  input: { variable: 'CI' },
}

export const addGlobalOptions = (program: Command) =>
  program
    .addOption(option('-e, --env <environment>', 'the environment to work on'))
    .addOption(option('-o, --output <format>', 'how data is written').choices(formatNames))
    .addOption(option('--json', 'the same as --output json').conflicts('output'))
    .addOption(option('--fields <names>', 'only these fields of the data, in this order: id,name').argParser(names))
    .addOption(option('--jq <expression>', 'what jq makes of the JSON: strings as they are, else a line a result'))
    .addOption(option('--int64 <form>', 'put large integers (over 2^53) into quotes in JSON').choices(['string']))
    .addOption(option('--timeout <seconds>', 'how long each attempt may take').argParser(seconds))
    .addOption(option('--retries <count>', 'how many times to try again, where that is safe').argParser(retryCount))
    .addOption(option('--dry-run', 'show what would be sent, as a curl command, and send nothing'))
    .addOption(option('-q, --quiet', 'nothing but errors on stderr'))
    .addOption(option('-v, --verbose', 'show requests and replies on stderr, without the key'))
    .addOption(option('--color <when>', 'whether to colour').choices(colorChoices))
    .addOption(option('--no-color', 'the same as --color never'))
    .addOption(option('--no-input', 'ask nothing; what is missing is a usage error'))

/** What was typed, in the words that the context knows. */
export function readFlags(program: ReturnType<typeof addGlobalOptions>): SettingFlags {
  const { env, output, json, fields, jq, int64, quiet, verbose, dryRun, color, timeout, retries, input } =
    program.opts()
  return {
    env,
    output: json || jq !== undefined ? 'json' : output,
    fields,
    jq,
    int64,
    timeout,
    retries,
    color: asColorChoice(color),
    quiet: quiet ?? false,
    verbose,
    dryRun,
    input,
  }
}

/** An option that would change nothing is a misunderstanding, and silence would hide it. */
export function refuseIdleOptions(program: AnyCommand, chosen: AnyCommand): void {
  for (const declared of program.options) {
    const notes = globalOptionNotes[declared.attributeName()]
    const isTyped = program.getOptionValueSource(declared.attributeName()) === 'cli'
    if (notes !== undefined && isTyped && !isForCommand(notes, chosen)) {
      throw new Failure('usage', `${declared.long} means nothing to '${commandPath(chosen)}'`, {
        hint: `${commandPath(chosen)} --help`,
      })
    }
  }
}

/** What the options of every command can only be asked together with the command: whether they fit it and each other. */
export function refuseMisfits(program: ReturnType<typeof addGlobalOptions>, chosen: AnyCommand): void {
  const { fields = [], jq, output } = program.opts()
  const usage = (message: string) => new Failure('usage', message, { hint: `${commandPath(chosen)} --help` })
  if (jq !== undefined && output !== undefined && output !== 'json') {
    throw usage(`--jq is about JSON and cannot be used with --output ${output}`)
  }
  const known = fieldsOf(chosen)
  const unknown = fields.find((field) => !known.includes(field))
  if (unknown !== undefined) throw usage(`there is no field '${unknown}'; the fields are ${known.join(', ')}`)
}

/** Whether the option means something to the command. */
export function isForCommand({ subject }: OptionNotes, command: AnyCommand): boolean {
  const subjects = actsOn(command)
  return subject === undefined || subjects.includes(subject) || subjects.includes('settings')
}

export function actsOn(command: AnyCommand): readonly Subject[] {
  const noted = command instanceof DeclaredCommand ? (command.notes.actsOn ?? []) : []
  const asJson: readonly Subject[] = noted.includes('data') ? ['json'] : []
  const byField: readonly Subject[] = fieldsOf(command).length > 0 ? ['fields'] : []
  return [...noted, ...asJson, ...byField]
}

function fieldsOf(command: AnyCommand): readonly string[] {
  return command instanceof DeclaredCommand ? (command.notes.fields ?? []) : []
}

/** `--no-color` makes it false; the types follow the last declaration alone. */
function asColorChoice(typed: unknown): ColorChoice | undefined {
  return typed === false ? 'never' : colorChoices.find((choice) => choice === typed)
}

function names(text: string): readonly string[] {
  const fields = text.split(',').map((name) => name.trim())
  if (fields.includes('')) throw new InvalidArgumentError('It must be names with commas between them.')
  if (new Set(fields).size < fields.length) throw new InvalidArgumentError('It must name each field once.')
  return fields
}

const seconds = preferred('timeout')
const retryCount = preferred('retries')

/** Reads an option by the same rule as its variable and what is kept. */
function preferred<Name extends keyof Preferences>(name: Name) {
  return (text: string): Preferences[Name] => {
    const value = preferences[name].read(text)
    if (value === undefined) throw new InvalidArgumentError(`It must be ${preferences[name].expected}.`)
    return value
  }
}
