import type { Option } from '@commander-js/extra-typings'
import type { AnyCommand } from '../commands/declare.ts'
import type { Entry } from './page.ts'

export function argumentEntry(argument: AnyCommand['registeredArguments'][number]): Entry {
  return [argument.name(), described(argument)]
}

export function optionEntry(option: Option): Entry {
  const { flags, envVar } = option
  const standard = defaultText(option)
  const variables = envVar?.includes(',') ? 'variables' : 'variable'
  const more = [standard && `default: ${standard}`, envVar && `${variables}: ${envVar}`]
  return [flags, described(option, more)]
}

function described(
  { description, argChoices }: Pick<Option, 'description' | 'argChoices'>,
  more: readonly (string | undefined)[] = [],
): string {
  const choices = argChoices && `choices: ${argChoices.join(', ')}`
  const notes = [choices, ...more].filter((note) => note !== undefined)
  if (notes.length === 0) return description
  // A description can end with notes of its own.
  return `${description} (${notes.join('; ')})`.replace(') (', '; ')
}

/** The default as text; undefined if there is none to show. */
export function defaultText({ defaultValue, defaultValueDescription }: Option): string | undefined {
  const isPlain = typeof defaultValue === 'string' || typeof defaultValue === 'number'
  return defaultValueDescription ?? (isPlain ? String(defaultValue) : undefined)
}
