import type { Option } from '@commander-js/extra-typings'
import { type DeclaredCommand, option, readerOf } from '../commands/declare.ts'
import { Failure } from '../failure.ts'
import { formats } from '../output/formats.ts'
import type { PartialSettings } from '../settings/settings.ts'
import { type SettingRow, settingNames, settingTable } from '../settings/table.ts'
import { settingOf, sharedOptions } from './subjects.ts'
import { commandName } from './tree.ts'

/** Declares the options that commands share, in the order of the table of settings. */
export function addSharedOptions(program: DeclaredCommand): void {
  for (const name of settingNames) {
    const row: SettingRow<unknown> = settingTable[name]
    const { option: declared, type, variables = [] } = row
    if (declared === undefined) continue
    // The settings read the variables, and help names one: the topic about environments has all.
    const [variable] = variables
    const about = variable ? `${declared.about} [${variable.name}]` : declared.about
    const shared = option(declared.flags, about)
    if (row.defaultText !== undefined) shared.default(undefined, row.defaultText)
    if (type.choices !== undefined) shared.choices(type.choices)
    else if (shared.required) shared.argParser(readerOf<unknown>(type))
    program.addOption(shared)
    if (name === 'color')
      program.addOption(option('--no-color', 'same as --color never').preset('never'))
  }
}

/** The options of one command that were typed. */
export function typedOptions(command: DeclaredCommand): Option[] {
  return command.options.filter(each => {
    return command.getOptionValueSource(each.attributeName()) === 'cli'
  })
}

/** The shared options that were typed, as settings. */
export function typedSettings(program: DeclaredCommand): PartialSettings {
  const values: Record<string, unknown> = program.opts()
  const typed = typedOptions(program).map(each => [settingOf(each), values[each.attributeName()]])
  const flags: PartialSettings = Object.fromEntries(typed)
  const asksForJson = flags.json || (flags.jq !== undefined && flags['dry-run'] !== true)
  return asksForJson ? { ...flags, output: 'json' } : flags
}

/** Refuses what would be ignored: `env unset --dry-run` must not remove anything. */
export function requireEffect(command: DeclaredCommand, program: DeclaredCommand): void {
  const effective = sharedOptions(command, program)
  const own = typedOptions(command)
  for (const shared of typedOptions(program)) {
    if (!effective.includes(shared))
      throw new Failure('usage', `${shared.long} has no effect on '${commandName(command)}'`)
    // Commander compares only the options of one command.
    const other = own.find(each => excludes(each, shared))
    if (other !== undefined)
      throw new Failure('usage', `${other.long} cannot be used with ${shared.long}`)
  }
  requireOneFormat(program)
  requireKnownFields(command, program)
}

/** Missing from commander's types. */
function excludes(one: Option, other: Option): boolean {
  const { conflictsWith } = one as Option & { conflictsWith: readonly string[] }
  return conflictsWith.includes(other.attributeName())
}

function requireOneFormat(program: DeclaredCommand): void {
  const { json, jq, output } = program.opts() as PartialSettings
  if (output === undefined || formats[output].kind === 'json') return
  const advice = "write CSV in the expression, as in '.[] | [.id, .name] | @csv'"
  const refused = jq === undefined ? '--json' : `--jq: ${advice}`
  if (json || jq !== undefined)
    throw new Failure('usage', `--output ${output} cannot be used with ${refused}`)
}

function requireKnownFields({ notes }: DeclaredCommand, program: DeclaredCommand): void {
  const { fields: typed = [] } = program.opts() as PartialSettings
  const { fields: known = [] } = notes
  const name = typed.find(field => !known.includes(field))
  if (name === undefined) return
  const problem = `unknown field '${name}': the fields are ${known.join(', ')}`
  throw new Failure('usage', problem, { unknownName: { name, known } })
}
