import type { Client } from '../../client/client.ts'
import { Failure } from '../../failure.ts'
import { checkJq, testByJq } from '../../output/jq.ts'
import { print } from '../../output/stream.ts'
import { petColumns } from '../../output/view.ts'
import { eventViewer, tableViewer, watch } from '../../output/watch.ts'
import type { Context } from '../../session/context.ts'
import { pause } from '../../system/promises.ts'
import { duration } from '../../text/quantities.ts'
import { ifEmpty, noticeLimit, type PetList } from './listing.ts'

type Find = (client: Client) => Promise<PetList>

interface Wait {
  readonly expression: string
  /** In seconds, between two lists. */
  readonly interval: number
  /** In seconds, from the first request to the end; without a limit if undefined. */
  readonly wait: number | undefined
}

/** `pets list --until`: prints the first list for which the expression is true. */
export async function waitForPets(
  context: Context,
  find: Find,
  { expression, interval, wait }: Wait
): Promise<void> {
  const { interruption, report, output } = context
  await checkJq(expression, '--until')
  const deadline = new AbortController()
  const signal = AbortSignal.any([interruption.signal, deadline.signal])
  const client = await context.client({ signal })
  const findAndNotice = noticingOnce(context, () => find(client))
  const { pets, notice } = await report.whileWaiting('the expression of --until', async () => {
    const timer = wait && setTimeout(() => deadline.abort(ranOut(wait)), wait * 1000)
    try {
      for (;;) {
        const found = await findAndNotice()
        if (await testByJq(found.pets, expression, interruption)) return found
        await pause(interval * 1000, signal)
      }
    } finally {
      clearTimeout(timer)
    }
  })
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
  const isJson = format === 'json' || format === 'ndjson'
  const isTable = format === 'table' && host.terminal.stdout
  if (origin.kind === 'option' && !isTable && !isJson) {
    const problem = '--watch prints a table in a terminal and JSON elsewhere'
    throw new Failure('usage', problem)
  }
  interruption.isExpected = true
  const client = await context.client()
  const findAndNotice = noticingOnce(context, () => find(client))
  let notice: string | undefined
  const list = async () => {
    const found = await findAndNotice()
    notice = found.notice
    return found.pets
  }
  if (isTable) await report.notice('watch', `watching every ${duration(interval)}; Ctrl-C ends it`)
  const viewer = await (isTable
    ? tableViewer(context, () => ifEmpty(notice))
    : eventViewer(context))
  await watch(list, interval, signal, viewer).finally(async () => {
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
