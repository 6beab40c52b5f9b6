import { deprecationOf } from '../client/deprecation.ts'
import { type Observer, observed, type Request, type Transport } from '../model/exchange.ts'
import type { Reporter } from '../output/reporter.ts'
import type { Host } from '../platform/host.ts'
import type { Interruption } from '../platform/interruption.ts'
import { once, pause } from '../platform/promises.ts'
import { databasePath, dataInMemory } from '../settings/location.ts'
import type { Settings } from '../settings/settings.ts'

export type Transports = ReturnType<typeof createTransports>

interface TransportsOptions {
  readonly host: Host
  readonly interruption: Interruption
  readonly version: string
  readonly settings: () => Promise<Settings>
  readonly reporter: Reporter
  readonly noticeDeprecation: (what: string, message: string) => Promise<void>
  /** Prints a request on stdout instead of sending it. */
  readonly showRequest: (request: Request) => Promise<void>
}

/** The transports for requests. Each is opened at first use. */
export function createTransports(options: TransportsOptions) {
  const { host, interruption, version, settings, reporter, noticeDeprecation, showRequest } = options
  const openTransports: Promise<Transport>[] = []
  const now = () => host.now()

  const opened = (open: () => Promise<Transport>) =>
    once(() => {
      const transport = open()
      openTransports.push(transport)
      return transport
    })
  /** Observes every attempt: for deprecations that the service announces, and for `--verbose`. */
  const watched = async (transport: Transport) => {
    const deprecations: Observer = {
      onReply: (request, reply) => {
        const deprecation = deprecationOf(request, reply, now())
        return deprecation && noticeDeprecation(deprecation.what, deprecation.message)
      },
    }
    const watchedOnce = observed(transport, deprecations)
    if (!(await settings()).value('verbose')) return watchedOnce
    const { traceTo } = await import('../output/trace.ts')
    return observed(watchedOnce, traceTo(reporter))
  }

  const unverified = new Set<string>()
  /** With NODE_TLS_REJECT_UNAUTHORIZED=0 Node checks no certificate. */
  const unverifiedNotice: Observer = {
    onRequest: ({ url, headers }) => {
      const { protocol, origin } = new URL(url)
      if (protocol !== 'https:' || headers.authorization === undefined || unverified.has(origin)) return undefined
      unverified.add(origin)
      const message = `the connection to ${origin} is not verified: anyone in between can read the API key`
      return reporter.notice('unverified', `${message} (NODE_TLS_REJECT_UNAUTHORIZED=0)`)
    },
  }

  /** Shows in a terminal that the program is waiting for a reply. */
  const withSpinner = (transport: Transport, nameOf: (request: Request) => string): Transport => ({
    close: () => transport.close(),
    send: (request) => reporter.whileWaiting(nameOf(request), () => transport.send(request)),
  })

  const connect = async (signal: AbortSignal) => {
    const [{ createNetworkTransport }, { proxyFor }, resolved] = await Promise.all([
      import('../client/transport.ts'),
      import('../settings/proxies.ts'),
      settings(),
    ])
    const transport = createNetworkTransport({
      timeoutSeconds: resolved.value('timeout'),
      signal,
      userAgent: `petstore-cli/${version}`,
      proxyFor: (url) => proxyFor(url, host.env),
    })
    const isVerified = host.env.NODE_TLS_REJECT_UNAUTHORIZED !== '0'
    return watched(isVerified ? transport : observed(transport, unverifiedNotice))
  }

  return {
    network: opened(async () => {
      const { signal } = interruption
      const [transport, { withRetries }, resolved] = await Promise.all([
        connect(signal),
        import('../client/retry.ts'),
        settings(),
      ])
      const retrying = withRetries({
        transport,
        retries: resolved.value('retries'),
        now,
        random: Math.random,
        sleep: (milliseconds) => pause(milliseconds, signal),
        notice: (message) => reporter.notice('retrying', message),
      })
      return withSpinner(retrying, ({ url }) => new URL(url).host)
    }),
    /** The network for many requests: none is retried, and their own signal ends them. */
    bulk: (signal: AbortSignal) => opened(() => connect(signal))(),
    /** To the service inside this program. */
    local: opened(async () => {
      const { openLocalService } = await import('../service/local.ts')
      const { transport, isOnDisk } = await openLocalService(databasePath(host), now)
      if (!isOnDisk) await reporter.notice('not-saved', dataInMemory)
      return withSpinner(await watched(transport), () => 'the local service')
    }),
    /** Shows the request and sends nothing. */
    dryRun: async () => (await import('../client/dry-run.ts')).createDryRun(showRequest),
    close: async () => {
      // If a transport could not be opened, that failure was already reported where it was needed.
      for (const transport of await Promise.allSettled(openTransports.splice(0))) {
        if (transport.status === 'fulfilled') await transport.value.close()
      }
    },
  }
}
