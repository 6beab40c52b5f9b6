import type { RequestEndpoint, ServiceName } from '../model/endpoint.ts'
import type { Settings } from '../settings/settings.ts'

/**
 * Where `petstore serve` listens by default. The service inside this program has URLs only for form:
 * nothing connects to them.
 */
const localOrigin = 'http://127.0.0.1:4010'

/** Each is found when it is needed, and throws if a URL or an API key is missing. */
export function endpointsOf(settings: Settings, environment: string, given?: RequestEndpoint) {
  const endpointOf = (service: ServiceName): RequestEndpoint => ({
    ...(given ?? resolved(settings, environment, service)),
    isIdempotent: given === undefined && settings.isIdempotent(environment)
  })
  return { pets: () => endpointOf('pets'), messages: () => endpointOf('messages') }
}

/** A dry run sends nothing, so no API key is needed, and none is read. */
function resolved(settings: Settings, environment: string, service: ServiceName): RequestEndpoint {
  const isDryRun = settings.value('dry-run')
  if (environment === 'local')
    return {
      environment,
      url: service === 'pets' ? `${localOrigin}/v1` : localOrigin,
      placeName: 'the local service',
      describeKey: 'the API key of the local service',
      ...(!isDryRun && { key: 'local' })
    }
  if (!isDryRun) return settings.endpoint(service, environment)
  return { url: settings.url(service, environment), describeKey: 'the API key', environment }
}
