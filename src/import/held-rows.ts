import type { Row } from './row.ts'

/** What the ledger knows of a row of the input. */
export interface Decision {
  readonly place: bigint
  /** `again`: it was rejected. Null if it is new. */
  readonly outcome: 'skipped' | 'known' | 'changed' | 'doubtful' | 'again' | null
  readonly choice: 'add' | 'skip' | null
  readonly row: bigint | null
  /** The pet that it stands for: its id, and how it was added. */
  readonly pet: bigint | null
  readonly petBody: string | null
  /** The idempotency key of the latest attempt, and when that was sent first, in seconds. */
  readonly key: string | null
  readonly at: bigint | null
  /** Which of equal rows it is, if it is not the first. */
  readonly nth: bigint | null
}

/** Why a row is held, and what its pet is: `Max; pet 12 was added as Maxx`. */
export function heldMessage({ body = '{}' }: Row, { outcome, pet, petBody }: Decision): string {
  const { name, status } = JSON.parse(body)
  if (outcome === 'doubtful') return `${name}; it was sent, and its reply is not known`
  const who = pet === null ? 'a pet that is in doubt' : `pet ${pet}`
  if (outcome === 'known') return `${name}; ${who} is equal, and may be another one`
  const former = JSON.parse(petBody ?? '{}')
  const was = (text: string) => `${name}; ${who} was added ${text}`
  if (former.name !== name) return was(`as ${former.name}`)
  if (former.status !== status)
    return was(former.status ? `as ${former.status}` : 'without a status')
  return was(`in category ${former.categoryId}`)
}
