import { callFailure } from '../client/call-failure.ts'
import { readBody } from '../client/client.ts'
import { serviceErrorOf } from '../client/error-body.ts'
import { operations } from '../client/operations.ts'
import { attemptResultOf, type Verdict, verdictOn } from '../client/retry-policy.ts'
import { faultSentence, TransportFault } from '../client/transport-fault.ts'
import type { Failure } from '../failure.ts'
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
  /** For a table: short, and without the URL. */
  readonly message: string
  /** The failure if the import ends because of it. */
  readonly failure: () => Failure
}

export type RowReply = { readonly id: bigint } | FailedRow

interface RowToAdd {
  readonly body: string
  readonly key: string | undefined
  /** An earlier attempt with this key may have been carried out. */
  readonly isInDoubt: boolean
}

/** Returns a function that sends a row once. */
export function createRowRequest(service: RowService) {
  const { send, endpoint } = service
  const url = `${endpoint.url}/pets`
  const headers = {
    accept: 'application/json',
    authorization: `Bearer ${endpoint.key}`,
    'content-type': 'application/json'
  }
  return async (row: RowToAdd): Promise<RowReply> => {
    const { body, key } = row
    const all = key === undefined ? headers : { ...headers, 'idempotency-key': key }
    const end = await send({ method: 'POST', url, headers: all, body }).catch(faultOnly)
    if (end instanceof TransportFault || !isSuccess(end)) return failed(end, row, service)
    const read = readBody(end, addCall)
    if (read.problem !== undefined) return failed(end, row, service, read.problem)
    return { id: read.value.id }
  }
}

/** The rows differ in their bodies only. */
const addCall = operations.addPet({ name: '', categoryId: 0n })

function faultOnly(error: unknown): TransportFault {
  if (error instanceof TransportFault) return error
  throw error
}

function failed(
  end: Reply | TransportFault,
  { key, isInDoubt }: RowToAdd,
  { endpoint, redact }: RowService,
  bodyProblem?: string
): FailedRow {
  const result = attemptResultOf(end, bodyProblem !== undefined)
  const circumstances = { isChange: true, hasKey: key !== undefined, isInDoubt: false }
  const call = { ...addCall, endpoint, redact }
  return {
    verdict: verdictOn(result, { ...circumstances, isInDoubt }),
    ownVerdict: verdictOn(result, circumstances),
    status: result.status,
    waitSeconds: result.waitSeconds,
    message: reasonOf(end, redact, bodyProblem),
    failure: () => callFailure(end, call, circumstances, bodyProblem)
  }
}

function reasonOf(
  end: Reply | TransportFault,
  redact: Redact,
  bodyProblem: string | undefined
): string {
  if (bodyProblem !== undefined) return `the reply is not a pet: ${bodyProblem}`
  if (!(end instanceof TransportFault))
    return serviceErrorOf(end, redact).message ?? `the service replied with ${end.status}`
  return faultSentence(end, 'http://the.service', { origin: 'the service', host: 'the service' })
}
