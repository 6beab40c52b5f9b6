import type { Option } from '@commander-js/extra-typings'
import { type DeclaredCommand, option } from '../commands/declare.ts'
import { readerOf } from '../commands/readers.ts'
import type { SettingRow, Subject } from '../settings/setting-row.ts'
import type { PartialSettings } from '../settings/settings.ts'
import { type SettingName, settingNames, settingTable } from '../settings/table.ts'
import { leavesOf } from './tree.ts'

/** The options that commands share, in the order of the table of settings, and what each sets. */
const settingOf = new Map<Option, SettingName>([
  ...settingNames.flatMap(optionOfSetting),
  [option('--no-color', 'same as --color never').preset('never'), 'color']
])

export const declaredOptions: readonly Option[] = [...settingOf.keys()]

function optionOfSetting(name: SettingName): [Option, SettingName][] {
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
  shared.default(undefined, defaultText)
  return [[shared, name]]
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

/** The shared options that have an effect on this command, or on one below it. */
export function sharedOptions(command: DeclaredCommand): Option[] {
  const subjects = leavesOf(command).flatMap(subjectsOf)
  return [...settingOf].flatMap(([shared, name]) => {
    const { option: declared }: SettingRow<unknown> = settingTable[name]
    const isFor = declared?.subject
    return isFor === undefined || subjects.includes(isFor) ? shared : []
  })
}

/** Its own options, and the shared ones that have an effect on it. */
export function optionsOf(command: DeclaredCommand): Option[] {
  const options = command.options.concat(sharedOptions(command))
  return [...new Set(options)]
}

/** The shared options that were typed, as settings. */
export function typedSettings(program: DeclaredCommand): PartialSettings {
  const typed = [...program.typed.keys()].map(each => {
    return [settingOf.get(each), program.getOptionValue(each.attributeName())]
  })
  const flags: PartialSettings = Object.fromEntries(typed)
  const isFiltered = flags.jq !== undefined && !flags['dry-run']
  return flags.json || isFiltered ? { ...flags, output: 'json' } : flags
}
