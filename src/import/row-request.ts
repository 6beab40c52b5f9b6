import { callFailure } from '../client/call-failure.ts'
import { readBody, requestOf } from '../client/client.ts'
import { serviceErrorOf } from '../client/error-body.ts'
import { operations } from '../client/operations.ts'
import { faultOnly, reasonOf } from '../client/retry.ts'
import {
  type AttemptResult,
  attemptResultOf,
  type Verdict,
  verdictOn
} from '../client/retry-policy.ts'
import { TransportFault } from '../client/transport-fault.ts'
import type { Failure } from '../failure.ts'
import { isSuccess, type Reply } from '../model/exchange.ts'
import type { Pet } from '../model/schema.ts'
import type { RowService } from './options.ts'
import type { SendingRow } from './rows-to-send.ts'

/** How an attempt at a row ended, if it was not added. */
export interface FailedAttempt {
  readonly attempt: AttemptResult
  /** What that means for the row, and for the next attempt. */
  readonly verdict: Verdict
  /** The same without the doubt of an earlier attempt: what it means for the import. */
  readonly ownVerdict: Verdict
  /** For a table: short. */
  readonly message: string
  /** The failure if the import ends because of it. */
  readonly failure: () => Failure
}

/** The rows differ in their bodies only. */
const call = operations.addPet({ name: '', categoryId: 0n })

/** Returns a function that sends a row once. A problem of this machine rejects. */
export function createRowRequest({ send, endpoint, redact }: RowService) {
  const plain = requestOf(call, endpoint, undefined)
  const messageOf = (end: Reply | TransportFault, problem: string | undefined) => {
    if (problem !== undefined) return `the reply is not a pet: ${problem}`
    const told = end instanceof TransportFault ? undefined : serviceErrorOf(end, redact).message
    return told ?? reasonOf(end, endpoint.url)
  }
  return async ({ body, key, isInDoubt }: SendingRow): Promise<Pet | FailedAttempt> => {
    const headers = key === null ? plain.headers : { ...plain.headers, 'idempotency-key': key }
    const end = await send({ ...plain, headers, body }).catch(faultOnly)
    const isReply = !(end instanceof TransportFault) && isSuccess(end)
    const { value, problem } = isReply ? readBody(end, call) : {}
    if (value !== undefined) return value
    const attempt = attemptResultOf(end, problem !== undefined)
    const circumstances = { isChange: true, hasKey: key !== null, isInDoubt: false }
    return {
      attempt,
      verdict: verdictOn(attempt, { ...circumstances, isInDoubt }),
      ownVerdict: verdictOn(attempt, circumstances),
      message: messageOf(end, problem),
      failure: () => callFailure(end, { ...call, endpoint, redact }, circumstances, problem)
    }
  }
}
