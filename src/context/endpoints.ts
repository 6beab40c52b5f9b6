import type { RequestEndpoint, ServiceName } from '../model/endpoint.ts'
import type { Settings } from '../settings/settings.ts'

const localServiceName = 'the local service'

/** The service inside this program has URLs only for form: nothing connects to them. */
const localOrigin = 'http://local.invalid'

/** Where `petstore serve` listens by default. */
const servedOrigin = 'http://127.0.0.1:4010'

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
  const path = service === 'pets' ? '/v1' : ''
  const isDryRun = settings.value('dry-run')
  if (environment === 'local') {
    const common = { describeKey: 'the API key of the local service', environment }
    if (isDryRun) return { ...common, url: `${servedOrigin}${path}` }
    return { ...common, url: `${localOrigin}${path}`, placeName: localServiceName, key: 'local' }
  }
  if (!isDryRun) return settings.endpoint(service, environment)
  return { url: settings.url(service, environment), describeKey: 'the API key', environment }
}
