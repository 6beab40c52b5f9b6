import type { Sqlite } from '../system/sqlite.ts'
import type { ImportInput } from './input.ts'
import { inputOf, petsOf, rowsOf } from './ledger.ts'
import { areAlike, LatestRows, sketchOf } from './runs.ts'

/**
 * The rules of an import, in the words of docs/import.md. The service can neither change nor delete
 * a pet, so what may be a double is not sent.
 *
 * `input` has the rows of this input, and what is found: `equal` is the place of the pet in `last`,
 * `run` a row that stood in the same run of rows before, `standsFor` the row whose pet it is. What has
 * no `outcome` in the end is new, and is sent.
 *
 * `last` has the rows of the last input of this import, each where it stood: `body` is the pet as it
 * was added, `own` the row if it was held. Below 0 are those that others of its files have added.
 * Neighbors are known by their names.
 */
const tables = `
  CREATE TEMP TABLE input (
    place INTEGER PRIMARY KEY, line INTEGER NOT NULL, body TEXT NOT NULL, equal INTEGER,
    run INTEGER, isHeldInRun INTEGER, outcome TEXT, row INTEGER, standsFor INTEGER, choice TEXT,
    nth INTEGER);
  CREATE TEMP TABLE last (
    place INTEGER PRIMARY KEY, row INTEGER NOT NULL, state TEXT NOT NULL, own TEXT NOT NULL,
    standsFor INTEGER NOT NULL, petState TEXT NOT NULL, body TEXT NOT NULL);
  CREATE TEMP VIEW pets AS SELECT * FROM last WHERE place >= 0 AND petState <> 'rejected';
  CREATE TEMP TABLE gone (
    place INTEGER PRIMARY KEY, standsFor INTEGER NOT NULL, name TEXT NOT NULL,
    category INTEGER NOT NULL, status TEXT NOT NULL, before TEXT, after TEXT);
  CREATE INDEX goneBefore ON gone (before);
  CREATE INDEX goneAfter ON gone (after)`

export const createTables = (ledger: Sqlite) => ledger.exec(tables)

/** An import as its ledger has it. */
export interface Imported {
  readonly id: bigint
  readonly apiKey: string | null
  /** For a file of rejects: the import that wrote it, and the latest row at that time. */
  readonly parent: bigint | null
  readonly since: bigint | null
}

/**
 * Within its place, an import is found by the bytes of its input, else by its path; with
 * `--batch NAME` by this name alone.
 */
export function findByName(ledger: Sqlite, { sha256, path = '' }: ImportInput, batch = '') {
  const [found] = ledger.rows<Imported>(
    `SELECT imports.* FROM imports LEFT JOIN names ON names.import = imports.id
     WHERE batch = ?3 AND (batch <> '' OR kind = 'content' AND name = ?1 OR kind = 'path' AND name = ?2)
     ORDER BY kind LIMIT 1`,
    ...[sha256, path, batch]
  )
  return found
}

/**
 * Else by likeness. Of an input with less than three rows, nothing can be said. Where most rows of the
 * other one are pets, the rest may have been corrected, or was never sent: it is not compared.
 */
export function findByLikeness(ledger: Sqlite): Imported | undefined {
  const size = ledger.count('input')
  if (size < 3) return undefined
  const candidates = ledger.rows<Imported & { rows: bigint }>(
    `SELECT * FROM imports WHERE batch = '' AND EXISTS (
       SELECT 1 FROM json_each(sketch) WHERE value IN (SELECT value FROM json_each(?)))
     ORDER BY id`,
    sketchOf(ledger, 'input')
  )
  // The rows of a file that has held rows are not those of its pets.
  return candidates.find(({ id, rows }) => {
    const pets = ledger.count(petsOf(id))
    const others = pets * 2 >= rows ? Math.min(size, Number(rows)) - pets : 0
    const isAlike = (last: string) => areAlike(ledger, last, others)
    return pets >= 2 && [rowsOf(id), petsOf(id)].some(isAlike)
  })
}

/** From these it is decided. Returns whether every row stands where it stood in the last input. */
export function loadLast(ledger: Sqlite, id: bigint): boolean {
  ledger.exec(`DELETE FROM last; INSERT INTO last ${inputOf(id)}`)
  const size = ledger.count('input')
  return (
    size > 0 &&
    ledger.count('last') === size &&
    ledger.count('input JOIN last USING (place) WHERE own = input.body') === size
  )
}

/**
 * A file of rejects and the file whose import wrote it last are one import for the rows that were
 * rejected: those that one of them has added since are in `last`, too.
 */
export function loadCorrections(ledger: Sqlite, { id, parent, since }: Imported): void {
  const family = parent ?? id
  if (parent === null && ledger.count(`imports WHERE parent = ${family}`) === 0) return
  ledger.run(
    `INSERT INTO last SELECT -r.id, r.id, r.state, r.body, r.id, r.state, r.body
     FROM rows AS r JOIN imports ON imports.id = r.import
     WHERE r.state IN ('added', 'sending', 'skipped') AND imports.id <> ?1
       AND (imports.parent = ?2 OR imports.id = ?2 AND r.id > ?3)
       AND r.id NOT IN (SELECT row FROM last UNION ALL SELECT standsFor FROM last)`,
    id,
    family,
    since
  )
}

/** Decides for each row of the input. */
export function decide(ledger: Sqlite, batch = ''): void {
  const pets = ledger.count('pets')
  const isHalfLeft = () => (pets - ledger.count('gone')) * 2 >= pets
  const first = matchBeginning(ledger)
  if (first < ledger.count('input')) matchEquals(ledger, first)
  findGone(ledger)
  findRuns(ledger, batch, isHalfLeft() && !isAnyHeld(ledger) ? first : 0)
  findChanges(ledger)
  decideOutcomes(ledger, isHalfLeft())
}

/** Most inputs begin as the last one did: then rows of the same place are equal. */
function matchBeginning(ledger: Sqlite) {
  const [end] = ledger.rows<{ place: bigint | null }>(
    `SELECT min(place) AS place FROM input LEFT JOIN last USING (place)
     WHERE last.own IS NOT input.body`
  )
  const first = Number(end?.place ?? ledger.count('input'))
  // Only a second row shows that the first one is beside the same neighbor.
  if (first === 1) return 0
  ledger.run('UPDATE input SET equal = place WHERE place < ?', first)
  return first
}

const neighborOf = (table: string, difference: string) =>
  `(SELECT body ->> '$.name' FROM ${table} WHERE place = each.place ${difference})`
const neighbors = (table: string) =>
  `${neighborOf(table, '- 1')} AS before, ${neighborOf(table, '+ 1')} AS after`

interface Standing {
  readonly place: bigint
  readonly text: string
  readonly isPet: bigint
  readonly before: string | null
  readonly after: string | null
}

const matched = 'SELECT equal FROM input WHERE equal IS NOT NULL'

/**
 * 1. A row equals a pet of the last input: first a row as it was held or skipped, then a pet that was
 * added, then one that was rejected, then a correction in another file.
 */
function matchEquals(ledger: Sqlite, first: number) {
  const isOnly = ledger.count('input') === 1 && ledger.count('pets') === 1
  const stages = [
    ['own', "place >= 0 AND own <> body AND state IN ('known', 'changed', 'skipped')"],
    ['body', "place >= 0 AND petState <> 'rejected'"],
    ['body', "place >= 0 AND petState = 'rejected'"],
    ['body', 'place < 0']
  ]
  for (const [text, condition] of stages) {
    const all = ledger.each<Standing>(
      `SELECT place, body AS text, 0 AS isPet, 0 AS isDoubtful, ${neighbors('input')}
       FROM input AS each WHERE place >= ? AND equal IS NULL
       UNION ALL
       SELECT place, ${text}, 1, petState = 'sending', ${neighbors('last')} FROM last AS each
       WHERE ${condition} AND place NOT IN (${matched})
       ORDER BY text, isDoubtful, place`,
      first
    )
    for (const group of groupsOf(all)) pair(ledger, group, isOnly)
  }
}

function* groupsOf(all: Iterable<Standing>) {
  let group: Standing[] = []
  for (const each of all) {
    if (each.text !== group[0]?.text) {
      yield group
      group = []
    }
    group.push(each)
  }
  yield group
}

/** Of several equal rows, those beside the same neighbor come first, then they go in their order. */
function pair(ledger: Sqlite, group: readonly Standing[], isOnly: boolean) {
  const pets = new Set(group.filter(({ isPet }) => isPet === 1n))
  const order = new Map([...pets].map((pet, index) => [pet, index]))
  const byBefore = queuesOf(pets, ({ before }) => before)
  const byAfter = queuesOf(pets, ({ after }) => after)
  const match = (row: Standing, pet: Standing | undefined) => {
    if (pet === undefined) return false
    ledger.run('UPDATE input SET equal = ? WHERE place = ?', pet.place, row.place)
    return pets.delete(pet)
  }
  const firstOf = (queue: Standing[] = []) => {
    while (queue[0] !== undefined && !pets.has(queue[0])) queue.shift()
    return queue[0] ?? []
  }
  const beside = ({ before, after }: Standing) => {
    if (isOnly) return pets.values().next().value
    const found = [byBefore.get(before ?? ''), byAfter.get(after ?? '')].flatMap(firstOf)
    const [first] = found.sort((one, other) => (order.get(one) ?? 0) - (order.get(other) ?? 0))
    return first
  }
  const rows = group.filter(({ isPet }) => isPet === 0n)
  const others = rows.filter(row => !match(row, beside(row)))
  for (const row of others) match(row, pets.values().next().value)
}

/** Pets by the name of a neighbor. */
function queuesOf(pets: Iterable<Standing>, neighborOf: (pet: Standing) => string | null) {
  const queues = new Map<string, Standing[]>()
  for (const pet of pets) {
    const name = neighborOf(pet)
    if (name === null) continue
    const queue = queues.get(name) ?? []
    queue.push(pet)
    queues.set(name, queue)
  }
  return queues
}

const isHeld = "state IN ('known', 'changed')"

/** Whether a row of the last input was held. It is not any more where another file has it as added. */
export const isAnyHeld = (ledger: Sqlite) => ledger.count(`last WHERE ${isHeld}`) > 0

/**
 * 2. A row stands in a run of five rows, or in a whole input that is shorter, that stood so before;
 * for a batch, in this batch.
 * There it may have been held, and stays so; it does not where another run has it as added.
 */
function findRuns(ledger: Sqlite, batch: string, first: number) {
  if (first >= ledger.count('input') || ledger.count('(SELECT 1 FROM runs LIMIT 1)') === 0) return
  const latest = new LatestRows(batch)
  const rows = ledger.each<{ place: bigint; body: string }>(
    'SELECT place, body FROM input WHERE place >= ? - 4 ORDER BY place',
    first
  )
  for (const { place, body } of rows) {
    for (const run of latest.runsTo(body))
      ledger.run(
        `UPDATE input SET run = rows.id, isHeldInRun = ${isHeld}
         FROM runs CROSS JOIN json_each(runs.rows) AS each
         CROSS JOIN rows ON rows.id = each.value
           AND rows.state IN ('added', 'sending', 'skipped', 'known', 'changed')
         WHERE runs.hash = ? AND input.body = rows.body
           AND input.place = ? + 1 - json_array_length(runs.rows) + each.key
           AND (run IS NULL OR isHeldInRun > (${isHeld}))`,
        run,
        place
      )
  }
  leaveOutSurplus(ledger)
  ledger.exec(
    `UPDATE input SET equal = NULL FROM last
     WHERE last.place = equal AND NOT isHeldInRun AND ${isHeld} AND own = input.body`
  )
}

/**
 * Beside a row that stands for its pet, an equal row may stand in the run, too, but is another pet:
 * a new Bella below the old one.
 */
function leaveOutSurplus(ledger: Sqlite) {
  if (ledger.count('input WHERE run IS NOT NULL AND equal IS NULL') === 0) return
  ledger.exec(
    `UPDATE input SET run = NULL WHERE equal IS NULL AND place IN (
       SELECT place FROM (
         SELECT place, row_number() OVER samePet AS nth, block, first_value(block) OVER samePet AS first
         FROM (
           SELECT input.place AS place, equal, run,
             ifnull(last.standsFor, ifnull(rows.standsFor, run)) AS pet,
             input.place - row_number() OVER (PARTITION BY input.body ORDER BY input.place) AS block
           FROM input LEFT JOIN last ON last.place = equal LEFT JOIN rows ON rows.id = run)
         WHERE pet IS NOT NULL
         WINDOW samePet AS (PARTITION BY pet ORDER BY equal IS NULL, place))
       WHERE nth > 1 AND block = first)`
  )
}

const fieldsOf = `body ->> '$.name' AS name, body ->> '$.categoryId' AS category,
  ifnull(body ->> '$.status', '') AS status`

interface Fields extends Standing {
  readonly name: string
  readonly category: bigint
  readonly status: string
}

/** A pet may stand at several places: then it is gone if it is at none of them. */
function findGone(ledger: Sqlite) {
  ledger.exec(
    `INSERT INTO gone SELECT place, standsFor, ${fieldsOf}, ${neighbors('last')} FROM (
       SELECT max(place) AS place, standsFor, body FROM pets
       WHERE standsFor NOT IN (SELECT standsFor FROM last WHERE place IN (${matched}))
       GROUP BY standsFor) AS each`
  )
}

/** 3. A row differs in one field from a pet that is gone, and stands beside the same neighbor. */
function findChanges(ledger: Sqlite) {
  if (ledger.count('gone') === 0) return
  const isOnly = ledger.count('input') === 1 && ledger.count('pets') === 1
  const rows = ledger.each<Fields>(
    `SELECT place, ${fieldsOf}, ${neighbors('input')} FROM input AS each
     WHERE equal IS NULL AND run IS NULL ORDER BY place`
  )
  for (const { place, name, category, status, before, after } of rows) {
    const [pet] = ledger.rows<{ place: bigint; standsFor: bigint }>(
      `SELECT place, standsFor FROM gone WHERE (before = ?4 OR after = ?5 OR ?6)
         AND (name <> ?1) + (category <> ?2) + (status <> ?3) = 1
       ORDER BY name = ?1, category = ?2, place LIMIT 1`,
      ...[name, category, status, before, after, Number(isOnly)]
    )
    if (pet === undefined) continue
    ledger.run(
      "UPDATE input SET outcome = 'changed', standsFor = ? WHERE place = ?",
      pet.standsFor,
      place
    )
    ledger.run('DELETE FROM gone WHERE place = ?', pet.place)
  }
}

/**
 * What was held stays held, and a decision stays. If less than half of the last input is still there,
 * equal or changed, an equal row that is in no run may be another pet: it is `known`.
 */
function decideOutcomes(ledger: Sqlite, isHalfLeft: boolean) {
  ledger.run(
    `UPDATE input SET standsFor = last.standsFor,
       row = iif(own = input.body, last.row, last.standsFor),
       outcome = CASE
         WHEN own = input.body AND state IN ('known', 'changed', 'skipped') THEN state
         WHEN petState = 'rejected' THEN 'again'
         WHEN petState = 'sending' THEN 'doubtful'
         WHEN ? OR equal < 0 OR NOT isHeldInRun THEN 'skipped'
         ELSE 'known' END
     FROM last WHERE last.place = equal`,
    Number(isHalfLeft)
  )
  ledger.exec(
    `UPDATE input SET standsFor = ifnull(rows.standsFor, run), row = run,
       outcome = CASE
         WHEN isHeldInRun THEN state WHEN state = 'sending' THEN 'doubtful' ELSE 'skipped' END
     FROM rows WHERE rows.id = run AND equal IS NULL`
  )
  // It is held under an entry of its own.
  ledger.exec(
    `UPDATE input SET row = NULL
     WHERE outcome = 'known' AND row NOT IN (SELECT id FROM rows WHERE state = 'known')`
  )
}

/** For keys that are derived: of equal rows, all but the first have a number. */
export function numberEqualRows(ledger: Sqlite): void {
  ledger.exec(
    `UPDATE input SET nth = number FROM (
       SELECT place AS at, row_number() OVER (PARTITION BY body ORDER BY place) AS number FROM input)
     WHERE at = place AND number > 1`
  )
}
