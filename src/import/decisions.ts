import { Failure } from '../failure.ts'
import type { Sqlite } from '../system/sqlite.ts'
import { rangeText } from './line-ranges.ts'
import type { ImportOptions, Selection } from './options.ts'

/** What a person may decide about: `--add` with lines takes skipped rows, too. */
const held = "'known', 'changed', 'doubtful'"

/** Takes down what `--add` and `--skip` say. Throws for a line that is of no such kind, or in both. */
export function choose(ledger: Sqlite, { add, skip }: ImportOptions, unit: string): void {
  const take = (choice: 'add' | 'skip', selected: string) => {
    const [twice] = ledger.rows<{ line: bigint }>(
      `SELECT line FROM plan WHERE ${selected} AND choice <> ? LIMIT 1`,
      choice
    )
    if (twice !== undefined)
      throw new Failure('usage', `${unit} ${twice.line} is in both --add and --skip`)
    ledger.run(`UPDATE plan SET choice = ? WHERE ${selected}`, choice)
  }
  const takeAll = (choice: 'add' | 'skip', kinds: string, selection: Selection = []) => {
    if (typeof selection === 'string') return take(choice, `outcome = '${selection}'`)
    for (const { first, last } of selection) {
      const selected = `line BETWEEN ${first} AND ${last}`
      if (ledger.count(`plan WHERE ${selected} AND outcome IN (${kinds})`) <= last - first)
        throw noSuchRow(`--${choice}`, rangeText({ first, last }), unit)
      take(choice, selected)
    }
  }
  takeAll('skip', held, skip)
  takeAll('add', `${held}, 'skipped'`, add)
}

function noSuchRow(option: string, lines: string, unit: string) {
  const isOne = !lines.includes('-')
  const problem = isOne ? `${unit} ${lines} is not` : `not every ${unit} of ${lines} is`
  const kinds =
    option === '--add' ? 'skipped, known, changed or doubtful' : 'known, changed or doubtful'
  return new Failure('usage', `${option}: ${problem} ${kinds}`)
}

/**
 * Records the decisions and the held rows. A row that is to be sent although it is held or skipped
 * stays so until it is sent: that a run is killed sends nothing later.
 */
export function applyChoices(ledger: Sqlite, id: bigint, base: bigint): void {
  ledger.run(
    "UPDATE rows SET state = 'skipped' WHERE id IN (SELECT row FROM plan WHERE choice = 'skip')"
  )
  ledger.run(
    `INSERT INTO rows (id, import, body, state, standsFor)
     SELECT ?1 + place, ?2, body,
       CASE WHEN choice = 'skip' OR outcome = 'skipped' THEN 'skipped' ELSE outcome END, standsFor
     FROM plan JOIN input USING (place)
     WHERE row IS NULL OR choice = 'add' AND outcome = 'skipped' ORDER BY place`,
    base,
    id
  )
  ledger.run(
    "UPDATE plan SET row = ? + place WHERE row IS NULL OR choice = 'add' AND outcome = 'skipped'",
    base
  )
}
