import type { Context } from '../../context.ts'
import { Failure, findingOf } from '../../failure.ts'
import { type Endpoint, fingerprint, type HttpProxy } from '../../model/endpoint.ts'
import type { Reply } from '../../model/exchange.ts'
import type { Settings } from '../../settings/settings.ts'
import { type Check, ok, problem, skipped, warning } from './check.ts'

/** The service inside this program, which needs no network. */
export async function checkLocalService(context: Context): Promise<Check[]> {
  const start = performance.now()
  const failure = await findingOf(async () => (await context.client()).listPets({ limit: 1 }))
  const milliseconds = Math.round(performance.now() - start)
  return [failure === undefined ? ok('local', 'the local service replies', milliseconds) : problem('local', failure)]
}

/**
 * The URLs and the API key, every step of the connection, and whether the service accepts the key and has the same
 * time.
 */
export async function checkService(context: Context, settings: Settings): Promise<Check[]> {
  const { proxyFor } = await import('../../settings/proxies.ts')
  let endpoint: Endpoint
  let proxy: HttpProxy | undefined
  let timeoutSeconds: number
  try {
    endpoint = settings.endpoint('pets')
    proxy = proxyFor(endpoint.url, context.host.env)
    timeoutSeconds = settings.value('timeout')
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    // On a new machine, this is the only thing to do.
    return [problem('service', error)]
  }

  // The request comes first: with --dry-run it is shown, and nothing else is done.
  const trial = await tryOut(context, endpoint)
  const steps = await checkSteps(context, { url: proxy?.origin ?? endpoint.url, proxy }, timeoutSeconds)
  return [checkMessages(settings), ...steps, httpCheck(trial), await keyCheck(trial, endpoint), clockCheck(trial)]
}

/** Only messages need the messages URL. */
function checkMessages(settings: Settings): Check {
  try {
    return ok('messages', settings.endpoint('messages').url)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return warning('messages', error.message, error.hint)
  }
}

type Trial = Awaited<ReturnType<typeof tryOut>>

/** Sends the smallest request that needs an API key, once. `now` is when the reply arrived, by this machine's clock. */
async function tryOut(context: Context, endpoint: Endpoint) {
  let reply: Reply | undefined
  const client = await context.client({
    endpoint,
    retries: 0,
    observer: {
      onReply: async (_request, received) => {
        reply = received
      },
    },
  })
  const start = performance.now()
  const failure = await findingOf(() => client.listPets({ limit: 1 }))
  return { reply, failure, milliseconds: Math.round(performance.now() - start), now: context.host.now() }
}

/** The steps that can be tested from here: behind a proxy, the proxy takes them. */
async function checkSteps(
  context: Context,
  { url, proxy }: { url: string; proxy: HttpProxy | undefined },
  timeoutSeconds: number,
): Promise<Check[]> {
  const { reach } = await import('./probe.ts')
  const steps = await reach(url, timeoutSeconds, context.interruption.signal)
  return (['dns', 'tcp', 'tls'] as const).map((name) => {
    const step = steps.find((taken) => taken.name === name)
    if (step === undefined) return skipped(name, name === 'tls' && url.startsWith('http:') ? 'plain http' : 'not tried')
    const whose = proxy === undefined ? '' : ` (the proxy of ${proxy.variable})`
    if (step.isDone) return ok(name, step.detail + whose, step.milliseconds)
    // The failure of the request says what to do.
    return { ...warning(name, `failed: ${step.detail}${whose}`), milliseconds: step.milliseconds }
  })
}

function httpCheck({ reply, failure, milliseconds }: Trial): Check {
  const isAboutKey = failure?.code === 'auth'
  if (failure !== undefined && !isAboutKey) return problem('http', failure, milliseconds)
  return ok('http', `the service replied with ${reply?.status}`, milliseconds)
}

async function keyCheck({ failure }: Trial, { key, describeKey }: Endpoint): Promise<Check> {
  if (failure?.code === 'auth') return problem('key', failure)
  const which = `${describeKey} (fingerprint ${await fingerprint(key)})`
  return failure === undefined ? ok('key', `${which} is accepted`) : skipped('key', `${which} was not tested`)
}

/** The header counts whole seconds, and the reply took a while to arrive. */
const clockTolerance = 60_000

function clockCheck({ reply, now }: Trial): Check {
  const header = reply?.headers.date
  const date = typeof header === 'string' ? Date.parse(header) : Number.NaN
  if (Number.isNaN(date)) return skipped('clock', reply === undefined ? 'not tried' : 'the service sends no date')
  const difference = now.getTime() - date
  const seconds = Math.round(Math.abs(difference) / 1000)
  if (Math.abs(difference) < clockTolerance) return ok('clock', `within ${seconds} s of the service's`)
  return warning(
    'clock',
    `${seconds} s ${difference > 0 ? 'ahead of' : 'behind'} the service's`,
    'set the clock of this machine',
  )
}
