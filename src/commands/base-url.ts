import type { Context } from '../context.ts'

/** The description of the service has base URLs end in /v1; another one is accepted, and is often a typing error. */
export async function noticeUnusualUrl({ notice }: Context, baseUrl: string | undefined): Promise<void> {
  if (baseUrl === undefined || /\/v1\/?$/.test(baseUrl)) return
  await notice('unusual-url', 'the base URL does not end in /v1, as the URLs of this service usually do')
}
