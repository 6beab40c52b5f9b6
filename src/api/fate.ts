import type { FailureCode } from '../failure.ts'
import type { FaultKind } from './fault.ts'

/** Whether a request only reads, or changes something at the service. */
export type Intent = 'read' | 'change'

/** What became of an attempt: a fault before there was the head of a reply, or a reply. */
export type Outcome =
  | { readonly fault: FaultKind; readonly isStarted: boolean }
  | {
      readonly status: number
      /** Whether the reply has a `Retry-After`. */
      readonly asksToWait: boolean
      /** Whole and as the contract says, whole and otherwise, or ended by a fault. */
      readonly body: 'good' | 'misshapen' | FaultKind
    }

/** `repeat`: this program may repeat the request by itself. `allowed`: the same command may simply be run again. */
type Again = 'repeat' | 'allowed' | 'no'

export interface Fate {
  readonly code: FailureCode | 'ok'
  readonly again: Again
}

type Row = Readonly<Record<Intent, readonly [Fate['code'], Again]>>

/** The request never started on a connection: whatever it was to do, nothing was done. */
const unstarted: Partial<Record<FaultKind, Row>> = {
  refused: { read: ['unreachable', 'repeat'], change: ['unreachable', 'repeat'] },
  reset: { read: ['unreachable', 'repeat'], change: ['unreachable', 'repeat'] },
  timeout: { read: ['unreachable', 'repeat'], change: ['unreachable', 'repeat'] },
  'dns-temporary': { read: ['unreachable', 'repeat'], change: ['unreachable', 'repeat'] },
  unsendable: { read: ['local', 'no'], change: ['local', 'no'] },
  aborted: { read: ['interrupted', 'allowed'], change: ['interrupted', 'allowed'] },
}
const unstartedElse: Row = { read: ['unreachable', 'no'], change: ['unreachable', 'no'] }

/** It started, and no whole reply came. */
const started: Partial<Record<FaultKind, Row>> = {
  lost: { read: ['unreachable', 'repeat'], change: ['in-doubt', 'no'] },
  timeout: { read: ['unreachable', 'allowed'], change: ['in-doubt', 'no'] },
  aborted: { read: ['interrupted', 'allowed'], change: ['interrupted', 'no'] },
}
const startedElse: Row = { read: ['service', 'no'], change: ['in-doubt', 'no'] }

const succeeded: Row = { read: ['ok', 'no'], change: ['ok', 'no'] }

/** By status, the first row that fits. */
const statuses: readonly { from: number; to: number; asksToWait?: boolean; row: Row }[] = [
  { from: 200, to: 299, row: succeeded },
  { from: 401, to: 401, row: { read: ['auth', 'no'], change: ['auth', 'no'] } },
  { from: 403, to: 403, row: { read: ['auth', 'no'], change: ['auth', 'no'] } },
  { from: 404, to: 404, row: { read: ['not-found', 'no'], change: ['not-found', 'no'] } },
  { from: 410, to: 410, row: { read: ['not-found', 'no'], change: ['not-found', 'no'] } },
  { from: 429, to: 429, row: { read: ['service', 'repeat'], change: ['service', 'repeat'] } },
  { from: 400, to: 499, row: { read: ['rejected', 'no'], change: ['rejected', 'no'] } },
  { from: 501, to: 501, row: { read: ['service', 'no'], change: ['service', 'no'] } },
  { from: 502, to: 502, row: { read: ['service', 'repeat'], change: ['in-doubt', 'no'] } },
  { from: 503, to: 503, asksToWait: true, row: { read: ['service', 'repeat'], change: ['service', 'repeat'] } },
  { from: 503, to: 504, row: { read: ['service', 'repeat'], change: ['in-doubt', 'no'] } },
  { from: 500, to: 599, row: { read: ['service', 'allowed'], change: ['in-doubt', 'no'] } },
]
/** A redirect, or a status that HTTP does not have. */
const otherStatus: Row = { read: ['service', 'no'], change: ['service', 'no'] }

export function fateOf(intent: Intent, outcome: Outcome): Fate {
  const [code, again] = rowOf(outcome)[intent]
  return { code, again }
}

function rowOf(outcome: Outcome): Row {
  if ('fault' in outcome) {
    return outcome.isStarted ? (started[outcome.fault] ?? startedElse) : (unstarted[outcome.fault] ?? unstartedElse)
  }
  const { status, asksToWait, body } = outcome
  const row =
    statuses.find(
      (candidate) =>
        status >= candidate.from && status <= candidate.to && (candidate.asksToWait ?? asksToWait) === asksToWait,
    )?.row ?? otherStatus
  // A status that refuses says all that matters; only of a success is the body needed. An interrupt ends everything.
  const isBodyNeeded = row === succeeded || body === 'aborted'
  if (!isBodyNeeded || body === 'good') return row
  return body === 'misshapen' ? startedElse : (started[body] ?? startedElse)
}
