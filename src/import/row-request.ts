import { callFailure } from '../client/call-failure.ts'
import { readBody, requestOf } from '../client/client.ts'
import { serviceErrorOf } from '../client/error-body.ts'
import { operations } from '../client/operations.ts'
import { faultOnly, reasonOf } from '../client/retry.ts'
import { attemptResultOf, type Verdict, verdictOn } from '../client/retry-policy.ts'
import { TransportFault } from '../client/transport-fault.ts'
import { Failure } from '../failure.ts'
import type { RequestEndpoint } from '../model/endpoint.ts'
import { isSuccess, type Reply, type Send } from '../model/exchange.ts'
import type { Redact } from '../model/visible.ts'

/** Where the rows go. */
export interface RowService {
  /** Sends a request once. */
  readonly send: Send
  readonly endpoint: RequestEndpoint
  /** What tells services apart: the base URL, or the local database. */
  readonly identity: string
  readonly redact: Redact
}

/** How an attempt at a row ended, if it was not added. */
export interface FailedRow {
  /** What that means for the row, and for the next attempt. */
  readonly verdict: Verdict
  /** The same without the doubt of an earlier attempt: what it means for the import. */
  readonly ownVerdict: Verdict
  readonly status: number | undefined
  readonly waitSeconds: number | undefined
  /** For a table: short. */
  readonly message: string
  /** The failure if the import ends because of it. */
  readonly failure: () => Failure
}

interface RowToAdd {
  readonly body: string
  readonly key: string | undefined
  /** An earlier attempt with this key may have been carried out. */
  readonly isInDoubt: boolean
}

/** The rows differ in their bodies only. */
const call = operations.addPet({ name: '', categoryId: 0n })

/** Returns a function that sends a row once. */
export function createRowRequest(service: RowService) {
  const { send, endpoint, redact } = service
  const plain = requestOf(call, endpoint, undefined)
  return async ({ body, key, isInDoubt }: RowToAdd): Promise<{ id: bigint } | FailedRow> => {
    const { headers } = key === undefined ? plain : requestOf(call, endpoint, key)
    const end = await send({ ...plain, headers, body }).catch(expectedOnly)
    if (end instanceof Failure) return unsent(end, key)
    const isReply = !(end instanceof TransportFault) && isSuccess(end)
    const { value, problem } = isReply ? readBody(end, call) : {}
    if (value !== undefined) return { id: value.id }
    const result = attemptResultOf(end, problem !== undefined)
    const circumstances = { isChange: true, hasKey: key !== undefined, isInDoubt: false }
    return {
      verdict: verdictOn(result, { ...circumstances, isInDoubt }),
      ownVerdict: verdictOn(result, circumstances),
      status: result.status,
      waitSeconds: result.waitSeconds,
      message: messageOf(end, service, problem),
      failure: () => callFailure(end, { ...call, endpoint, redact }, circumstances, problem)
    }
  }
}

function expectedOnly(error: unknown): Failure | TransportFault {
  return error instanceof Failure ? error : faultOnly(error)
}

/**
 * A problem of this machine, such as a wrong proxy, comes before the request. With a key, doubt
 * costs nothing, and the disk may have the row of a commit that failed.
 */
function unsent(failure: Failure, key: string | undefined): FailedRow {
  const ownVerdict = { code: failure.code, repetition: 'no' } as const
  return {
    verdict: key === undefined ? ownVerdict : { code: 'in-doubt', repetition: 'no' },
    ownVerdict,
    status: undefined,
    waitSeconds: undefined,
    message: failure.message,
    failure: () => failure
  }
}

function messageOf(
  end: Reply | TransportFault,
  { endpoint, redact }: RowService,
  bodyProblem?: string
): string {
  if (bodyProblem !== undefined) return `the reply is not a pet: ${bodyProblem}`
  const told = end instanceof TransportFault ? undefined : serviceErrorOf(end, redact).message
  return told ?? reasonOf(end, endpoint.url)
}
