import type { Option } from '@commander-js/extra-typings'
import type { AnyCommand } from '../commands/declare.ts'
import { settingTable } from '../settings/table.ts'
import type { Entry } from './page.ts'
import { settingOf } from './shared-options.ts'

type DeclaredArgument = AnyCommand['registeredArguments'][number]

export function argumentTerm(argument: DeclaredArgument): string {
  const name = argument.name() + (argument.variadic ? '...' : '')
  return argument.required ? `<${name}>` : `[${name}]`
}

export function argumentEntry(argument: DeclaredArgument): Entry {
  const notes =
    argument.argChoices === undefined ? [] : [`choices: ${argument.argChoices.join(', ')}`]
  return { term: argumentTerm(argument), description: withNotes(argument.description, notes) }
}

export function optionEntry(option: Option): Entry {
  const name = settingOf(option)
  const row = name === undefined || option.long === '--no-color' ? undefined : settingTable[name]
  const variables = row?.variables?.map((variable) => variable.name) ?? []
  const standard = defaultText(option)
  const notes = [
    ...(option.argChoices === undefined ? [] : [`choices: ${option.argChoices.join(', ')}`]),
    ...(standard ? [`default: ${standard}`] : []),
    ...(variables.length > 0
      ? [`${variables.length === 1 ? 'variable' : 'variables'}: ${variables.join(', ')}`]
      : []),
  ]
  return { term: option.flags, description: withNotes(option.description, notes) }
}

function withNotes(description: string, notes: readonly string[]): string {
  if (notes.length === 0) return description
  const joined = notes.join('; ')
  return description.endsWith(')')
    ? `${description.slice(0, -1)}; ${joined})`
    : `${description} (${joined})`
}

/** The default as text; undefined if there is none to show. */
export function defaultText(option: Option): string | undefined {
  const name = settingOf(option)
  if (name !== undefined && option.required) {
    const { defaultText: stated, default: standard } = settingTable[name]
    const value = stated ?? standard?.(anyMachine)
    return value === undefined ? undefined : String(value)
  }
  const { defaultValue, defaultValueDescription: words } = option
  const isPlain = typeof defaultValue === 'string' || typeof defaultValue === 'number'
  return words ?? (isPlain ? String(defaultValue) : undefined)
}

/** A default that depends on the machine has a text of its own. */
const anyMachine = {
  env: {},
  terminal: { stdin: false, stdout: false, stderr: false },
  home: () => undefined,
}
