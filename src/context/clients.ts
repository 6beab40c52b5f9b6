import type { Client } from '../client/client.ts'
import type { Endpoint, ServiceName } from '../model/endpoint.ts'
import { type Observer, observed, type Transport } from '../model/exchange.ts'
import type { Reporter } from '../output/reporter.ts'
import type { Host } from '../platform/host.ts'
import type { Interruption } from '../platform/interruption.ts'
import { once } from '../platform/promises.ts'
import type { Settings } from '../settings/settings.ts'
import type { Transports } from './transports.ts'

interface ClientsOptions {
  readonly host: Host
  readonly interruption: Interruption
  readonly reporter: Reporter
  readonly transports: Transports
  /** Checks first that the options for output are valid: nothing is sent before that. */
  readonly checkedSettings: () => Promise<Settings>
}

/** Where requests go, and the transport for them. */
interface Destination {
  readonly environment: string
  readonly endpoint: (service: ServiceName) => Endpoint
  /** The URL alone, which needs no API key. */
  readonly url: (service: ServiceName) => string
  readonly transport: () => Promise<Transport>
}

/** Clients for the service of the selected environment, or for one given by URL and API key. */
export function createClients({ host, interruption, reporter, transports, checkedSettings }: ClientsOptions) {
  const now = () => host.now()

  const clientTo = async ({ environment, endpoint, url, transport }: Destination): Promise<Client> => {
    const [settings, { createClient }] = await Promise.all([checkedSettings(), import('../client/client.ts')])
    if (!settings.value('dry-run')) return createClient({ transport: await transport(), endpoint, now })
    if (environment === 'local') {
      await reporter.notice('dry-run', 'the command works while petstore serve runs with the same PETSTORE_API_KEY')
    }
    const keyless = (service: ServiceName) => endpointWithoutKey(url(service), environment)
    return createClient({ transport: await transports.dryRun(), endpoint: keyless, now })
  }

  /** The selected environment, by that transport unless it is the service inside this program. */
  const selected = async (transport: Destination['transport']): Promise<Destination> => {
    const settings = await checkedSettings()
    // The local service needs neither, but an invalid value is an error everywhere.
    for (const name of ['timeout', 'retries'] as const) settings.value(name)
    const environment = settings.requestEnvironment()
    return environment === 'local'
      ? { environment, endpoint: localEndpoint, url: servedUrl, transport: transports.local }
      : { environment, endpoint: settings.endpoint, url: settings.url, transport }
  }

  const given = (endpoint: Endpoint, transport: Destination['transport']): Destination => {
    reporter.addSecret(endpoint.key)
    return { environment: endpoint.environment, endpoint: () => endpoint, url: () => endpoint.url, transport }
  }

  return {
    /** A client for the selected environment. */
    client: once(async () => clientTo(await selected(transports.network))),
    /** A client for one endpoint, independent of the selected environment: to test an API key. */
    clientFor: (endpoint: Endpoint) => clientTo(given(endpoint, transports.network)),
    /** The same without retries, and with an observer of each attempt. */
    probingClient: (endpoint: Endpoint, observer: Observer) =>
      clientTo(given(endpoint, async () => observed(await transports.bulk(interruption.signal), observer))),
    /**
     * A client for many requests, each sent once: the command repeats them, and aborts them with its signal. The URL
     * says where they go, for messages and journals.
     */
    bulkClient: async (signal: AbortSignal) => {
      const destination = await selected(() => transports.bulk(signal))
      // Resolved only once for all requests.
      const endpoint = destination.endpoint('pets')
      return { client: await clientTo({ ...destination, endpoint: () => endpoint }), url: endpoint.url }
    },
  }
}

/** The service inside this program has URLs only for form: nothing connects to them. */
const localEndpoint = (service: ServiceName): Endpoint => ({
  url: urlBelow('http://local.invalid', service),
  placeName: 'the local service',
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
