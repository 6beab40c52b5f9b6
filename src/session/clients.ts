import { NothingSent } from '../failure.ts'
import type { RequestEndpoint } from '../model/endpoint.ts'
import type { Request, Transport } from '../model/exchange.ts'
import { localOrigin } from '../settings/environment.ts'
import { databasePath, makeDatabasePlace } from '../settings/location.ts'
import { once, pause } from '../system/promises.ts'
import { statsOf } from '../system/same-file.ts'
import { lineBreak } from '../text/shell.ts'
import type { Context } from './context.ts'

type Parts = Pick<Context, 'host' | 'interruption' | 'version' | 'settings' | 'output' | 'report'>

/** What sends requests for a command. */
export function createClients(
  parts: Parts
): Pick<Context, 'client' | 'bulk' | 'address' | 'close'> {
  const { host, interruption, settings, output, report } = parts
  const opened = new Set<Transport>()
  const localService = once(async () => {
    await noticeUnused(parts)
    const { openLocalService } = await import('../service/local.ts')
    return openLocalService(await makeDatabasePlace(host), host.now)
  })
  /** What sends a request to an endpoint once. */
  const connect = async ({ environment, url }: RequestEndpoint, limits = {}) => {
    const isLocal = environment === 'local'
    const transport = await (isLocal ? localService() : network(url, parts, limits))
    opened.add(transport)
    if (!settings.value('verbose')) return transport.send
    const { traced } = await import('../output/trace.ts')
    return traced(transport.send, report.redact, lines => report.log('trace', lines))
  }

  return {
    client: async ({ service = 'pets', endpoint: given, retries, signal } = {}) => {
      const [{ createClient }, { withRetries }] = await Promise.all([
        import('../client/client.ts'),
        import('../client/retry.ts'),
        output.check()
      ])
      const endpoint = given ?? settings.endpoint(service)
      const { environment } = endpoint
      const isShown = settings.value('dry-run')
      const sendSafely = withRetries({
        send: isShown
          ? request => show(request, parts)
          : await connect(endpoint, signal && { signal }),
        retries: retries ?? settings.value('retries'),
        random: Math.random,
        sleep: milliseconds => pause(milliseconds, signal ?? interruption.signal),
        notice: async message => {
          // A watch lists again in any case, and says so.
          if (!interruption.isExpected) await report.notice('retrying', message)
        }
      })
      return createClient(endpoint, {
        send: async (request, circumstances) => {
          if (circumstances.isChange) settings.requireWritable(environment)
          return report.whileWaiting(environment, () => sendSafely(request, circumstances))
        },
        redact: report.redact
      })
    },
    bulk: async limits => {
      await output.check()
      settings.requireWritable()
      const endpoint = settings.endpoint('pets')
      const send = await connect(endpoint, limits)
      return { endpoint, send, redact: report.redact }
    },
    address: async () => {
      const { name, baseUrl } = settings.environmentNamed()
      if (name !== 'local') return baseUrl && settings.url('pets')
      if (statsOf(databasePath(host)) === undefined) return undefined
      const service = await localService()
      opened.add(service)
      return service.identity()
    },
    close: async () => {
      for (const transport of opened) {
        opened.delete(transport)
        await transport.close?.()
      }
    }
  }
}

async function network(
  url: string,
  { host, interruption, settings, version }: Parts,
  limits: Partial<Parameters<Context['bulk']>[0]>
) {
  const { createNetworkTransport } = await import('../client/transport.ts')
  return createNetworkTransport(url, {
    timeoutSeconds: settings.value('timeout'),
    signal: interruption.signal,
    userAgent: `petstore-cli/${version}`,
    env: host.env,
    ...limits
  })
}

/** Says where a saved default takes requests, and not a variable. */
async function noticeUnused({ host, settings, report }: Parts) {
  const { value, origin } = settings.resolve('env')
  const unused = ['PETSTORE_BASE_URL', 'PETSTORE_MESSAGES_URL'].find(name => host.env[name])
  if (value !== 'local' || unused === undefined || origin.kind !== 'file') return
  const reason = "the environment is 'local', the saved default"
  await report.notice('unused-variable', `${unused} is not used: ${reason}`)
}

/** Prints a request instead of sending it: `--dry-run`. A `--jq` is for the reply. */
async function show(request: Request, { host, output, report }: Parts): Promise<never> {
  const { shownRequest } = await import('../client/dry-run.ts')
  const separator = host.terminal.stdout ? lineBreak : ' '
  const { curl, value } = shownRequest(request, report.redact, separator)
  if (request.url.startsWith(`${localOrigin}/`))
    await report.notice(
      'needs-serve',
      "this command needs 'petstore serve', and the key that 'petstore auth token --env local' prints"
    )
  // If JSON is only the default in a pipe, the command is printed, for a shell to run.
  await output.text(curl, value)
  throw new NothingSent()
}
