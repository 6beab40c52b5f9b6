import type { Command, Option } from '@commander-js/extra-typings'
import { type AnyCommand, option, readerOf } from '../commands/declare.ts'
import { Failure } from '../failure.ts'
import type { PartialSettings } from '../settings/settings.ts'
import { type SettingName, type Subject, settingNames, settingTable } from '../settings/table.ts'
import { type CommandLine, type Mistake, typedOption } from './argv.ts'
import { commandName, leavesOf, rootOf } from './tree.ts'

/** Declares the options that every command takes, in the order of the table of settings. */
export function addSharedOptions(program: Command): void {
  for (const name of settingNames) {
    const { option: declared, type, variables = [], ...row } = settingTable[name]
    if (declared === undefined) continue
    const shared = option(declared.flags, declared.about)
    shared.default(row.default?.(anyMachine), row.defaultText)
    // Help shows it; the settings read the variables.
    if (variables.length > 0) shared.env(variables.map(variable => variable.name).join(', '))
    if (type.choices !== undefined) shared.choices(type.choices)
    else if (shared.required) shared.argParser(readerOf<unknown>(type))
    if (name === 'json') shared.conflicts('output')
    program.addOption(shared)
    if (name === 'color')
      program.addOption(option('--no-color', 'same as --color never').preset('never'))
  }
}

/** A default that depends on the machine has a text of its own. */
const anyMachine = {
  env: {},
  terminal: { stdin: false, stdout: false, stderr: false },
  home: () => undefined
}

/** The setting that a shared option sets; undefined for an option of a single command. */
export function settingOf(option: Option): SettingName | undefined {
  const name = option.name().replace(/^no-/, '')
  return settingNames.find(setting => {
    const hasOption = settingTable[setting].option !== undefined
    return hasOption && setting === name
  })
}

/** The format that options imply. */
export function withFormat(flags: PartialSettings): PartialSettings {
  // A dry run has no reply that an expression could run over.
  const hasJqResults = flags.jq !== undefined && flags['dry-run'] !== true
  const isJson = flags.json || (hasJqResults && flags.output !== 'ndjson')
  return isJson ? { ...flags, output: 'json' } : flags
}

/**
 * Shared options that have no effect or contradict each other: ignoring them would hide a mistake.
 */
export function misfitIn(line: CommandLine, flags: PartialSettings): Mistake | undefined {
  const message = optionWithoutEffect(line, flags) ?? outputOfJq(line, flags)
  const failure =
    message === undefined ? unknownField(line.command, flags) : new Failure('usage', message)
  return failure && { kind: 'refused', failure }
}

function optionWithoutEffect(
  { command, options }: CommandLine,
  { output }: PartialSettings
): string | undefined {
  const effective = effectiveOptions(command)
  const misfit = options.find(({ option }) => {
    // Every command takes --json, and `-o json` is the same.
    const isJson = option.long === '--output' && isJsonFormat(output)
    return !isJson && !effective.includes(option)
  })
  return misfit && `${misfit.option.long} has no effect on '${commandName(command)}'`
}

function isJsonFormat(format: string | undefined): boolean {
  return format === 'json' || format === 'ndjson'
}

/** An expression writes the format itself, for the shape of the data. */
function outputOfJq(line: CommandLine, { jq }: PartialSettings): string | undefined {
  const output = typedOption(line, '--output')?.value?.text
  if (jq === undefined || output === undefined || isJsonFormat(output)) return undefined
  const format = output === 'table' ? 'tsv' : output
  const { prints, fields = [] } = line.command.notes
  const [first, second] = fields
  const each = prints?.[0] === 'array' ? '.[] | ' : ''
  const row = second === undefined ? '' : `${each}[.${first}, .${second}] | `
  const instead = `write ${format.toUpperCase()} in the expression, as in '${row}@${format}'`
  return `--jq prints JSON and cannot be used with --output ${output}: ${instead}`
}

function unknownField(command: AnyCommand, { fields }: PartialSettings): Failure | undefined {
  const known = fieldsOf(command)
  const name = fields?.find(field => !known.includes(field))
  if (name === undefined) return undefined
  const message = `unknown field '${name}': the fields are ${known.join(', ')}`
  return new Failure('usage', message, { unknownName: { name, known } })
}

/** The options of every command that have an effect on this one, or on one below it. */
export function sharedOptions(command: AnyCommand): Option[] {
  const program = rootOf(command)
  const subjects = leavesOf(command).flatMap(actsOn)
  return program.options.filter(shared => {
    const name = settingOf(shared)
    if (name === undefined) return shared.long === '--help' || command === program
    const subject = settingTable[name].option?.subject
    return subject === undefined || subjects.includes(subject) || subjects.includes('settings')
  })
}

/** All options that have an effect on a command. */
export function effectiveOptions(command: AnyCommand): Option[] {
  const options = new Set([...command.options, ...sharedOptions(command)])
  return [...options]
}

export function actsOn(command: AnyCommand): Subject[] {
  const { actsOn: noted = [], changes } = command.notes
  const subjects = [...noted]
  if (noted.includes('requests')) subjects.push('environment')
  if (noted.includes('data')) subjects.push('json')
  if (noted.includes('requests')) subjects.push('key')
  if (fieldsOf(command).length > 0) subjects.push('fields')
  if (changes === 'service') subjects.push('changes')
  return subjects
}

export function fieldsOf(command: AnyCommand): readonly string[] {
  return command.notes.fields ?? []
}
