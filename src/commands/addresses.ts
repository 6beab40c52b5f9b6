import { loginCommand } from '../model/endpoint.ts'
import type { Context } from '../session/context.ts'
import { checkAddress } from '../settings/address.ts'
import {
  type Addresses,
  isElsewhere,
  type SavedState,
  savedEnvironment
} from '../settings/saved-state.ts'
import type { Settings } from '../settings/settings.ts'
import { preferenceNames } from '../settings/table.ts'
import { Argument } from './declare.ts'

/** Gives a notice if other URLs have cost an environment its key or its mark, or are only half. */
export async function noticeMoved(
  { report }: Context,
  name: string,
  { before, after }: { before: SavedState; after: SavedState }
) {
  const old = savedEnvironment(before, name)
  const current = savedEnvironment(after, name)
  const login = loginCommand(name)
  if (old.apiKey !== undefined && current.apiKey === undefined)
    await report.notice(
      'key-removed',
      `removed the API key for the old URL; log in again: ${login}`
    )
  if (old.idempotent && !current.idempotent)
    await report.notice('not-idempotent', `'${name}' is no longer set --idempotent`)

  const { baseUrl, messagesUrl } = current
  if (isElsewhere(old.baseUrl, baseUrl) && messagesUrl && messagesUrl === old.messagesUrl)
    await report.notice(
      'messages-url',
      `messages still go to ${messagesUrl}; to change that: ${login} --messages-url https://HOST`
    )
}

/** The argument that names a setting that can be saved. */
export const preferenceArgument = new Argument('<name>', 'name of the setting').choices(
  preferenceNames
)

/** The URLs that will be saved, checked. */
export function checkAddresses(settings: Settings, { baseUrl, messagesUrl }: Addresses): Addresses {
  const allowsHttp = settings.value('allow-http')
  const checked = (address: string | undefined, source: string) =>
    address === undefined
      ? undefined
      : checkAddress(address, { source, malformed: 'usage', allowsHttp })
  return {
    baseUrl: checked(baseUrl, 'the base URL'),
    messagesUrl: checked(messagesUrl, 'the messages URL')
  }
}
