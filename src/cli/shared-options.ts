import type { Option } from '@commander-js/extra-typings'
import { type DeclaredCommand, option, readerOf } from '../commands/declare.ts'
import { Failure, type UnknownName } from '../failure.ts'
import { formats } from '../output/formats.ts'
import type { PartialSettings } from '../settings/settings.ts'
import { type SettingRow, settingNames, settingTable } from '../settings/table.ts'
import { settingOf, sharedOptions } from './subjects.ts'
import { commandName } from './tree.ts'

/** Declares the options that commands share, in the order of the table of settings. */
export function addSharedOptions(program: DeclaredCommand): void {
  for (const name of settingNames) {
    const row: SettingRow<unknown> = settingTable[name]
    if (row.option === undefined) continue
    const { flags, about } = row.option
    // Help names one variable: the topic about environments has all.
    const [variable] = row.variables ?? []
    const description = variable ? `${about} [${variable.name}]` : about
    const shared = option(flags, description)
    if (row.type.choices) shared.choices(row.type.choices)
    else if (shared.required) shared.argParser(readerOf(row.type))
    // The settings apply the default: commander would count it as typed.
    shared.default(undefined, row.defaultText)
    program.addOption(shared)
  }
  program.addOption(option('--no-color', 'same as --color never').preset('never'))
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
  const typed = typedOptions(program).map(each => {
    return [settingOf(each), values[each.attributeName()]]
  })
  const flags: PartialSettings = Object.fromEntries(typed)
  const isFiltered = flags.jq !== undefined && !flags['dry-run']
  return flags.json || isFiltered ? { ...flags, output: 'json' } : flags
}

/** Refuses what would be ignored: `env unset --dry-run` must not remove anything. */
export function requireEffect(command: DeclaredCommand, program: DeclaredCommand): void {
  const effective = sharedOptions(command)
  for (const shared of typedOptions(program)) {
    const { long } = shared
    const isIdle = !effective.includes(shared)
    if (isIdle) refuse(`${long} has no effect on '${commandName(command)}'`)
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

function excludes(one: Option, other: Option): boolean {
  // Missing from commander's types.
  const { conflictsWith } = one as Option & { readonly conflictsWith: readonly string[] }
  return conflictsWith.includes(other.attributeName())
}

function requireOneFormat({ json, jq, output }: PartialSettings): void {
  if (output === undefined || formats[output].kind === 'json') return
  const other = json ? '--json' : jq && '--jq'
  if (other) refuse(`${other} cannot be used with --output ${output}`)
}

function requireKnownFields({ fields = [] }: PartialSettings, { notes }: DeclaredCommand): void {
  const known = notes.fields ?? []
  const name = fields.find(field => !known.includes(field))
  if (name === undefined) return
  refuse(`unknown field '${name}': the fields are ${known.join(', ')}`, { name, known })
}
