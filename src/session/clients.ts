import type { RequestEndpoint } from '../model/endpoint.ts'
import type { Send, Transport } from '../model/exchange.ts'
import { makeDatabasePlace } from '../settings/location.ts'
import type { Settings } from '../settings/settings.ts'
import type { Interruption } from '../system/interruption.ts'
import { once, pause } from '../system/promises.ts'
import { endpointOf, requireWritable } from './endpoint.ts'
import type { ShownRequestOptions } from './shown-request.ts'

/** What a client does differently. */
interface ClientOptions {
  /** Where its requests go, instead of to the selected environment. */
  readonly environment?: string
  /** The URL and the key of the selected one that are not saved yet. */
  readonly endpoint?: RequestEndpoint
  /** How many times it repeats what is safe to repeat, instead of what the settings say. */
  readonly retries?: number
}

interface BulkOptions {
  readonly connections?: number
  /** Ends requests in flight. */
  readonly signal?: AbortSignal
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
    return openLocalService(await makeDatabasePlace(host), host.now)
  })
  /** What sends a request once. */
  const open = async (settings: Settings, environment: string, bulk?: BulkOptions) => {
    const isLocal = environment === 'local'
    const transport = await (isLocal ? localService() : connect(options, settings, bulk))
    opened.add(transport)
    if (!settings.value('verbose')) return transport.send
    const { traced } = await import('../output/trace.ts')
    return traced(transport.send, lines => report.log('trace', lines))
  }
  /** Errors in the options for output are found before anything is sent. */
  const checkedSettings = async () => {
    await output.settings()
    return options.settings()
  }

  return {
    /**
     * The operations of the service, in the selected environment unless the options say otherwise.
     */
    client: async ({ environment: named, endpoint, retries }: ClientOptions = {}) => {
      const [settings, { createClient }, { withRetries }] = await Promise.all([
        checkedSettings(),
        import('../client/client.ts'),
        import('../client/retry.ts')
      ])
      report.addSecret(endpoint?.key)
      const environment = named ?? settings.value('env')
      const sendSafely = withRetries({
        send: settings.value('dry-run') ? shownBy(options) : await open(settings, environment),
        retries: retries ?? settings.value('retries'),
        random: Math.random,
        sleep: milliseconds => pause(milliseconds, interruption.signal),
        notice: async message => {
          // A watch lists again in any case, and says so.
          if (!interruption.isExpected) await report.notice('retrying', message)
        }
      })
      return createClient({
        send: async (request, circumstances) => {
          if (circumstances.isChange) requireWritable(settings, environment)
          return report.whileWaiting(environment, () => sendSafely(request, circumstances))
        },
        redact: report.redact,
        endpointOf: service => endpoint ?? endpointOf(service, environment, settings)
      })
    },
    /**
     * For an import: sends each request once, several at a time. Rejects before anything is opened
     * where nothing may be changed.
     */
    bulk: async (bulk: BulkOptions) => {
      const settings = await checkedSettings()
      const environment = settings.value('env')
      requireWritable(settings, environment)
      const endpoint = endpointOf('pets', environment, settings)
      const send = await open(settings, environment, bulk)
      const service = environment === 'local' ? await localService() : undefined
      return {
        endpoint,
        send,
        identity: (await service?.identity()) ?? endpoint.url,
        redact: report.redact
      }
    },
    /** Closes everything that was opened. A run ends only after that. */
    close: async () => {
      for (const transport of opened) {
        opened.delete(transport)
        await transport.close?.()
      }
    }
  }
}

async function connect(
  { host, interruption, version }: ClientsOptions,
  settings: Settings,
  bulk: BulkOptions | undefined
): Promise<Transport> {
  const { createNetworkTransport } = await import('../client/transport.ts')
  return createNetworkTransport({
    timeoutSeconds: settings.value('timeout'),
    signal: interruption.signal,
    userAgent: `petstore-cli/${version}`,
    env: host.env,
    ...bulk
  })
}

/** Shows a request instead of sending it. */
function shownBy(options: ShownRequestOptions): Send {
  return async request => {
    const { showRequest } = await import('./shown-request.ts')
    return showRequest(request, options)
  }
}
