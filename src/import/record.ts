import { basename } from 'node:path'
import type { Sqlite } from '../system/sqlite.ts'
import type { ImportInput } from './input.ts'
import type { ImportOptions } from './options.ts'
import type { Imported } from './rules.ts'

/** The name of the file in messages, without its directory. */
export const fileName = ({ path, name }: ImportInput) =>
  path === undefined ? name : basename(path)

/** An import that begins with this input: perhaps the rejects of another one. */
export function newImport(ledger: Sqlite, { path = '' }: ImportInput): Imported {
  const [one] = ledger.rows<Imported>(
    `SELECT ifnull((SELECT max(id) FROM imports), 0) + 1 AS id, import AS parent, since
     FROM (SELECT 1) LEFT JOIN names ON kind = 'rejects' AND name = ?`,
    path
  )
  return one as Imported
}

/** All rows have lower numbers, and all that are reserved for rows. */
export function nextRow(ledger: Sqlite): bigint {
  const [next] = ledger.rows<{ row: bigint }>(
    `SELECT 1 + max(ifnull((SELECT max(id) FROM rows), 0),
       ifnull((SELECT max(row + count) FROM segments), 0)) AS row`
  )
  return next?.row ?? 1n
}

/** What was added before, when, and from which file most of it was; and how many pets are gone. */
export function beforeOf(ledger: Sqlite) {
  const [most] = ledger.rows<{ file: string; at: bigint }>(
    `SELECT file, max(at) AS at FROM input JOIN rows ON rows.id = input.standsFor
     JOIN imports ON imports.id = rows.import
     WHERE outcome = 'skipped' GROUP BY imports.id ORDER BY count(*) DESC LIMIT 1`
  )
  return {
    ...most,
    added: ledger.count("input WHERE outcome = 'skipped'"),
    gone: ledger.count('gone')
  }
}

/** The lines of rows that are sent although they equal pets that were added here for other rows. */
export function equalPets(ledger: Sqlite): number[] {
  const numbered = 'row_number() OVER (PARTITION BY body) AS nth FROM'
  const isNew = 'input WHERE outcome IS NULL'
  if (ledger.count(isNew) === 0) return []
  return ledger
    .rows<{ line: bigint }>(
      `SELECT line FROM (SELECT line, body, ${numbered} ${isNew}) JOIN (
         SELECT body, ${numbered} rows WHERE state IN ('added', 'sending', 'skipped')
           AND body IN (SELECT body FROM ${isNew})
           AND id NOT IN (SELECT standsFor FROM input WHERE standsFor IS NOT NULL)
       ) USING (body, nth) ORDER BY line`
    )
    .map(({ line }) => Number(line))
}

/** Bytes and path belong to the import that had them last. */
export function recordImport(
  ledger: Sqlite,
  { id, parent, since }: Imported,
  { rows, isRunning, isSame }: { rows: number; isRunning: boolean; isSame: boolean },
  { batch = '', apiKey }: ImportOptions,
  input: ImportInput
): void {
  ledger.run(
    `INSERT OR REPLACE INTO imports VALUES (
       ?1, ?2, ?3, ?4, ?5, ?6, (SELECT sketch FROM imports WHERE id = ?1 AND ?7), ?8, ?9)`,
    ...[id, batch, fileName(input), apiKey, Number(isRunning), rows, Number(isSame), parent, since]
  )
  const names = { content: input.sha256, path: input.path }
  for (const [kind, name] of Object.entries(names))
    if (name !== undefined) recordName(ledger, kind, name, id)
}

function recordName(ledger: Sqlite, kind: string, name: string, id: bigint) {
  ledger.run('DELETE FROM names WHERE kind = ? AND name = ?', kind, name)
  ledger.run(
    `INSERT INTO names (kind, name, import, since)
     SELECT ?, ?, ?, ifnull(max(id), 0) FROM rows`,
    ...[kind, name, id]
  )
}

/** A file of rejects that is written anew is another import, and one with this one. */
export function recordRejects(ledger: Sqlite, path: string, id: bigint): void {
  ledger.transaction(() => {
    ledger.run("DELETE FROM names WHERE kind = 'path' AND name = ?", path)
    recordName(ledger, 'rejects', path, id)
  })
}

/** The rows of the last input: those that follow each other are one segment. */
export function recordSegments(ledger: Sqlite, id: bigint, base: bigint, size: number): void {
  ledger.run('DELETE FROM segments WHERE import = ?', id)
  const insert = 'INSERT INTO segments (import, place, row, count)'
  if (ledger.count('input WHERE outcome IS NOT NULL') === 0) {
    // Rows that were only counted are new.
    ledger.run(`${insert} VALUES (?, 0, ?, ?)`, id, base, size)
    return
  }
  ledger.run(
    `${insert} SELECT ?1, min(place), min(row), count(*) FROM (
       SELECT place, row, sum(isFirst) OVER (ORDER BY place) AS segment FROM (
         SELECT place, row, row - lag(row) OVER (ORDER BY place) IS NOT 1 AS isFirst
         FROM (SELECT place, ifnull(row, ?2 + place) AS row FROM input)))
     GROUP BY segment`,
    ...[id, base]
  )
}
