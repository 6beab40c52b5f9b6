import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'
import { checkAddress } from '../settings/address.ts'
import type { Addresses } from '../settings/saved-state.ts'
import type { Settings } from '../settings/settings.ts'
import { type Preferences, preferenceNames, type Resolved, variableOf } from '../settings/table.ts'
import { oneOf } from '../settings/value-types.ts'
import { argument } from './declare.ts'

/** Gives a notice if a variable overrides what was saved or removed. */
export async function noticeOverride({ report }: Context, setting: Resolved<unknown> | undefined) {
  const variable = variableOf(setting?.origin)
  if (variable !== undefined)
    await report.notice('overridden', `${variable} is set and still applies`)
}

/** The argument that names a setting that can be saved. */
export const preferenceArgument = argument('<name>', 'name of the setting')
  .choices(preferenceNames)
  .argParser(preferenceName)

function preferenceName(text: string): keyof Preferences {
  const name = preferenceNames.find(candidate => candidate === text)
  if (name !== undefined) return name
  const reason = text.endsWith('-url') ? ', because it belongs to an environment' : ''
  const problem = `'${text}' is not saved with config${reason}`
  throw new Failure('usage', `${problem}: use ${oneOf(preferenceNames)}`, {
    hint: 'petstore config list',
    unknownName: { name: text, known: preferenceNames }
  })
}

/** The URLs on the command line, checked. */
export function typedAddresses(settings: Settings, { baseUrl, messagesUrl }: Addresses): Addresses {
  const allowsHttp = settings.value('allow-http')
  const checked = (address: string | undefined, source: string) =>
    address === undefined
      ? undefined
      : checkAddress(address, { source, malformed: 'usage', allowsHttp })
  return {
    baseUrl: checked(baseUrl, '--base-url'),
    messagesUrl: checked(messagesUrl, '--messages-url')
  }
}
