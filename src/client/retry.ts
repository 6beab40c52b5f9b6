import type { Reply, Request, Send } from '../model/exchange.ts'
import { duration } from '../text/quantities.ts'
import { type Circumstances, judge, longestWait, type Outcome } from './retry-policy.ts'
import { faultSentence, TransportFault } from './transport-fault.ts'

const firstPause = 0.5
const longestPause = 20

/** Sends a request, and sends it again where that is safe. Resolves to the end of the last attempt. */
export function withRetries(parts: {
  /** Sends a request once. */
  readonly send: Send
  /** How many times a request is sent again. */
  readonly retries: number
  /** From 0 to 1, without 1. */
  readonly random: () => number
  /** Rejects if it is interrupted, with what becomes the cause of the fault. */
  readonly sleep: (milliseconds: number) => Promise<unknown>
  /** Called before each wait with its reason. */
  readonly notice: (message: string) => Promise<void>
}) {
  const { send, retries, random, sleep, notice } = parts
  return async (request: Request, circumstances: Circumstances): Promise<Outcome> => {
    let { isInDoubt } = circumstances
    for (let sent = 1; ; sent += 1) {
      const end = await send(request).catch(faultOnly)
      const outcome = judge(end, { ...circumstances, isInDoubt })
      const { isRepeated, waitSeconds = 0 } = outcome
      if (!isRepeated || sent > retries || waitSeconds > longestWait) return outcome
      isInDoubt = outcome.code === 'in-doubt'
      // A service that asks for no wait, or for one that has passed, would otherwise get all
      // retries at once.
      const seconds = Math.max(waitSeconds, backoff(sent, random()))
      const reason = reasonOf(end, request.url)
      await notice(`${reason}; retrying in ${duration(seconds)} (${sent} of ${retries})`)
      try {
        await sleep(seconds * 1000)
      } catch (cause) {
        // Between two attempts no request is on a connection.
        const aborted = new TransportFault('aborted', { isStarted: false, cause })
        return judge(aborted, { ...circumstances, isInDoubt })
      }
    }
  }
}

export function faultOnly(error: unknown): TransportFault {
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

/** Why a request failed, in few words. */
export function reasonOf(end: Reply | TransportFault, url: string): string {
  if (end instanceof TransportFault) return faultSentence(end, url)
  return `the service replied with ${end.status}`
}
