import type { Option } from '@commander-js/extra-typings'
import { type DeclaredCommand, option } from '../commands/declare.ts'
import { readerOf } from '../commands/readers.ts'
import type { SettingRow, Subject } from '../settings/setting-row.ts'
import type { PartialSettings } from '../settings/settings.ts'
import { type SettingName, settingNames, settingTable } from '../settings/table.ts'
import { leavesOf } from './tree.ts'

/** The options that commands share, in the order of the table of settings, and what each sets. */
const rows = [
  ...settingNames.flatMap(rowOf),
  {
    name: 'color',
    subject: undefined,
    shared: option('--no-color', 'same as --color never').preset('never')
  }
]

export const declaredOptions: readonly Option[] = rows.map(({ shared }) => shared)

function rowOf(name: SettingName) {
  const row: SettingRow<unknown> = settingTable[name]
  const { option: declared, variables = [], type, defaultText } = row
  if (declared === undefined) return []
  const { flags, about, subject } = declared
  // Help names one variable: the topic about environments has all.
  const [variable] = variables
  const source = variable === undefined ? '' : ` [${variable.name}]`
  const shared: Option = option(flags, about + source)
  if (type.choices) shared.choices(type.choices)
  else if (shared.required) shared.argParser(readerOf(type))
  // The settings apply the default: commander would count it as typed.
  shared.default(undefined, defaultText)
  return { name, subject, shared }
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
  const effective = rows.filter(({ subject }) => {
    return subject === undefined || subjects.includes(subject)
  })
  return effective.map(({ shared }) => shared)
}

/** Its own options, and the shared ones that have an effect on it. */
export function optionsOf(command: DeclaredCommand): Option[] {
  const options = command.options.concat(sharedOptions(command))
  return [...new Set(options)]
}

/** The shared options that were typed, as settings. */
export function typedSettings(program: DeclaredCommand): PartialSettings {
  const typed = rows.filter(({ shared }) => program.typed.has(shared))
  const values = typed.map(({ name, shared }) => {
    return [name, program.getOptionValue(shared.attributeName())]
  })
  const flags: PartialSettings = Object.fromEntries(values)
  const isFiltered = flags.jq !== undefined && !flags['dry-run']
  return flags.json || isFiltered ? { ...flags, output: 'json' } : flags
}
