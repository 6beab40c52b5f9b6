import { Failure } from '../failure.ts'
import type { RequestEndpoint, ServiceName } from '../model/endpoint.ts'
import type { Settings } from '../settings/settings.ts'

/**
 * Where `petstore serve` listens by default. The service inside this program has URLs only for form:
 * nothing connects to them.
 */
export const localOrigin = 'http://127.0.0.1:4010'

/**
 * Throws if a URL or an API key is missing. A dry run sends nothing, so no key is needed, and none
 * is read.
 */
export function endpointOf(
  service: ServiceName,
  environment: string,
  settings: Settings
): RequestEndpoint {
  const isDryRun = settings.value('dry-run')
  const own = {
    environment,
    isIdempotent: settings.isIdempotent(environment),
    describeKey: 'the API key'
  }
  if (environment === 'local')
    return {
      ...own,
      url: service === 'pets' ? `${localOrigin}/v1` : localOrigin,
      placeName: 'the local service',
      ...(!isDryRun && { key: 'local' })
    }
  if (!isDryRun) return { ...own, ...settings.endpoint(service, environment) }
  return { ...own, url: settings.url(service, environment) }
}

/** Throws if requests that change something are refused there. A dry run sends none. */
export function requireWritable(settings: Settings, environment: string): void {
  const reason = settings.value('dry-run') ? undefined : settings.readOnlyReason(environment)
  if (reason === undefined) return
  const problem = `${reason}: a request that changes something is not sent`
  throw new Failure('usage', problem, { hint: 'petstore help environment' })
}
