import { asFinding } from '../failure.ts'
import { hasUsualPath, loginCommand, type RequestEndpoint } from '../model/endpoint.ts'
import type { Context } from '../session/context.ts'
import { checkAddress } from '../settings/address.ts'
import type { SavedState } from '../settings/config-text.ts'
import { journalDirectory } from '../settings/location.ts'
import { type Addresses, savedEnvironment } from '../settings/saved-state.ts'
import type { Resolved } from '../settings/setting-row.ts'
import type { Settings } from '../settings/settings.ts'
import { withoutLogin } from '../text/typed-secrets.ts'

/** Says what other URLs have cost an environment: its key, its mark, its imports. */
export async function noticeMoved(
  { host, report }: Context,
  name: string,
  { before, after }: { before: SavedState; after: SavedState }
) {
  const old = savedEnvironment(before, name)
  const current = savedEnvironment(after, name)
  if (old.apiKey !== undefined && current.apiKey === undefined)
    await report.notice(
      'key-removed',
      `removed the API key for the old URL; log in again: ${loginCommand(name)}`
    )
  if (old.idempotent && !current.idempotent)
    await report.notice('not-idempotent', `'${name}' is no longer set --idempotent`)

  const { baseUrl = '' } = current
  if (old.baseUrl === undefined || old.baseUrl === baseUrl) return
  const { hasImports, placeAddress } = await import('../import/places.ts')
  const address = placeAddress(old.baseUrl)
  if (address === placeAddress(baseUrl)) return
  if (hasImports(journalDirectory(host), { environment: name, address }))
    await report.notice('imports-left', 'imports into the old URL do not go on at the new one')
}

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

/** A URL for a person or a program. A key or a login that was pasted into it is masked. */
export function shownUrl({ report }: Context, url: Resolved<string> | undefined): string | null {
  return url ? report.redact(withoutLogin(url.value)) : null
}

/** Asks once for one pet: is the service there, and does it accept the key? */
export async function tryService(context: Context, endpoint: RequestEndpoint): Promise<void> {
  const client = await context.client({ endpoint, retries: 0 })
  await client.listPets({ limit: 1 })
}

/**
 * Throws if there is no service at a base URL. One that refuses a request without a key is there;
 * then the result says why the path may be wrong all the same, if it may.
 */
export async function askWithoutKey(
  context: Context,
  target: Omit<RequestEndpoint, 'service' | 'key' | 'describeKey'>
): Promise<string | undefined> {
  const described = { service: 'pets', key: '', describeKey: 'a request without a key' } as const
  try {
    await tryService(context, { ...target, ...described })
    return undefined
  } catch (error) {
    const { code, message } = asFinding(error)
    if (code !== 'auth') throw error
    return hasUsualPath(target.url) ? undefined : message
  }
}
