import type { Option } from '@commander-js/extra-typings'
import { type DeclaredCommand, option, readerOf } from '../commands/declare.ts'
import { Failure } from '../failure.ts'
import type { PartialSettings } from '../settings/settings.ts'
import { type SettingName, type Subject, settingNames, settingTable } from '../settings/table.ts'
import { commandName, leavesOf } from './tree.ts'

/** Declares the options that every command takes, in the order of the table of settings. */
export function addSharedOptions(program: DeclaredCommand): void {
  for (const name of settingNames) {
    const { option: declared, type, variables = [], defaultText } = settingTable[name]
    if (declared === undefined) continue
    // The settings read the variables.
    const names = variables.map(variable => variable.name).join(', ')
    const shared = option(declared.flags, names ? `${declared.about} [${names}]` : declared.about)
    if (defaultText !== undefined) shared.default(undefined, defaultText)
    if (type.choices !== undefined) shared.choices(type.choices)
    else if (shared.required) shared.argParser(readerOf<unknown>(type))
    if (name === 'json' || name === 'jq') shared.conflicts('output')
    program.addOption(shared)
    if (name === 'color')
      program.addOption(option('--no-color', 'same as --color never').preset('never'))
  }
  program.addOption(
    option('--api-key <key>', '')
      .hideHelp()
      .argParser((): never => {
        const problem = 'an API key cannot be given as an option: petstore auth login asks for it'
        throw new Failure('usage', problem, { hint: 'petstore auth login' })
      })
  )
}

/** The setting that a shared option sets. */
const settingOf = ({ long = '' }: Option) =>
  settingNames.find(name => long === `--${name}` || long === `--no-${name}`) as SettingName

/** The shared options that were typed. */
export const typedOptions = (command: DeclaredCommand) =>
  command.options.filter(each => command.getOptionValueSource(each.attributeName()) === 'cli')

/** The values of the shared options as settings. */
export function typedSettings(program: DeclaredCommand): PartialSettings {
  const values: Record<string, unknown> = program.opts()
  const typed = typedOptions(program).map(each => [settingOf(each), values[each.attributeName()]])
  const flags: PartialSettings = Object.fromEntries(typed)
  const isJson = flags.json || (flags.jq !== undefined && flags['dry-run'] !== true)
  return isJson ? { ...flags, output: 'json' } : flags
}

/** Refuses what would be ignored: `env unset --dry-run` must not remove anything. */
export function requireEffect(
  command: DeclaredCommand,
  program: DeclaredCommand,
  { fields = [] }: PartialSettings
): void {
  const effective = sharedOptions(command, program)
  for (const shared of typedOptions(program)) {
    if (!effective.includes(shared))
      throw new Failure('usage', `${shared.long} has no effect on '${commandName(command)}'`)
    // Commander compares only the options of one command.
    const other = typedOptions(command).find(one => excludes(one, shared))
    if (other !== undefined)
      throw new Failure('usage', `${other.long} cannot be used with ${shared.long}`)
  }
  const known = command.notes.fields ?? []
  const name = fields.find(field => !known.includes(field))
  if (name === undefined) return
  const problem = `unknown field '${name}': the fields are ${known.join(', ')}`
  throw new Failure('usage', problem, { unknownName: { name, known } })
}

/** Missing from commander's types. */
const excludes = (one: Option, other: Option) =>
  (one as Option & { conflictsWith: string[] }).conflictsWith.includes(other.attributeName())

/** The options of every command that have an effect on this one, or on one below it. */
export function sharedOptions(command: DeclaredCommand, program: DeclaredCommand): Option[] {
  const subjects = leavesOf(command).flatMap(subjectsOf)
  return program.options.filter(shared => {
    const row = shared.hidden ? undefined : settingTable[settingOf(shared)]
    const subject = row?.option?.subject
    const isAny = subject === undefined || subjects.includes('settings')
    return row !== undefined && (isAny || subjects.includes(subject))
  })
}

/** What follows from a declaration. */
export function subjectsOf({ notes }: DeclaredCommand): Subject[] {
  const { actsOn = [], changes, fields } = notes
  return [
    ...actsOn,
    ...(actsOn.includes('requests') ? (['environment', 'key'] as const) : []),
    ...(actsOn.includes('data') ? (['json'] as const) : []),
    ...(fields === undefined ? [] : (['fields'] as const)),
    ...(changes === 'service' ? (['changes'] as const) : [])
  ]
}
