import type { Client } from '../client/client.ts'
import type { Endpoint, ServiceName } from '../model/endpoint.ts'
import { type Observer, observed, type Transport } from '../model/exchange.ts'
import type { Interruption } from '../platform/interruption.ts'
import type { Settings } from '../settings/settings.ts'
import { localEndpoint, servedUrl, withoutKey } from './endpoints.ts'
import { once } from './once.ts'
import type { Transports } from './transports.ts'

/** What talks to a service: for the environment in use, or for one address and key. */
export interface Clients {
  /** A client for the environment in use. */
  client(): Promise<Client>
  /** A client for one address and key, whatever is in use: for trying a key. */
  clientFor(endpoint: Endpoint): Promise<Client>
  /** The same, repeating nothing, with somebody who looks on. */
  trialClient(endpoint: Endpoint, observer: Observer): Promise<Client>
  /** A client for many requests, each sent once: it is the command that repeats them, and ends them by its signal. */
  bulkClient(signal: AbortSignal): Promise<BulkClient>
}

interface BulkClient {
  readonly client: Client
  /** Where the requests go, for messages and journals. */
  readonly address: string
}

interface Ingredients {
  /** Comes only once it is known that what is to be printed can be: nothing is sent before. */
  readonly checkedSettings: () => Promise<Settings>
  readonly transports: Transports
  readonly interruption: Interruption
  readonly now: () => Date
  readonly notice: (code: string, message: string) => Promise<void>
  readonly addSecret: (key: string) => void
}

/** Where requests go, and by what. */
interface Way {
  readonly environment: string
  readonly endpoint: (service: ServiceName) => Endpoint
  /** The address alone, for which no key has to be there. */
  readonly url: (service: ServiceName) => string
  readonly transport: () => Promise<Transport>
}

export function createClients(ingredients: Ingredients): Clients {
  const { checkedSettings, transports, interruption, now, notice, addSecret } = ingredients

  /** Every client of a run is made here. */
  const clientOn = async ({ environment, endpoint, url, transport }: Way): Promise<Client> => {
    const [settings, { createClient }] = await Promise.all([checkedSettings(), import('../client/client.ts')])
    if (!settings.value('dry-run')) return createClient({ transport: await transport(), endpoint, now })
    if (environment === 'local') {
      await notice('dry-run', `the command is for 'petstore serve', started with the same PETSTORE_API_KEY`)
    }
    const sketched = (service: ServiceName) => withoutKey(url(service), environment)
    return createClient({ transport: await transports.dryRun(), endpoint: sketched, now })
  }

  /** To the environment in use, by that transport unless it is the service inside this program. */
  const wayInUse = async (transport: Way['transport']): Promise<Way> => {
    // A wrong time-out or number of retries is wrong for the local service too, which has no use for them.
    const settings = await checkedSettings()
    for (const name of ['timeout', 'retries'] as const) settings.value(name)
    const { endpoint, address } = settings
    const environment = settings.value('env')
    return environment === 'local'
      ? { environment: 'local', endpoint: localEndpoint, url: servedUrl, transport: transports.local }
      : { environment, endpoint, url: (service) => address(service).url, transport }
  }

  const wayTo = (endpoint: Endpoint, transport: Way['transport']): Way => {
    addSecret(endpoint.key)
    return { environment: endpoint.environment, endpoint: () => endpoint, url: () => endpoint.url, transport }
  }

  return {
    client: once(async () => clientOn(await wayInUse(transports.network))),
    clientFor: (endpoint) => clientOn(wayTo(endpoint, transports.network)),
    trialClient: (endpoint, observer) =>
      clientOn(wayTo(endpoint, async () => observed(await transports.bulk(interruption.signal), observer))),
    bulkClient: async (signal) => {
      const way = await wayInUse(() => transports.bulk(signal))
      // Worked out once for all the requests.
      const endpoint = way.endpoint('pets')
      return { client: await clientOn({ ...way, endpoint: () => endpoint }), address: endpoint.url }
    },
  }
}
