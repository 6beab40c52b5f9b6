import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'
import {
  type Preferences,
  preferenceNames,
  type SettingName,
  settingNames,
  variableOf,
} from '../settings/table.ts'
import { oneOf } from '../settings/value-types.ts'
import { argument } from './declare.ts'

/** Gives a notice if a variable still overrides the saved value. */
export async function noticeOverride(
  { settings, report }: Context,
  name: SettingName,
  what = 'the saved value',
): Promise<void> {
  const variable = variableOf((await settings()).resolve(name).origin)
  if (variable !== undefined)
    await report.notice('overridden', `${variable} is set and overrides ${what}`)
}

/** The argument that names a setting that can be saved. */
export const preferenceArgument = () =>
  argument('<name>', 'name of the setting').choices(preferenceNames).argParser(preferenceName)

function preferenceName(text: string): keyof Preferences {
  const name = preferenceNames.find((candidate) => candidate === text)
  if (name !== undefined) return name
  throw new Failure('usage', `${problemWithName(text)}: use ${oneOf(preferenceNames)}`, {
    hint: 'petstore config list',
    unknownName: { name: text, known: preferenceNames },
  })
}

function problemWithName(text: string): string {
  if (!settingNames.some((candidate) => candidate === text)) return `no setting is named '${text}'`
  const isUrl = text.endsWith('-url')
  return `'${text}' is not saved with config${isUrl ? ', because it belongs to an environment' : ''}`
}
