import type { Client } from '../../client/client.ts'
import { Failure } from '../../failure.ts'
import { formats } from '../../output/formats.ts'
import { checkJq, testByJq } from '../../output/jq.ts'
import { print } from '../../output/stream.ts'
import { petColumns } from '../../output/view.ts'
import { eventViewer, type PetList, tableViewer, watch } from '../../output/watch.ts'
import type { Context } from '../../session/context.ts'
import { pause } from '../../system/promises.ts'
import { duration } from '../../text/quantities.ts'
import { ifEmpty, noticeLimit } from './listing.ts'

type Find = (client: Client) => Promise<PetList>

/** `pets list --until`: prints the first list for which the expression is true. Times in seconds. */
export async function waitForPets(
  context: Context,
  find: Find,
  { until, interval, wait }: { until: string; interval: number; wait: number | undefined }
): Promise<void> {
  const { interruption, report, output } = context
  await checkJq(until, '--until')
  const deadline = new AbortController()
  const signal = AbortSignal.any([interruption.signal, deadline.signal])
  const client = await context.client({ signal })
  const findAndNotice = noticingOnce(context, () => find(client))
  // From the first request on; it ends one that is pending.
  const timer = wait && setTimeout(() => deadline.abort(ranOut(wait)), wait * 1000)
  const findTrue = async () => {
    for (;;) {
      const found = await findAndNotice()
      if (await testByJq(found.pets, until, interruption)) return found
      await pause(interval * 1000, signal)
    }
  }
  const waiting = report.whileWaiting('the expression of --until', findTrue)
  const { pets, notice } = await waiting.finally(() => clearTimeout(timer))
  await output.list(pets, petColumns, ifEmpty(notice))
}

function ranOut(wait: number) {
  const problem = `the expression of --until was not true within ${duration(wait)}`
  return new Failure('inconclusive', problem, { isRetryable: true })
}

/** `pets list --watch`: a line for each change in a terminal, events as JSON elsewhere. */
export async function watchPets(context: Context, find: Find, interval: number): Promise<void> {
  const { host, interruption, report, settings } = context
  const { signal } = interruption
  const { value: format, origin } = settings.resolve('output')
  const isTable = format === 'table' && host.terminal.stdout
  const isShown = isTable || formats[format].kind === 'json' || origin.kind !== 'option'
  if (!isShown)
    throw new Failure('usage', '--watch prints a table in a terminal and JSON elsewhere')
  interruption.isExpected = true
  const client = await context.client()
  const findAndNotice = noticingOnce(context, () => find(client))
  if (isTable) await report.notice('watch', `watching every ${duration(interval)}; Ctrl-C ends it`)
  const viewer = isTable ? tableViewer(context, ifEmpty) : eventViewer(context)
  await watch(findAndNotice, interval, signal, viewer).finally(async () => {
    // The terminal has just shown `^C`, and the shell's prompt needs a line of its own.
    if (signal.aborted && host.terminal.stderr) await print(host, 'stderr', '\n')
  })
}

/** Says at the first list that may lack pets, and only there, that it does. */
function noticingOnce(context: Context, find: () => Promise<PetList>) {
  let isTold = false
  return async () => {
    const found = await find()
    if (!isTold) await noticeLimit(context, found.notice)
    isTold ||= found.notice !== undefined
    return found
  }
}
