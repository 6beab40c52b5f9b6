import type { Context } from '../context.ts'
import { type SettingName, variableOf } from '../settings/table.ts'

/** Says so if a variable still decides what was saved. */
export async function noticeOverride(
  { settings, notice }: Context,
  name: SettingName,
  what = 'the saved value',
): Promise<void> {
  const variable = variableOf((await settings()).resolve(name)?.origin)
  if (variable !== undefined) await notice('overridden', `${variable} is set and overrides ${what}`)
}

/** The description of the service has base URLs end in /v1; another one is accepted, and is often a typing error. */
export async function noticeUnusualUrl({ notice }: Context, baseUrl: string | undefined): Promise<void> {
  if (baseUrl === undefined || /\/v1\/?$/.test(baseUrl)) return
  await notice('unusual-url', 'the base URL does not end in /v1, as the URLs of this service usually do')
}
