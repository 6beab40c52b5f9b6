import { basename } from 'node:path'
import type { Sqlite } from '../system/sqlite.ts'
import type { ImportInput } from './input.ts'
import type { ImportOptions } from './options.ts'

/** An import as its ledger has it. */
export interface Imported {
  readonly id: bigint
  readonly file: string | null
  readonly apiKey: string | null
  /** For a file of rejects: the import that wrote it, and the latest row at that time. */
  readonly parent: bigint | null
  readonly since: bigint | null
  /** Whether its runs are entered. */
  readonly isIndexed: bigint
}

const first = <Row>(ledger: Sqlite, sql: string, ...values: (string | bigint)[]) =>
  ledger.rows<Row>(sql, ...values)[0]

/** An import that begins with this input. */
export function newImport(ledger: Sqlite, { path = '' }: ImportInput): Imported {
  const { id = 1n } =
    first<{ id: bigint }>(ledger, 'SELECT ifnull(max(id), 0) + 1 AS id FROM imports') ?? {}
  const rejects = first<{ parent: bigint; since: bigint }>(
    ledger,
    "SELECT import AS parent, since FROM names WHERE kind = 'rejects' AND name = ?",
    path
  )
  return { id, file: null, apiKey: null, parent: null, since: null, isIndexed: 0n, ...rejects }
}

/** Rows and reserved ones have lower numbers. */
export function nextRow(ledger: Sqlite): bigint {
  const { row = 1n } =
    first<{ row: bigint }>(
      ledger,
      `SELECT 1 + max(ifnull((SELECT max(id) FROM rows), 0),
         ifnull((SELECT max(row + count) FROM segments), 0)) AS row`
    ) ?? {}
  return row
}

/** Whether every row stands where it stood in the last input, and no other. */
export function isSameInput(ledger: Sqlite): boolean {
  const count = ledger.count('input')
  return (
    ledger.count('last WHERE place >= 0') === count &&
    ledger.count('input JOIN last ON last.place = input.place AND own = input.body') === count
  )
}

/** Whether the rows of the last input are recorded as they are now. */
export function isRecorded(ledger: Sqlite, size: number): boolean {
  return (
    ledger.count('last WHERE place >= 0') === size &&
    ledger.count('plan JOIN last USING (place) WHERE plan.row = last.row') === size
  )
}

/** What was added before, and where it came from. */
export function beforeOf(ledger: Sqlite) {
  const skipped = `plan JOIN rows ON rows.id = plan.standsFor WHERE outcome = 'skipped'`
  const latest = first<{ file: string | null; at: bigint }>(
    ledger,
    `SELECT file, max(at) AS at FROM plan JOIN rows ON rows.id = plan.standsFor
     JOIN imports ON imports.id = rows.import
     WHERE outcome = 'skipped' GROUP BY imports.id ORDER BY count(*) DESC LIMIT 1`
  )
  return {
    added: ledger.count(skipped),
    ...latest,
    gone: ledger.count('gone')
  }
}

/** How many rows equal pets that were added here. */
export function equalPets(ledger: Sqlite): number {
  const counted = `SELECT body, count(*) AS count`
  const { sum } = first<{ sum: bigint | null }>(
    ledger,
    `SELECT sum(min(mine.count, pets.count)) AS sum
     FROM (${counted} FROM input GROUP BY body) AS mine JOIN (
       ${counted} FROM rows WHERE body IN (SELECT body FROM input)
       AND state IN ('added', 'sending', 'skipped') GROUP BY body) AS pets USING (body)`
  ) ?? { sum: 0n }
  return Number(sum ?? 0)
}

/** For keys that are derived: of equal rows, all but the first have a number. */
export function numberEqualRows(ledger: Sqlite): void {
  ledger.exec(`
    INSERT INTO numbers SELECT place, nth FROM (
      SELECT place, row_number() OVER (PARTITION BY body ORDER BY place) AS nth FROM input)
    WHERE nth > 1`)
}

/** Keeps what is needed while rows are sent. Returns how many are not sent. */
export function enterDecisions(ledger: Sqlite, hasKeys: boolean): number {
  ledger.exec(`CREATE TEMP TABLE decisions (
    place INTEGER PRIMARY KEY, outcome TEXT, choice TEXT, row INTEGER, pet INTEGER, petBody TEXT,
    key TEXT, at INTEGER, nth INTEGER)`)
  ledger.exec(`
    INSERT INTO decisions
    SELECT place, outcome, choice, row, pet.pet, pet.body, ifnull(entry.key, pet.key), entry.at, nth
    FROM (SELECT place FROM plan UNION SELECT place FROM numbers)
    LEFT JOIN plan USING (place) LEFT JOIN numbers USING (place)
    LEFT JOIN rows AS entry ON entry.id = plan.row
    LEFT JOIN rows AS pet ON pet.id = plan.standsFor`)
  const settled = hasKeys ? "'doubtful', 'again'" : "'again'"
  return ledger.count(
    `plan WHERE choice = 'skip' OR choice IS NULL AND outcome NOT IN (${settled})`
  )
}

interface Recorded extends Omit<Imported, 'isIndexed'> {
  /** Whether its log has to be taken in. */
  readonly isRunning: boolean
  readonly isIndexed: boolean
}

/** The name of the file in messages, without its directory. */
export const fileName = ({ path, name }: ImportInput) =>
  path === undefined ? name : basename(path)

/** Bytes and path belong to the import that had them last. */
export function recordImport(
  ledger: Sqlite,
  { id, parent, since, isRunning, isIndexed }: Recorded,
  { batch, apiKey }: ImportOptions,
  input: ImportInput
): void {
  ledger.run(
    'INSERT OR REPLACE INTO imports VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    id,
    batch ?? null,
    fileName(input),
    apiKey ?? null,
    Number(isRunning),
    Number(isIndexed),
    parent,
    since
  )
  for (const [kind, text] of [
    ['content', input.sha256],
    ['path', input.path]
  ]) {
    if (kind === undefined || text === undefined) continue
    ledger.run('DELETE FROM names WHERE kind = ? AND name = ?', kind, text)
    ledger.run('INSERT INTO names (kind, name, import) VALUES (?, ?, ?)', kind, text, id)
  }
}

/** The rows of the last input: those that follow each other are one segment. */
export function recordSegments(
  ledger: Sqlite,
  { id, base, size }: { id: bigint; base: bigint; size: number }
): void {
  ledger.run('DELETE FROM segments WHERE import = ?', id)
  if (ledger.count('plan') === 0) {
    ledger.run(
      'INSERT INTO segments (import, place, row, count) VALUES (?, 0, ?, ?)',
      id,
      base,
      size
    )
    return
  }
  ledger.run(
    `INSERT INTO segments (import, place, row, count)
     SELECT ?1, min(place), min(row), count(*) FROM (
       SELECT place, row, sum(isFirst) OVER (ORDER BY place) AS segment FROM (
         SELECT place, row, row - lag(row) OVER (ORDER BY place) IS NOT 1 AS isFirst FROM (
           SELECT input.place, ifnull(row, ?2 + input.place) AS row
           FROM input LEFT JOIN plan USING (place))))
     GROUP BY segment`,
    id,
    base
  )
}

/** A file of rejects that is written anew is another import, and one with this one. */
export function recordRejects(ledger: Sqlite, path: string, id: bigint): void {
  ledger.transaction(() => {
    ledger.run("DELETE FROM names WHERE kind IN ('path', 'rejects') AND name = ?", path)
    ledger.run(
      `INSERT INTO names (kind, name, import, since)
       SELECT 'rejects', ?, ?, ifnull(max(id), 0) FROM rows`,
      path,
      id
    )
  })
}
