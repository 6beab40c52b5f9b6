import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'
import type { Addresses } from '../settings/saved-state.ts'
import { type Preferences, preferenceNames, type SettingName, settingNames, variableOf } from '../settings/table.ts'
import { oneOf } from '../settings/value-types.ts'
import { argument } from './declare.ts'

/** Gives a notice if a variable still overrides the saved value. */
export async function noticeOverride(
  { settings, report }: Context,
  name: SettingName,
  what = 'the saved value',
): Promise<void> {
  const variable = variableOf((await settings()).resolve(name)?.origin)
  if (variable !== undefined) await report.notice('overridden', `${variable} is set and overrides ${what}`)
}

/** In the description of the service, base URLs end in /v1. Any other is accepted, but is often a typing error. */
export async function noticeUnusualUrls({ report }: Context, { baseUrl, messagesUrl }: Addresses): Promise<void> {
  if (baseUrl !== undefined && !/\/v1\/?$/.test(baseUrl)) {
    await report.notice('unusual-url', 'the base URL does not end in /v1, as the URLs of this service usually do')
  }
  if (messagesUrl !== undefined && /\/messages\/?$/.test(messagesUrl)) {
    await report.notice(
      'unusual-url',
      'the messages URL ends in /messages, which is added to it again for each message',
    )
  }
}

/** The argument that names a setting that can be saved. */
export const preferenceArgument = () =>
  argument('<name>', 'name of the setting').choices(preferenceNames).argParser(preferenceName)

function preferenceName(text: string): keyof Preferences {
  const name = preferenceNames.find((candidate) => candidate === text)
  if (name !== undefined) return name
  const isElsewhere = settingNames.some((candidate) => candidate === text)
  const problem = isElsewhere ? `'${text}' is not saved with config` : `no setting is named '${text}'`
  throw new Failure('usage', `${problem}: use ${oneOf(preferenceNames)}`, {
    hint: 'petstore config list',
    unknownName: { name: text, known: preferenceNames },
  })
}
