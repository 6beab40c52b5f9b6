import type { SendSafely } from '../client/retry.ts'
import type { Endpoint, RequestEndpoint, ServiceName } from '../model/endpoint.ts'
import type { Transport } from '../model/exchange.ts'
import type { Interruption } from '../platform/interruption.ts'
import { once, pause } from '../platform/promises.ts'
import { databasePath, dataInMemory, noHome } from '../settings/location.ts'
import type { Settings } from '../settings/settings.ts'
import { requireWritable } from './read-only.ts'
import type { ShownRequestOptions } from './shown-request.ts'

/** What a client does differently. */
export interface ClientOptions {
  /** Where its requests go, instead of to the selected environment. */
  readonly environment?: string
  /** The same, with what is not saved: to test an API key. */
  readonly endpoint?: RequestEndpoint
  /**
   * How many times it repeats a request that is safe to repeat, instead of what the settings say.
   */
  readonly retries?: number
  /** Ends requests in flight, instead of the signal of the run. */
  readonly signal?: AbortSignal
  /** The caller shows that it is waiting, so no spinner appears. */
  readonly showsWaiting?: boolean
}

interface BulkClientOptions {
  readonly connections: number
  /** Ends requests in flight. */
  readonly signal: AbortSignal
}

interface ClientsOptions extends ShownRequestOptions {
  readonly interruption: Interruption
  readonly version: string
  readonly settings: () => Promise<Settings>
}

/** The clients of a run. */
export function createClients(options: ClientsOptions) {
  const { host, interruption, output, report } = options
  const opened = new Set<Transport>()
  const localService = once(async () => {
    const { openLocalService } = await import('../service/local.ts')
    const service = openLocalService(databasePath(host) ?? noHome(), host.now)
    if (!service.isOnDisk) await report.notice('not-saved', dataInMemory)
    return service
  })
  /** An import into a database in memory would be lost when this command ends. */
  const localIdentity = async () => {
    const { identity, problem } = await localService()
    if (problem !== undefined) throw problem
    return `the local database ${await identity()}`
  }
  const warnUnverified = once(() => {
    const problem = 'no certificate is checked, so anyone in between can read the API key'
    return report.notice('unverified', `${problem} (NODE_TLS_REJECT_UNAUTHORIZED=0)`)
  })

  /** Most runs show no requests. */
  const sendOf = async (settings: Settings, { send }: Pick<Transport, 'send'>) => {
    if (!settings.value('verbose')) return send
    const { traced } = await import('../output/trace.ts')
    return traced(send, linesOf => report.log('trace', linesOf))
  }

  const senderFor = async (
    settings: Settings,
    isLocal: boolean,
    {
      retries = settings.value('retries'),
      signal = interruption.signal,
      showsWaiting
    }: ClientOptions
  ): Promise<SendSafely> => {
    if (!isLocal && host.env.NODE_TLS_REJECT_UNAUTHORIZED === '0') await warnUnverified()
    const transport = await (isLocal ? localService() : connect(options, settings, signal))
    opened.add(transport)
    const { withRetries } = await import('../client/retry.ts')
    const placeName = isLocal ? localServiceName : undefined
    const repeated = withRetries({
      send: await sendOf(settings, transport),
      placeName,
      retries,
      random: Math.random,
      sleep: milliseconds => pause(milliseconds, signal),
      notice: message => report.notice('retrying', message)
    })
    if (showsWaiting) return repeated
    return (request, circumstances) => {
      const place = placeName ?? new URL(request.url).host
      return report.whileWaiting(place, () => repeated(request, circumstances))
    }
  }

  return {
    client: async (clientOptions: ClientOptions = {}) => {
      const [settings, { createClient }] = await Promise.all([
        options.settings(),
        import('../client/client.ts')
      ])
      // Errors in the options for output are found before anything is sent.
      await output.settings()
      // The local service does not need it, but an invalid value is an error everywhere.
      settings.value('timeout')
      const { endpoint: given } = clientOptions
      report.addSecret(given?.key)
      const environment = clientOptions.environment ?? given?.environment ?? settings.value('env')
      const isLocal = environment === 'local'
      const isDryRun = settings.value('dry-run')
      if (isLocal && isDryRun) await report.notice('dry-run', localDryRun)

      const endpoints = endpointsOf(settings, environment, given)
      const show: SendSafely = async request => {
        const { showRequest } = await import('./shown-request.ts')
        return showRequest(request, options)
      }
      const sendAnything = isDryRun ? show : await senderFor(settings, isLocal, clientOptions)
      const send: SendSafely = async (request, circumstances) => {
        if (circumstances.isChange) requireWritable(settings, environment)
        return sendAnything(request, circumstances)
      }
      return createClient({ send, redactor: report.redactor, endpoints })
    },
    /**
     * For an import: sends each request once, several at a time. Rejects before anything is opened
     * where nothing may be changed.
     */
    bulk: async ({ connections, signal }: BulkClientOptions) => {
      const settings = await options.settings()
      const environment = settings.value('env')
      requireWritable(settings, environment)
      await output.settings()
      const timeoutSeconds = settings.value('timeout')
      const isLocal = environment === 'local'
      const endpoint = endpointsOf(settings, environment).pets()
      const transport = isLocal
        ? await localService()
        : (await import('../client/bulk-transport.ts')).createBulkTransport({
            origin: new URL(endpoint.url).origin,
            connections,
            timeoutSeconds,
            signal,
            userAgent: `petstore-cli/${options.version}`,
            env: host.env
          })
      opened.add(transport)
      if (!isLocal && host.env.NODE_TLS_REJECT_UNAUTHORIZED === '0') await warnUnverified()
      return {
        endpoint,
        identity: isLocal ? await localIdentity() : endpoint.url,
        send: await sendOf(settings, transport),
        redact: await report.redactor()
      }
    },
    /** Closes the connections of all clients. */
    close: async () => {
      const transports = [...opened]
      opened.clear()
      for (const transport of transports) await transport.close()
    }
  }
}

/** Each is found when it is first needed, and throws if a URL or an API key is missing. */
function endpointsOf(settings: Settings, environment: string, given?: RequestEndpoint) {
  const isLocal = environment === 'local'
  const endpointOf = (service: ServiceName): RequestEndpoint => {
    if (settings.value('dry-run')) {
      // Nothing is sent, so no API key is needed, and none is read.
      const url =
        given?.url ??
        (isLocal ? urlBelow(defaultOrigin, service) : settings.url(service, environment))
      const isIdempotent = settings.isIdempotent(environment)
      return { url, describeKey: 'the API key', environment, isIdempotent }
    }
    if (given !== undefined) return given
    const endpoint = isLocal ? localEndpoint(service) : settings.endpoint(service, environment)
    return { ...endpoint, isIdempotent: settings.isIdempotent(environment) }
  }
  // An import asks for them thousands of times a second.
  return {
    pets: once(() => endpointOf('pets')),
    messages: once(() => endpointOf('messages'))
  }
}

async function connect(
  { host, version }: ClientsOptions,
  settings: Settings,
  signal: AbortSignal
): Promise<Transport> {
  const { createNetworkTransport } = await import('../client/transport.ts')
  return createNetworkTransport({
    timeoutSeconds: settings.value('timeout'),
    signal,
    userAgent: `petstore-cli/${version}`,
    env: host.env
  })
}

const localDryRun =
  "to run the curl command, start 'petstore serve' and export the PETSTORE_API_KEY that it prints"

const localServiceName = 'the local service'

/** The service inside this program has URLs only for form: nothing connects to them. */
function localEndpoint(service: ServiceName): Endpoint {
  return {
    url: urlBelow('http://local.invalid', service),
    placeName: localServiceName,
    key: 'local',
    describeKey: 'the API key of the local service',
    environment: 'local'
  }
}

/** Where `petstore serve` listens by default. */
const defaultOrigin = 'http://127.0.0.1:4010'

function urlBelow(origin: string, service: ServiceName): string {
  return service === 'pets' ? `${origin}/v1` : origin
}
