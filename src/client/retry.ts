import type { Reply, Request, Transport } from '../model/exchange.ts'
import { faultSentence } from './explain-fault.ts'
import { inWords, longestWait, retryAfter } from './retry-after.ts'
import { fateOf, intentOf, isSuccess, type Outcome } from './retry-policy.ts'
import { TransportFault } from './transport-fault.ts'

const firstPause = 0.5
const longestPause = 20

interface RetryOptions {
  readonly transport: Transport
  /** How often a request is sent again after it was sent once. */
  readonly retries: number
  /** Ends a wait at once; its reason becomes the cause of the fault. */
  readonly signal: AbortSignal
  readonly now: () => Date
  /** From 0 up to 1. */
  readonly random: () => number
  /** Rejects when the signal comes first. */
  readonly sleep: (milliseconds: number) => Promise<unknown>
  /** Told before each wait why there is one. */
  readonly notice: (message: string) => Promise<void>
}

/** A transport that sends again what is safe to send again. What it ends with is the last attempt's end. */
export function withRetries({ transport, retries, signal, now, random, sleep, notice }: RetryOptions): Transport {
  const pause = async (seconds: number) => {
    try {
      await sleep(seconds * 1000)
    } catch {
      // Between two attempts no request is on a connection.
      throw new TransportFault('aborted', { stage: 'connecting', cause: signal.reason })
    }
  }

  return {
    send: async (request) => {
      for (let sent = 1; ; sent += 1) {
        const end = await attempt(transport, request)
        const asked = waitAskedFor(end, now())
        const { again } = fateOf(intentOf(request.method), outcomeOf(end, asked !== undefined))
        const isLast = again !== 'repeat' || sent > retries || (asked ?? 0) > longestWait
        if (isLast && 'reply' in end) return end.reply
        if (isLast && 'fault' in end) throw end.fault

        const seconds = asked ?? backoff(sent, random())
        await notice(`${sentenceOf(end, request)}; trying again in ${inWords(seconds)} (${sent} of ${retries})`)
        await pause(seconds)
      }
    },
    close: () => transport.close(),
  }
}

type End = { readonly reply: Reply } | { readonly fault: TransportFault }

async function attempt(transport: Transport, request: Request): Promise<End> {
  try {
    return { reply: await transport.send(request) }
  } catch (error) {
    if (error instanceof TransportFault) return { fault: error }
    throw error
  }
}

function waitAskedFor(end: End, now: Date): number | undefined {
  const head = 'reply' in end ? end.reply : end.fault.head
  return head === undefined ? undefined : retryAfter(head, now)
}

/** Whether a whole body has the right shape is not known here, and nothing is repeated for it. */
function outcomeOf(end: End, asksToWait: boolean): Outcome {
  if ('reply' in end) return { status: end.reply.status, asksToWait, body: 'good' }
  const { kind, status, started } = end.fault
  return status === undefined ? { fault: kind, isStarted: started } : { status, asksToWait, body: kind }
}

/** In seconds: twice as long each time, and somewhere between half of it and all, so that not all return together. */
export function backoff(sent: number, random: number): number {
  return Math.min(firstPause * 2 ** (sent - 1), longestPause) * (0.5 + random / 2)
}

function sentenceOf(end: End, { url }: Request): string {
  const status = 'reply' in end ? end.reply.status : end.fault.status
  if ('fault' in end && (status === undefined || isSuccess(status))) return faultSentence(end.fault, url)
  return `${new URL(url).origin} answered ${status}`
}
