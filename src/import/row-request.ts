import { callFailure, serviceErrorOf } from '../client/call-failure.ts'
import { readBody, requestOf } from '../client/client.ts'
import { operations } from '../client/operations.ts'
import { faultOnly, reasonOf } from '../client/retry.ts'
import { judge, type Outcome } from '../client/retry-policy.ts'
import { TransportFault } from '../client/transport-fault.ts'
import type { Failure } from '../failure.ts'
import type { Reply } from '../model/exchange.ts'
import type { Pet } from '../model/schema.ts'
import type { RowService } from './options.ts'
import { bodyOf } from './rows.ts'
import type { SendingRow } from './rows-to-send.ts'

/** An attempt at a row that was not added, as far as is known. */
export interface FailedAttempt {
  /** What that means for the row, and for the next attempt. */
  readonly outcome: Outcome
  /** For a table: short. */
  readonly message: string
  /** If the import ends because of it. */
  readonly failure: () => Failure
}

/** A pet that was added, now or by an earlier attempt that the service remembers. */
export interface AddedPet {
  readonly id: bigint
  readonly isReplayed: boolean
}

/** The rows differ in their bodies only. */
const anyRow = operations.addPet({ name: '', categoryId: 0n })

/** Returns a function that sends a row once. A problem of this machine rejects. */
export function createRowRequest({ send, endpoint, redact }: RowService) {
  const plain = requestOf(anyRow, endpoint, undefined)
  const messageOf = ({ end, problem }: Outcome) => {
    if (problem !== undefined) return redact(`unexpected reply: ${problem}`)
    const told = end instanceof TransportFault ? undefined : serviceErrorOf(end, redact).message
    return told ?? reasonOf(end, endpoint.url)
  }
  return async (
    { body, key }: SendingRow,
    isInDoubt: boolean
  ): Promise<AddedPet | FailedAttempt> => {
    const headers = key === null ? plain.headers : { ...plain.headers, 'idempotency-key': key }
    const end = await send({ ...plain, headers, body }).catch(faultOnly)
    const call = { ...anyRow, isAnswer: (pet: Pet) => isPetOf(body, pet) }
    const outcome = judge(end, {
      isChange: true,
      hasKey: key !== null,
      isInDoubt,
      read: reply => readBody(reply, call)
    })
    if (outcome.value !== undefined) return { id: outcome.value.id, isReplayed: isReplay(end) }
    // An earlier doubt is about the row, not about the import.
    const own = { ...outcome, code: outcome.meaning.code }
    return {
      outcome,
      message: messageOf(outcome),
      failure: () => callFailure(own, { call, endpoint, redact })
    }
  }
}

const isReplay = (end: Reply | TransportFault) =>
  'headers' in end && end.headers['idempotent-replayed'] === 'true'

/** Whether a reply is about the pet that was sent. */
function isPetOf(body: string, { name, categoryId }: Pet) {
  const sent = bodyOf({ name, categoryId })
  return body === sent || body.startsWith(`${sent.slice(0, -1)},`)
}
