import type { Client } from '../client/client.ts'
import type { Endpoint, RequestEndpoint, ServiceName } from '../model/endpoint.ts'
import type { Request, Send, Transport } from '../model/exchange.ts'
import { traced } from '../output/messages.ts'
import type { Reporter } from '../output/reporter.ts'
import type { Host } from '../platform/host.ts'
import type { Interruption } from '../platform/interruption.ts'
import { once, pause } from '../platform/promises.ts'
import { databasePath, dataInMemory, noHome } from '../settings/location.ts'
import type { Settings } from '../settings/settings.ts'

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

/** The clients of a run. */
export class Clients {
  readonly #options: ClientsOptions
  readonly #opened = new Set<Promise<Transport>>()
  readonly #localService = once(() => this.#openLocalService())
  readonly #warnUnverified = once(() => {
    const problem = 'no certificate is checked, so anyone in between can read the API key'
    const reason = '(NODE_TLS_REJECT_UNAUTHORIZED=0)'
    return this.#options.report.notice('unverified', `${problem} ${reason}`)
  })

  constructor(options: ClientsOptions) {
    this.#options = options
  }

  async client(options: ClientOptions = {}): Promise<Client> {
    const { endpoint: given } = options
    const { checkedSettings, report, showRequest } = this.#options
    const [settings, { createClient }] = await Promise.all([
      checkedSettings(),
      import('../client/client.ts'),
    ])
    // The local service does not need it, but an invalid value is an error everywhere.
    settings.value('timeout')
    report.addSecret(given?.key)
    const { environment = given?.environment ?? settings.requestEnvironment() } = options
    const isLocal = environment === 'local'
    const common = { redactor: report.redactor }

    if (settings.value('dry-run')) {
      if (isLocal) await this.#explainLocalDryRun()
      const endpoint = (service: ServiceName) =>
        dryRunEndpoint(service, given?.url, environment, settings)
      return createClient({ ...common, send: showRequest, endpoint: oncePerService(endpoint) })
    }
    const endpoint = (service: ServiceName) =>
      given ?? (isLocal ? localEndpoint(service) : settings.endpoint(service, environment))
    return createClient({
      ...common,
      send: await this.#sender(settings, isLocal, options),
      endpoint: oncePerService(endpoint),
      database: isLocal ? () => this.#localDatabase() : undefined,
    })
  }

  /** Closes the connections of all clients. */
  async close(): Promise<void> {
    const transports = await Promise.allSettled(this.#opened)
    this.#opened.clear()
    // If a transport could not be opened, that failure was already reported where it was needed.
    for (const transport of transports) {
      if (transport.status === 'fulfilled') await transport.value.close()
    }
  }

  async #sender(settings: Settings, isLocal: boolean, options: ClientOptions): Promise<Send> {
    const { interruption, report } = this.#options
    const {
      retries = settings.value('retries'),
      signal = interruption.signal,
      showsWaiting = false,
    } = options
    const transport = isLocal ? this.#localService() : this.#connect(settings, signal)
    this.#opened.add(transport)
    const { send } = await transport
    const shown = settings.value('verbose') ? traced(send, report.trace) : send
    const repeated = retries > 0 ? await this.#withRetries(shown, isLocal, retries, signal) : shown
    if (showsWaiting) return repeated
    return (request) => {
      const place = isLocal ? localServiceName : new URL(request.url).host
      return report.whileWaiting(place, () => repeated(request))
    }
  }

  async #withRetries(
    send: Send,
    isLocal: boolean,
    retries: number,
    signal: AbortSignal,
  ): Promise<Send> {
    const { report } = this.#options
    const { withRetries } = await import('../client/retry.ts')
    return withRetries({
      send,
      placeName: isLocal ? localServiceName : undefined,
      retries,
      random: Math.random,
      sleep: (milliseconds) => pause(milliseconds, signal),
      notice: (message) => report.notice('retrying', message),
    })
  }

  async #connect(settings: Settings, signal: AbortSignal): Promise<Transport> {
    const { host, version } = this.#options
    const [{ createNetworkTransport }, { proxyFor }] = await Promise.all([
      import('../client/transport.ts'),
      import('../settings/proxies.ts'),
    ])
    if (host.env.NODE_TLS_REJECT_UNAUTHORIZED === '0') await this.#warnUnverified()
    return createNetworkTransport({
      timeoutSeconds: settings.value('timeout'),
      signal,
      userAgent: `petstore-cli/${version}`,
      proxyFor: (url) => proxyFor(url, host.env),
    })
  }

  async #openLocalService() {
    const { host, report } = this.#options
    const { openLocalService } = await import('../service/local.ts')
    const service = openLocalService(databasePath(host) ?? noHome(), () => host.now())
    if (!service.isOnDisk) await report.notice('not-saved', dataInMemory)
    return service
  }

  async #localDatabase(): Promise<string> {
    const { identity, problem } = await this.#localService()
    // An import into a database in memory would be lost when this command ends.
    if (problem !== undefined) throw problem
    return `the local database ${await identity()}`
  }

  async #explainLocalDryRun(): Promise<void> {
    const steps = "start 'petstore serve' and export the PETSTORE_API_KEY that it prints"
    await this.#options.report.notice('dry-run', `to run the curl command, ${steps}`)
  }
}

const localServiceName = 'the local service'

/** The service inside this program has URLs only for form: nothing connects to them. */
function localEndpoint(service: ServiceName): Endpoint {
  return {
    url: urlBelow('http://local.invalid', service),
    placeName: localServiceName,
    key: 'local',
    describeKey: 'the API key of the local service',
    environment: 'local',
  }
}

/** Where `petstore serve` listens by default. */
const defaultOrigin = 'http://127.0.0.1:4010'

/** Nothing is sent, so no API key is needed, and none is read. */
function dryRunEndpoint(
  service: ServiceName,
  givenUrl: string | undefined,
  environment: string,
  settings: Settings,
): RequestEndpoint {
  const ownUrl = () =>
    environment === 'local' ? urlBelow(defaultOrigin, service) : settings.url(service, environment)
  return { url: givenUrl ?? ownUrl(), describeKey: 'the API key', environment }
}

function urlBelow(origin: string, service: ServiceName): string {
  return service === 'pets' ? `${origin}/v1` : origin
}

/** An import asks for them thousands of times a second. */
function oncePerService<Value extends object>(
  make: (service: ServiceName) => Value,
): (service: ServiceName) => Value {
  const made = { pets: once(() => make('pets')), messages: once(() => make('messages')) }
  return (service) => made[service]()
}
