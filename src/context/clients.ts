import type { Client } from '../client/client.ts'
import type { Endpoint, ServiceName } from '../model/endpoint.ts'
import { type Observer, observed, type Request, type Transport } from '../model/exchange.ts'
import { traceTo } from '../output/messages.ts'
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
  /** How many times it repeats a request that is safe to repeat, instead of what the settings say. */
  readonly retries?: number
  /** Observes every attempt. */
  readonly observer?: Observer
  /** Ends requests in flight, instead of the signal of the run. The caller then shows that it is waiting. */
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
  readonly showRequest: (request: Request) => Promise<void>
}

interface Clients {
  client(options?: ClientOptions): Promise<Client>
  /** Closes the connections of all clients. */
  close(): Promise<void>
}

/** Makes the clients of a run. Those without a signal of their own share their connections. */
export function createClients(options: ClientsOptions): Clients {
  const { host, interruption, version, checkedSettings, report, showRequest } = options
  const now = () => host.now()
  const opened: Promise<Transport>[] = []
  const open = (transport: Promise<Transport>) => {
    opened.push(transport)
    return transport
  }

  const connect = async (signal: AbortSignal) => {
    const [{ createNetworkTransport }, { proxyFor }, settings] = await Promise.all([
      import('../client/transport.ts'),
      import('../settings/proxies.ts'),
      checkedSettings(),
    ])
    const transport = createNetworkTransport({
      timeoutSeconds: settings.value('timeout'),
      signal,
      userAgent: `petstore-cli/${version}`,
      proxyFor: (url) => proxyFor(url, host.env),
    })
    if (host.env.NODE_TLS_REJECT_UNAUTHORIZED !== '0') return transport
    return observed(transport, { onRequest: ({ url }) => (url.startsWith('https:') ? warnUnverified() : undefined) })
  }
  const warnUnverified = once(() => {
    const problem = 'no certificate is checked, so anyone in between can read the API key'
    return report.notice('unverified', `${problem} (NODE_TLS_REJECT_UNAUTHORIZED=0)`)
  })
  const network = once(() => open(connect(interruption.signal)))
  const localService = once(() => openLocal())
  const local = once(() => open(localService().then(({ transport }) => transport)))
  const openLocal = async () => {
    const { openLocalService } = await import('../service/local.ts')
    const service = await openLocalService(databasePath(host), now)
    if (!service.isOnDisk) await report.notice('not-saved', dataInMemory)
    return service
  }

  const localDatabase = async () => {
    // An import into a database in memory would be lost when this command ends.
    requireConfigPath(host)
    const { identity, problem } = await localService()
    if (problem !== undefined) throw problem
    return `the local database ${await identity()}`
  }

  const transportTo = async (environment: string, { retries = 0, observer, signal }: ClientOptions) => {
    const settings = await checkedSettings()
    const isLocal = environment === 'local'
    let transport = await (isLocal ? local() : signal === undefined ? network() : open(connect(signal)))
    if (observer !== undefined) transport = observed(transport, observer)
    if (settings.value('verbose')) transport = observed(transport, traceTo(report))
    if (retries > 0) {
      const { withRetries } = await import('../client/retry.ts')
      transport = withRetries({
        transport,
        placeName: isLocal ? localServiceName : undefined,
        retries,
        now,
        random: Math.random,
        sleep: (milliseconds) => pause(milliseconds, signal ?? interruption.signal),
        notice: (message) => report.notice('retrying', message),
      })
    }
    if (signal !== undefined) return transport
    return withSpinner(transport, report, ({ url }) => (isLocal ? localServiceName : new URL(url).host))
  }

  const client = async (chosen: ClientOptions = {}): Promise<Client> => {
    const [settings, { createClient }] = await Promise.all([checkedSettings(), import('../client/client.ts')])
    // The local service needs neither, but an invalid value is an error everywhere.
    settings.value('timeout')
    const retries = chosen.retries ?? settings.value('retries')
    report.addSecret(chosen.endpoint?.key)
    const environment = chosen.endpoint?.environment ?? settings.requestEnvironment()
    const isLocal = environment === 'local'
    const isDryRun = settings.value('dry-run')

    const endpointOf = (service: ServiceName): Endpoint => {
      const url = () => chosen.endpoint?.url ?? (isLocal ? servedUrl(service) : settings.url(service))
      if (isDryRun) return endpointWithoutKey(url(), environment)
      return chosen.endpoint ?? (isLocal ? localEndpoint(service) : settings.endpoint(service))
    }
    // Each is resolved only once: an import sends thousands of requests a second.
    const endpoints = { pets: once(() => endpointOf('pets')), messages: once(() => endpointOf('messages')) }
    if (isDryRun && isLocal) {
      await report.notice('dry-run', 'the curl command works while petstore serve runs with the same PETSTORE_API_KEY')
    }
    const transport = isDryRun
      ? (await import('../client/dry-run.ts')).createDryRun(showRequest)
      : await transportTo(environment, { ...chosen, retries })
    const { redactor } = report
    const database = isLocal && !isDryRun ? localDatabase : undefined
    return createClient({ transport, endpoint: (service) => endpoints[service](), host, redactor, database })
  }

  return {
    client,
    close: async () => {
      // If a transport could not be opened, that failure was already reported where it was needed.
      for (const transport of await Promise.allSettled(opened.splice(0))) {
        if (transport.status === 'fulfilled') await transport.value.close()
      }
    },
  }
}

/** Shows in a terminal that the program is waiting for a reply. */
function withSpinner(transport: Transport, report: Reporter, nameOf: (request: Request) => string): Transport {
  return {
    close: () => transport.close(),
    send: (request) => report.whileWaiting(nameOf(request), () => transport.send(request)),
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

/** Where `petstore serve` listens by default. */
const servedUrl = (service: ServiceName) => urlBelow('http://127.0.0.1:4010', service)

const urlBelow = (origin: string, service: ServiceName) => (service === 'pets' ? `${origin}/v1` : origin)

/** For a dry run: no API key is read, so none can be printed. */
const endpointWithoutKey = (url: string, environment: string): Endpoint => ({
  url,
  key: 'PETSTORE_API_KEY',
  describeKey: 'the API key',
  environment,
})
