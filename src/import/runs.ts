import { hash } from 'node:crypto'
import type { Sqlite } from '../system/sqlite.ts'
import { inputOf, petsOf, rowsOf } from './ledger.ts'

/** So many rows that follow each other tell whose they are. A whole input may be shorter. */
const runLength = 5
/** Of so many elements with the lowest hashes, inputs that are alike have one in common. */
const sketchSize = 16

const weights = [3n, 5n, 7n, 9n, 11n].map(each => each ** 9n)

const hashOf = (text: string) =>
  BigInt.asIntN(64, BigInt(`0x${hash('sha1', text, 'hex').slice(0, 16)}`))

/**
 * The rows before this one, for the hashes of the runs that end with it. Those of a batch are apart.
 */
export class LatestRows {
  readonly #hashes: bigint[] = []
  readonly #batch: bigint

  constructor(batch: string) {
    this.#batch = batch === '' ? 0n : hashOf(batch)
  }

  clear(): void {
    this.#hashes.length = 0
  }

  /** The hashes of the runs of two rows, three rows and so on that end with this one. */
  runsTo(body: string): bigint[] {
    this.#hashes.unshift(hashOf(body))
    this.#hashes.length = Math.min(this.#hashes.length, runLength)
    let sum = this.#batch
    const sums = this.#hashes.map((each, index) => {
      sum += each * (weights[index] ?? 1n) + BigInt(index)
      return BigInt.asIntN(64, sum)
    })
    return sums.slice(1)
  }
}

/** The elements of an input that can be compared, and of equal ones which it is. */
const elements = {
  rows: (table: string) =>
    `SELECT body AS text, row_number() OVER (PARTITION BY body) AS nth FROM ${table}`,
  /** The names of three neighbors. */
  names: (table: string) =>
    `SELECT text, row_number() OVER (PARTITION BY text) AS nth FROM (
       SELECT name || char(10) || lead(name) OVER inOrder || char(10) || lead(name, 2) OVER inOrder
         AS text
       FROM (SELECT place, body ->> '$.name' AS name FROM ${table})
       WINDOW inOrder AS (ORDER BY place))
     WHERE text IS NOT NULL`
}

/**
 * Nine tenths of the rows of both are equal, or of both have the names of three neighbors in order.
 * So many rows of the input as `others` says have no counterpart.
 */
export function areAlike(ledger: Sqlite, last: string, others: number): boolean {
  return Object.values(elements).some(elementsOf => {
    const [ours, theirs] = [elementsOf('input'), elementsOf(last)]
    const both = `${ours} UNION ALL ${theirs}`
    const shared = ledger.count(`(SELECT 1 FROM (${both}) GROUP BY text, nth HAVING count(*) = 2)`)
    const most = Math.max(ledger.count(`(${ours})`) - others, ledger.count(`(${theirs})`))
    return shared > 0 && shared >= 0.9 * most
  })
}

/** What an input has in common with those that are like it, as JSON. */
export function sketchOf(ledger: Sqlite, table: string): string {
  const sketches = Object.values(elements).flatMap(elementsOf => {
    let lowest: bigint[] = []
    for (const { text, nth } of ledger.each<{ text: string; nth: bigint }>(elementsOf(table))) {
      const each = hashOf(`${nth} ${text}`)
      const highest = lowest[sketchSize - 1]
      if (highest !== undefined && each >= highest) continue
      lowest.push(each)
      lowest = lowest.sort((a, b) => (a < b ? -1 : 1)).slice(0, sketchSize)
    }
    return lowest
  })
  return `[${sketches}]`
}

/** Enters the runs of rows, as they stood, of imports whose last input is new, and their sketches. */
export function enterRuns(ledger: Sqlite): void {
  const imports = ledger.rows<{ id: bigint; batch: string }>(
    'SELECT id, batch FROM imports WHERE sketch IS NULL'
  )
  for (const { id, batch } of imports) {
    // In the order of the key: another one takes long.
    ledger.exec('CREATE TEMP TABLE found (hash INTEGER NOT NULL, rows TEXT NOT NULL)')
    for (const whose of new Set(['', batch]))
      for (const [hash, rows] of runsOf(ledger, id, whose))
        ledger.run('INSERT INTO found VALUES (?, ?)', hash, `[${rows}]`)
    ledger.exec(`
      INSERT OR REPLACE INTO runs SELECT hash, rows FROM found ORDER BY hash, rowid;
      DROP TABLE found`)
    const sketch = sketchOf(ledger, rowsOf(id))
    ledger.run('UPDATE imports SET sketch = ? WHERE id = ? AND NOT isRunning', sketch, id)
  }
}

function* runsOf(
  ledger: Sqlite,
  id: bigint,
  batch: string
): Generator<[hash: bigint, rows: bigint[]]> {
  const size = ledger.count(`(${inputOf(id)})`)
  const latest = new LatestRows(batch)
  let rows: bigint[] = []
  let next = 0n
  const pets = ledger.each<{ place: bigint; row: bigint; own: string }>(
    `SELECT place, row, own FROM ${petsOf(id)} ORDER BY place`
  )
  for (const { place, row, own } of pets) {
    if (place !== next) latest.clear()
    rows = place === next ? [...rows, row].slice(-runLength) : [row]
    next = place + 1n
    const hash = latest.runsTo(own).at(-1)
    if (hash !== undefined && rows.length === Math.min(size, runLength)) yield [hash, rows]
  }
}
