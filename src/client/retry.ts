import { isSuccess, type Reply, type Request, type Send } from '../model/exchange.ts'
import { duration } from '../model/quantities.ts'
import { attemptResultOf, intentOf, longestWait, verdictOn } from './retry-policy.ts'
import { faultSentence, TransportFault } from './transport-fault.ts'

const firstPause = 0.5
const longestPause = 20

interface RetryOptions {
  readonly send: Send
  /** What it leads to, in notices, if its URLs are not real ones. */
  readonly placeName?: string | undefined
  /** How many times a request is sent again. */
  readonly retries: number
  /** From 0 to 1, without 1. */
  readonly random: () => number
  /** Rejects if it is interrupted, with what becomes the cause of the fault. */
  readonly sleep: (milliseconds: number) => Promise<unknown>
  /** Called before each wait with its reason. */
  readonly notice: (message: string) => Promise<void>
}

/** Repeats what is safe to repeat. The result is that of the last attempt. */
export function withRetries({
  send,
  placeName,
  retries,
  random,
  sleep,
  notice
}: RetryOptions): Send {
  // An import repeats rows itself, and notices what the loop below takes for each.
  if (retries === 0) return send
  return async request => {
    for (let sent = 1; ; sent += 1) {
      const end = await send(request).catch(faultOnly)
      const result = attemptResultOf(end)
      const [, repetition] = verdictOn(result, intentOf(request.method))
      const { waitSeconds = 0 } = result
      if (repetition !== 'automatic' || sent > retries || waitSeconds > longestWait) {
        if (end instanceof TransportFault) throw end
        return end
      }
      // A service that asks for no wait, or for one that has passed, would otherwise get all
      // retries at once.
      const seconds = Math.max(waitSeconds, backoff(sent, random()))
      await notice(
        `${reasonOf(end, request, placeName)}; retrying in ${duration(seconds)} (${sent} of ${retries})`
      )
      await sleep(seconds * 1000).catch((cause: unknown) => {
        // Between two attempts no request is on a connection.
        throw new TransportFault('aborted', { isStarted: false, cause })
      })
    }
  }
}

function faultOnly(error: unknown): TransportFault {
  if (error instanceof TransportFault) return error
  throw error
}

/**
 * In seconds: doubles each time, and is then reduced by up to half at random, so that clients do
 * not all return at once.
 */
export function backoff(sent: number, random: number): number {
  return Math.min(firstPause * 2 ** (sent - 1), longestPause) * (0.5 + random / 2)
}

function reasonOf(
  end: Reply | TransportFault,
  { url }: Request,
  placeName = new URL(url).origin
): string {
  const head = end instanceof TransportFault ? end.head : end
  if (end instanceof TransportFault && (head === undefined || isSuccess(head)))
    return faultSentence(end, url)
  return `${placeName} replied with ${head?.status}`
}
