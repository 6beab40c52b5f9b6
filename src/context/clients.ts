import type { Client } from '../client/client.ts'
import type { Endpoint, ServiceName } from '../model/endpoint.ts'
import type { Request, Send, Transport } from '../model/exchange.ts'
import { traced } from '../output/messages.ts'
import type { Reporter } from '../output/reporter.ts'
import type { Host } from '../platform/host.ts'
import type { Interruption } from '../platform/interruption.ts'
import { once, pause } from '../platform/promises.ts'
import { databasePath, dataInMemory, requireConfigPath } from '../settings/location.ts'
import type { Settings } from '../settings/settings.ts'

/** What a client does differently. */
export interface ClientOptions {
  /** Where its requests go, instead of to the selected environment: to test an API key. */
  readonly endpoint?: Endpoint
  /**
   * How many times it repeats a request that is safe to repeat, instead of what the settings say.
   */
  readonly retries?: number
  /**
   * Ends requests in flight, instead of the signal of the run. The caller then shows that it is
   * waiting.
   */
  readonly signal?: AbortSignal
}

interface ClientsOptions {
  readonly host: Host
  readonly interruption: Interruption
  readonly version: string
  /** Checks first that the options for output are valid: nothing is sent before that. */
  readonly checkedSettings: () => Promise<Settings>
  readonly report: Reporter
  /** Prints a request on stdout instead of sending it. */
  readonly showRequest: (request: Request) => Promise<never>
}

interface Clients {
  client(options?: ClientOptions): Promise<Client>
  /** Closes the connections of all clients. */
  close(): Promise<void>
}

/** Makes the clients of a run. */
export function createClients(options: ClientsOptions): Clients {
  const { host, interruption, version, checkedSettings, report, showRequest } = options
  const now = () => host.now()
  const opened = new Set<Promise<Transport>>()

  const connect = async (signal: AbortSignal) => {
    const [{ createNetworkTransport }, { proxyFor }, settings] = await Promise.all([
      import('../client/transport.ts'),
      import('../settings/proxies.ts'),
      checkedSettings(),
    ])
    if (host.env.NODE_TLS_REJECT_UNAUTHORIZED === '0') await warnUnverified()
    return createNetworkTransport({
      timeoutSeconds: settings.value('timeout'),
      signal,
      userAgent: `petstore-cli/${version}`,
      proxyFor: (url) => proxyFor(url, host.env),
    })
  }
  const warnUnverified = once(() => {
    const problem = 'no certificate is checked, so anyone in between can read the API key'
    return report.notice('unverified', `${problem} (NODE_TLS_REJECT_UNAUTHORIZED=0)`)
  })
  const localService = once(async () => {
    const { openLocalService } = await import('../service/local.ts')
    const service = await openLocalService(databasePath(host), now)
    if (!service.isOnDisk) await report.notice('not-saved', dataInMemory)
    return service
  })
  const localDatabase = async () => {
    // An import into a database in memory would be lost when this command ends.
    requireConfigPath(host)
    const { identity, problem } = await localService()
    if (problem !== undefined) throw problem
    return `the local database ${await identity()}`
  }

  const sender = async (
    settings: Settings,
    isLocal: boolean,
    retries: number,
    signal?: AbortSignal,
  ): Promise<Send> => {
    const transport = isLocal ? localService() : connect(signal ?? interruption.signal)
    opened.add(transport)
    let { send } = await transport
    if (settings.value('verbose')) send = traced(send, report.trace)
    if (retries > 0) {
      const { withRetries } = await import('../client/retry.ts')
      send = withRetries({
        send,
        placeName: isLocal ? localServiceName : undefined,
        retries,
        now,
        random: Math.random,
        sleep: (milliseconds) => pause(milliseconds, signal ?? interruption.signal),
        notice: (message) => report.notice('retrying', message),
      })
    }
    if (signal !== undefined) return send
    return (request) => {
      const place = isLocal ? localServiceName : new URL(request.url).host
      return report.whileWaiting(place, () => send(request))
    }
  }

  const client = async ({ endpoint, retries, signal }: ClientOptions = {}): Promise<Client> => {
    const [settings, { createClient }] = await Promise.all([
      checkedSettings(),
      import('../client/client.ts'),
    ])
    // The local service does not need it, but an invalid value is an error everywhere.
    settings.value('timeout')
    const mostRetries = retries ?? settings.value('retries')
    report.addSecret(endpoint?.key)
    const environment = endpoint?.environment ?? settings.requestEnvironment()
    const isLocal = environment === 'local'
    const isDryRun = settings.value('dry-run')

    const endpointOf = (service: ServiceName): Endpoint => {
      if (!isDryRun)
        return endpoint ?? (isLocal ? localEndpoint(service) : settings.endpoint(service))
      // Where `petstore serve` listens by default.
      const url =
        endpoint?.url ??
        (isLocal ? urlBelow('http://127.0.0.1:4010', service) : settings.url(service))
      // No API key is read, so none can be printed.
      return { url, key: 'PETSTORE_API_KEY', describeKey: 'the API key', environment }
    }
    // Each is resolved only once: an import sends thousands of requests a second.
    const endpoints = {
      pets: once(() => endpointOf('pets')),
      messages: once(() => endpointOf('messages')),
    }
    if (isDryRun && isLocal) {
      await report.notice(
        'dry-run',
        'the curl command works while petstore serve runs with the same PETSTORE_API_KEY',
      )
    }
    return createClient({
      send: isDryRun ? showRequest : await sender(settings, isLocal, mostRetries, signal),
      endpoint: (service) => endpoints[service](),
      host,
      redactor: report.redactor,
      database: isLocal && !isDryRun ? localDatabase : undefined,
    })
  }

  return {
    client,
    close: async () => {
      const transports = await Promise.allSettled(opened)
      opened.clear()
      // If a transport could not be opened, that failure was already reported where it was needed.
      for (const transport of transports) {
        if (transport.status === 'fulfilled') await transport.value.close()
      }
    },
  }
}

const localServiceName = 'the local service'

/** The service inside this program has URLs only for form: nothing connects to them. */
const localEndpoint = (service: ServiceName): Endpoint => ({
  url: urlBelow('http://local.invalid', service),
  placeName: localServiceName,
  key: 'local',
  describeKey: 'the API key of the local service',
  environment: 'local',
})

const urlBelow = (origin: string, service: ServiceName) =>
  service === 'pets' ? `${origin}/v1` : origin
