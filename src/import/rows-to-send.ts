import { hash, randomUUID } from 'node:crypto'
import type { Decision } from './decisions.ts'
import { heldMessage } from './held-rows.ts'
import type { LoggedRow } from './log.ts'
import type { ImportOptions } from './options.ts'
import type { Plan } from './plan.ts'
import { isWrong, type RowResult } from './results.ts'
import type { Row, RowBatches } from './row.ts'

/** A row on its way. */
export interface SendingRow extends LoggedRow {
  readonly row: Row
  /** An earlier run left it in doubt. */
  readonly wasDoubtful: boolean
  /** An attempt with its key may have been carried out. */
  isInDoubt: boolean
}

export interface Selecting {
  readonly options: ImportOptions
  readonly batches: RowBatches
  /** Undefined if nothing is known of the rows. */
  readonly plan: Plan | undefined
  /** Takes the results of rows that have ended. */
  readonly report: (results: readonly RowResult[]) => Promise<void>
}

/** The rows that need sending, in order. Stops at the first problem if that was asked for. */
export async function* rowsToSend(selecting: Selecting): AsyncGenerator<SendingRow[]> {
  const { batches, plan, report, options } = selecting
  let place = 0
  for await (const rows of batches) {
    const known = plan?.decisionsOf(place, rows.length)
    const settled: RowResult[] = []
    const next: SendingRow[] = []
    const isStopped = rows.some(row => {
      const decided = decide(row, place, known?.get(place), selecting)
      if (row.body !== undefined) place += 1
      if ('body' in decided) next.push(decided)
      else settled.push(decided)
      return options.stopOnError && settled.some(isWrong)
    })
    if (settled.length > 0) await report(settled)
    yield next
    if (isStopped) return
  }
}

/** The result of a row that is not sent, or the row on its way. */
function decide(
  row: Row,
  place: number,
  known: Decision | undefined,
  { plan, options }: Selecting
): RowResult | SendingRow {
  const { body, problem: message } = row
  if (body === undefined) return { row, outcome: 'invalid', message }
  const seconds = Math.floor(options.now().getTime() / 1000)
  const wasDoubtful = known?.outcome === 'doubtful'
  const isInDoubt = wasDoubtful && isKeyAlive(known, seconds, options.keyLife)
  const left = leftRow(row, known, isInDoubt)
  if (left !== undefined) return left
  if (options.check || plan === undefined) return { row, outcome: 'valid' }
  const id = known?.row ?? plan.base + BigInt(place)
  // A service counts from the first attempt with the key.
  if (isInDoubt)
    return { row, body, id, wasDoubtful, isInDoubt, key: known.key, at: known.at ?? 0n }
  return { row, body, id, wasDoubtful, isInDoubt, key: newKey(body, known, options), at: seconds }
}

/** The result of a row that is skipped or held; undefined for others. */
function leftRow(row: Row, known: Decision | undefined, hasKey: boolean): RowResult | undefined {
  if (known === undefined || known.choice === 'add') return undefined
  const { outcome, choice, pet } = known
  const id = pet ?? undefined
  if (choice === 'skip' || outcome === 'skipped') return { row, outcome: 'skipped', id }
  if (hasKey || outcome === null || outcome === 'again') return undefined
  return { row, outcome, id, message: heldMessage(row, known) }
}

/** A clock may go a little back, but a service forgets keys. */
const clockSkewSeconds = 60

export function isKeyAlive(
  { key, at }: { readonly key: string | null; readonly at: bigint | number | null },
  seconds: number,
  keyLife: number
): boolean {
  const age = seconds - Number(at)
  return key !== null && age >= -clockSkewSeconds && age < keyLife
}

/**
 * A batch derives its keys, so that it adds nothing twice from another machine: from its name, the
 * pet and its number among equal rows, or from the key before.
 */
function newKey(body: string, known: Decision | undefined, { batch, keyLife }: ImportOptions) {
  if (keyLife === 0) return null
  if (batch === undefined) return randomUUID()
  const former = known?.petBody === body ? known.key : undefined
  const text = former ?? [batch, body, known?.nth ?? 1].join('\n')
  const hex = hash('sha256', text, 'hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5')
}
