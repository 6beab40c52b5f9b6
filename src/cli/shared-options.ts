import type { Option } from '@commander-js/extra-typings'
import { type DeclaredCommand, option, readerOf } from '../commands/declare.ts'
import { Failure, type UnknownName } from '../failure.ts'
import { formats } from '../output/formats.ts'
import type { SettingRow, Subject } from '../settings/setting-row.ts'
import type { PartialSettings } from '../settings/settings.ts'
import { type SettingName, settingNames, settingTable } from '../settings/table.ts'
import { commandName, leavesOf, lineageOf } from './tree.ts'

/** The options that commands share, in the order of the table of settings. */
export const declaredOptions: readonly Option[] = [
  ...settingNames.flatMap(optionOfSetting),
  option('--no-color', 'same as --color never').preset('never')
]

function optionOfSetting(name: SettingName) {
  const { option: declared, variables, type, defaultText }: SettingRow<unknown> = settingTable[name]
  if (declared === undefined) return []
  const { flags, about } = declared
  // Help names one variable: the topic about environments has all.
  const [variable] = variables ?? []
  const description = variable ? `${about} [${variable.name}]` : about
  const shared = option(flags, description)
  if (type.choices) shared.choices(type.choices)
  else if (shared.required) shared.argParser(readerOf(type))
  // The settings apply the default: commander would count it as typed.
  return shared.default(undefined, defaultText)
}

/** What a command acts on: what its declaration says, and what follows from that. */
export function subjectsOf({ notes }: DeclaredCommand): Subject[] {
  const { actsOn = [], changes, columns } = notes
  const subjects = [...actsOn]
  if (actsOn.includes('request')) subjects.push('requests')
  if (subjects.includes('requests')) subjects.push('environment', 'key')
  if (columns !== undefined) subjects.push('data', 'fields')
  if (subjects.includes('data')) subjects.push('json')
  if (changes === 'service') subjects.push('changes')
  return subjects
}

/** The setting that a shared option sets. */
function settingOf({ long = '' }: Option) {
  return settingNames.find(name => long === `--${name}` || long === `--no-${name}`)
}

/** The options of the program that have an effect on this command, or on one below it. */
export function sharedOptions(command: DeclaredCommand): Option[] {
  const [program] = lineageOf(command)
  const subjects = leavesOf(command).flatMap(subjectsOf)
  return program.options.filter(shared => {
    const name = settingOf(shared)
    if (name === undefined) return false
    const subject = settingTable[name].option?.subject
    return subject === undefined || subjects.includes(subject)
  })
}

/** Its own options, and those of the program that have an effect on it. */
export function optionsOf(command: DeclaredCommand): Option[] {
  const options = command.options.concat(sharedOptions(command))
  return [...new Set(options)]
}

/** The options of one command that were typed. */
export function typedOptions({ typed }: DeclaredCommand): Option[] {
  return [...typed.keys()]
}

/** The shared options that were typed, as settings. */
export function typedSettings(program: DeclaredCommand): PartialSettings {
  const typed = typedOptions(program).map(each => {
    return [settingOf(each), program.getOptionValue(each.attributeName())]
  })
  const flags: PartialSettings = Object.fromEntries(typed)
  const isFiltered = flags.jq !== undefined && !flags['dry-run']
  return flags.json || isFiltered ? { ...flags, output: 'json' } : flags
}

/** Refuses what would be ignored: `env unset --dry-run` must not remove anything. */
export function requireEffect(command: DeclaredCommand, program: DeclaredCommand): void {
  for (const shared of typedOptions(program)) {
    const { long } = shared
    const hasEffect = sharedOptions(command).includes(shared)
    if (!hasEffect) refuse(`${long} has no effect on '${commandName(command)}'`)
    // Commander compares only the options of one command.
    const other = typedOptions(command).find(each => {
      return excludes(each, shared)
    })
    if (other !== undefined) refuse(`${other.long} cannot be used with ${long}`)
  }
  requireOneFormat(program.opts())
  requireKnownFields(program.opts(), command)
}

function refuse(problem: string, unknownName?: UnknownName): never {
  throw new Failure('usage', problem, { unknownName })
}

function excludes(one: Option, other: Option) {
  // Missing from commander's types.
  const { conflictsWith } = one as Option & { readonly conflictsWith: readonly string[] }
  return conflictsWith.includes(other.attributeName())
}

function requireOneFormat({ json, jq, output }: PartialSettings) {
  if (output === undefined || formats[output].kind === 'json') return
  const other = json ? '--json' : jq && '--jq'
  if (other) refuse(`${other} cannot be used with --output ${output}`)
}

function requireKnownFields({ fields = [] }: PartialSettings, { notes }: DeclaredCommand) {
  const known = notes.columns?.names ?? []
  const name = fields.find(field => !known.includes(field))
  if (name === undefined) return
  const problem = `unknown field '${name}': the fields are ${known.join(', ')}`
  refuse(problem, { name, known })
}
