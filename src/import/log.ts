import { hash } from 'node:crypto'
import {
  closeSync,
  fdatasync,
  ftruncateSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync
} from 'node:fs'
import { open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { lockPathOf, takeLock } from '../system/lock.ts'
import { statsOf } from '../system/same-file.ts'
import type { Sqlite, SqlValue } from '../system/sqlite.ts'
import { lost } from './ledger.ts'
import type { RowResult } from './results.ts'

/** A row on its way. */
export interface LoggedRow {
  /** Its number in the ledger. */
  readonly id: bigint
  readonly body: string
  /** Its idempotency key, and when that was sent first, in seconds. */
  readonly key: string | null
  readonly at: bigint | number
  /** Undefined until it has ended, and if no attempt was carried out. */
  result?: RowResult | undefined
}

export type Log = Awaited<ReturnType<typeof createLog>>

const pathOf = (ledger: string, id: bigint) => ledger.replace(/\.db$/, `-${id}.log`)

const lock = (file: string) => takeLock({ file, what: 'the journal', milliseconds: 0 })

/** The first line of a log: how many bytes are committed. */
const headerOf = (length: number) => `${String(length).padStart(15, '0')}\n`
const headerLength = headerOf(0).length

/** The end of each other line. That of the line before is in it, so that no line can be missing. */
const checksumOf = (before: string, json: string) => hash('sha256', before + json)
const checksumLength = checksumOf('', '').length

const sync = promisify(fdatasync)

/**
 * What happens to the rows of an import while it runs, one line for each commit. The log is locked by
 * this process, and so is the import. At the end, or after a kill, the ledger takes it in. A log and
 * its lock are only created and removed while the place is locked.
 */
export async function createLog(ledger: string, id: bigint) {
  const path = pathOf(ledger, id)
  const unlock = await lock(path)
  rmSync(path, { force: true })
  writeFileSync(path, headerOf(headerLength), { flag: 'wx', mode: 0o600, flush: true })
  const file = openSync(path, 'a')
  // What appends has no positions.
  const header = openSync(path, 'r+')
  let length = headerLength
  let checksum = ''
  return {
    /** One commit: the ends since the last one, and the next rows to send. */
    record: async (ended: readonly LoggedRow[], next: readonly LoggedRow[]) => {
      if (statsOf(path)?.ino !== statsOf(file)?.ino)
        throw lost(path, 'was deleted or replaced during the import')
      const json = JSON.stringify([
        ...ended.map(endOf),
        ...next.map(({ id, body, key, at }) => [String(id), body, key, Number(at)])
      ])
      const latest = checksumOf(checksum, json)
      const line = Buffer.from(`${json}${latest}\n`)
      try {
        writeFileSync(file, line)
        await sync(file)
        // It outlives this process. After a loss of power it may be older, which is no harm.
        writeSync(header, headerOf(length + line.length), 0)
      } catch (error) {
        // Nothing of this commit counts.
        ftruncateSync(header, length)
        throw error
      }
      length += line.length
      checksum = latest
    },
    /** Leaves it to the ledger. */
    release: () => {
      closeSync(file)
      closeSync(header)
      unlock()
    }
  }
}

/** What the ledger calls them. */
const states: Readonly<Record<string, string>> = { skipped: 'added', doubtful: 'sending' }

function endOf({ id, result }: LoggedRow) {
  const { outcome = 'unsent', id: pet = null } = result ?? {}
  return [String(id), states[outcome] ?? outcome, pet === null ? null : String(pet)]
}

/** The ledger takes in what a run recorded, once no process uses its log. */
export async function takeIn(ledger: Sqlite, ledgerPath: string, id: bigint): Promise<void> {
  const path = pathOf(ledgerPath, id)
  const unlock = await lock(path)
  const enter = (row: SqlValue[]) =>
    ledger.run(
      `INSERT OR REPLACE INTO rows (import, state, pet, id, body, key, at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      ...[id, ...row]
    )
  try {
    ledger.exec('BEGIN IMMEDIATE')
    if (statsOf(path) === undefined || !(await readAll(path, enter)))
      throw lost(path, 'is gone, damaged or lacks a part')
    ledger.run('UPDATE imports SET isRunning = 0, sketch = NULL WHERE id = ?', id)
    ledger.exec('COMMIT')
  } finally {
    ledger.rollBack()
    unlock()
    rmSync(lockPathOf(path))
  }
  rmSync(path)
}

/** Enters each row as it was last. Returns whether everything that was committed is there. */
async function readAll(path: string, enter: (row: SqlValue[]) => void) {
  const underway = new Map<SqlValue, SqlValue[]>()
  const file = await open(path)
  const { buffer: header } = await file.read(Buffer.alloc(headerLength))
  let length = headerLength
  let checksum = ''
  // Each byte is a character, so that no other line ends are found.
  for await (const line of file.readLines({ encoding: 'latin1', start: headerLength })) {
    const json = Buffer.from(line.slice(0, -checksumLength), 'latin1').toString()
    const latest = checksumOf(checksum, json)
    // A kill cut it off, unless it was committed. No line after it continues the one before.
    if (!line.endsWith(latest)) continue
    checksum = latest
    length += line.length + 1
    for (const entry of JSON.parse(json)) {
      const [id, state, pet] = entry
      const start = underway.get(id)
      if (start === undefined) underway.set(id, entry)
      else if (state !== 'unsent') enter([state, pet, ...start])
      if (start !== undefined) underway.delete(id)
    }
  }
  for (const start of underway.values()) enter(['sending', null, ...start])
  return length >= Number(header)
}
