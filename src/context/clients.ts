import type { Client } from '../client/client.ts'
import type { Endpoint, ServiceName } from '../model/endpoint.ts'
import { type Observer, observed, type Transport } from '../model/exchange.ts'
import type { Interruption } from '../platform/interruption.ts'
import type { Settings } from '../settings/settings.ts'
import { once } from './once.ts'
import type { Transports } from './transports.ts'

/** Clients for the selected environment, or for one address and key. */
export interface Clients {
  /** A client for the selected environment. */
  client(): Promise<Client>
  /** A client for one address and key, whatever environment is selected: to test a key. */
  clientFor(endpoint: Endpoint): Promise<Client>
  /** The same without retries, with an observer. */
  trialClient(endpoint: Endpoint, observer: Observer): Promise<Client>
  /** A client for many requests without retries: the command repeats them, and its signal ends them. */
  bulkClient(signal: AbortSignal): Promise<BulkClient>
}

interface BulkClient {
  readonly client: Client
  /** Where the requests go, for messages and journals. */
  readonly address: string
}

interface ClientsParts {
  /** Rejects if the output options are wrong, before anything is sent. */
  readonly checkedSettings: () => Promise<Settings>
  readonly transports: Transports
  readonly interruption: Interruption
  readonly now: () => Date
  readonly notice: (code: string, message: string) => Promise<void>
  readonly addSecret: (key: string) => void
}

/** Where requests go, and by which transport. */
interface Destination {
  readonly environment: string
  readonly endpoint: (service: ServiceName) => Endpoint
  /** The address alone, which needs no key. */
  readonly url: (service: ServiceName) => string
  readonly transport: () => Promise<Transport>
}

export function createClients(parts: ClientsParts): Clients {
  const { checkedSettings, transports, interruption, now, notice, addSecret } = parts

  const clientTo = async ({ environment, endpoint, url, transport }: Destination): Promise<Client> => {
    const [settings, { createClient }] = await Promise.all([checkedSettings(), import('../client/client.ts')])
    if (!settings.value('dry-run')) return createClient({ transport: await transport(), endpoint, now })
    if (environment === 'local') {
      await notice('dry-run', `the command is for 'petstore serve', started with the same PETSTORE_API_KEY`)
    }
    const keyless = (service: ServiceName) => endpointWithoutKey(url(service), environment)
    return createClient({ transport: await transports.dryRun(), endpoint: keyless, now })
  }

  /** To the selected environment, by this transport unless it is the local one. */
  const selected = async (transport: Destination['transport']): Promise<Destination> => {
    const settings = await checkedSettings()
    // A wrong timeout or number of retries is an error in the local environment too, which does not use them.
    for (const name of ['timeout', 'retries'] as const) settings.value(name)
    const { endpoint, address } = settings
    const environment = settings.value('env')
    return environment === 'local'
      ? { environment: 'local', endpoint: localEndpoint, url: servedUrl, transport: transports.local }
      : { environment, endpoint, url: (service) => address(service).url, transport }
  }

  const to = (endpoint: Endpoint, transport: Destination['transport']): Destination => {
    addSecret(endpoint.key)
    return { environment: endpoint.environment, endpoint: () => endpoint, url: () => endpoint.url, transport }
  }

  return {
    client: once(async () => clientTo(await selected(transports.network))),
    clientFor: (endpoint) => clientTo(to(endpoint, transports.network)),
    trialClient: (endpoint, observer) =>
      clientTo(to(endpoint, async () => observed(await transports.bulk(interruption.signal), observer))),
    bulkClient: async (signal) => {
      const destination = await selected(() => transports.bulk(signal))
      // Resolved once for all requests.
      const endpoint = destination.endpoint('pets')
      return { client: await clientTo({ ...destination, endpoint: () => endpoint }), address: endpoint.url }
    },
  }
}

/** The service inside this program has addresses only because a request needs one: nothing connects to them. */
const localEndpoint = (service: ServiceName): Endpoint => ({
  url: service === 'pets' ? 'http://local.invalid/v1' : 'http://local.invalid',
  placeName: 'the local service',
  key: 'local',
  describeKey: 'the key of the local service',
  environment: 'local',
})

/** Where `petstore serve` listens by default. */
const servedUrl = (service: ServiceName): string =>
  service === 'pets' ? 'http://127.0.0.1:4010/v1' : 'http://127.0.0.1:4010'

/** For a dry run, which reads no key, so that none can be shown. */
const endpointWithoutKey = (url: string, environment: string): Endpoint => ({
  url,
  key: 'PETSTORE_API_KEY',
  describeKey: 'the key',
  environment,
})
