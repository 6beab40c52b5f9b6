import { Failure } from '../failure.ts'
import type { Sqlite } from '../system/sqlite.ts'
import { rangeText } from './line-ranges.ts'
import type { ImportOptions, Selection } from './options.ts'

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

/** Takes down what `--add` and `--skip` say. Throws for a line that is of no such kind, or in both. */
export function choose(ledger: Sqlite, { add = [], skip = [] }: ImportOptions, unit: string): void {
  const take = (choice: string, selected: string) => {
    const [twice] = ledger.rows<{ line: bigint }>(
      `SELECT line FROM input WHERE ${selected} AND choice <> ?`,
      choice
    )
    if (twice !== undefined)
      throw new Failure('usage', `${unit} ${twice.line} is in both --add and --skip`)
    ledger.run(`UPDATE input SET choice = ? WHERE ${selected}`, choice)
  }
  const takeAll = (choice: string, kinds: readonly string[], selection: Selection) => {
    if (typeof selection === 'string') return take(choice, `outcome = '${selection}'`)
    const isAny = `outcome IN ('${kinds.join("', '")}')`
    for (const range of selection) {
      const { first, last } = range
      const selected = `line BETWEEN ${first} AND ${last}`
      if (ledger.count(`input WHERE ${selected} AND ${isAny}`) <= last - first) {
        const each = first === last ? unit : `every ${unit} of`
        const problem = `${each} ${rangeText(range)} must be ${kinds.join(', ')}`
        throw new Failure('usage', `--${choice}: ${problem}`)
      }
      take(choice, selected)
    }
  }
  const held = ['known', 'changed', 'doubtful']
  for (const selection of skip) takeAll('skip', held, selection)
  for (const selection of add) takeAll('add', [...held, 'skipped'], selection)
}

/**
 * Records the decisions and the held rows. A row that is to be sent although it is held or skipped
 * stays so until it is sent: after a kill, nothing is sent by itself. Returns how many rows are not
 * sent.
 */
export function recordDecisions(
  ledger: Sqlite,
  id: bigint,
  base: bigint,
  hasKeys: boolean
): number {
  const isNew = "outcome IS NOT NULL AND (row IS NULL OR choice = 'add' AND outcome = 'skipped')"
  ledger.exec(`
    UPDATE rows SET state = 'skipped' WHERE id IN (SELECT row FROM input WHERE choice = 'skip');
    INSERT INTO rows (id, import, body, state, standsFor)
      SELECT ${base} + place, ${id}, body, iif(choice = 'skip', 'skipped', outcome), standsFor
      FROM input WHERE ${isNew} ORDER BY place;
    UPDATE input SET row = ${base} + place WHERE ${isNew}`)
  const sent = hasKeys ? "'again', 'doubtful'" : "'again'"
  return ledger.count(`input WHERE choice = 'skip' OR choice IS NULL AND outcome NOT IN (${sent})`)
}

/** What is known of the rows between two places. */
export const decisionsBetween = (ledger: Sqlite, first: number, last: number) =>
  ledger.rows<Decision>(
    `SELECT place, outcome, choice, row, nth, pet.pet AS pet, pet.body AS petBody, entry.at AS at,
       ifnull(entry.key, pet.key) AS key
     FROM input LEFT JOIN rows AS entry ON entry.id = row
     LEFT JOIN rows AS pet ON pet.id = input.standsFor
     WHERE place BETWEEN ? AND ? AND (outcome IS NOT NULL OR nth IS NOT NULL)`,
    first,
    last
  )
