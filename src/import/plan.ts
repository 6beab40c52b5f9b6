import { Failure } from '../failure.ts'
import { takeLock } from '../system/lock.ts'
import { statsOf } from '../system/same-file.ts'
import type { Sqlite } from '../system/sqlite.ts'
import { applyChoices, choose } from './decisions.ts'
import { unitOf } from './formats.ts'
import type { Decision } from './held-rows.ts'
import type { ImportInput } from './input.ts'
import { logPathOf, lost, openLedger, takeIn } from './ledger.ts'
import { createLog, type Log, removeLog } from './log.ts'
import type { ImportOptions } from './options.ts'
import type { Place, Places } from './places.ts'
import {
  beforeOf,
  enterDecisions,
  equalPets,
  type Imported,
  isRecorded,
  isSameInput,
  newImport,
  nextRow,
  numberEqualRows,
  recordImport,
  recordRejects,
  recordSegments
} from './record.ts'
import { readRows } from './rows.ts'
import {
  createTables,
  decide,
  findByLikeness,
  findByName,
  type Identity,
  loadCorrections,
  loadLast
} from './rules.ts'
import { enterRuns } from './runs.ts'
import type { Shutdown } from './shutdown.ts'

export type Plan = NonNullable<Awaited<ReturnType<typeof openPlan>>>

/**
 * Finds the import of an input, decides what is sent, and records it. Undefined if a check finds no
 * ledger. What a kill leaves at each step:
 *
 * 1. The places know that a ledger begins. It begins again.
 * 2. The ledger takes in the logs of runs that were killed, then they are removed. One that was taken
 *    in is not expected any more.
 * 3. One transaction has the pets of this input, each where it stands, and the decisions. The log is
 *    there before it. All of that is recorded, or nothing.
 * 4. The log has each row on disk before it is sent, and its end before that is reported. Rows
 *    without an end are in doubt.
 * 5. The ledger takes the log in: see 2.
 */
export async function openPlan(
  options: ImportOptions,
  input: ImportInput,
  places: Places,
  shutdown: Shutdown
) {
  const { check = false } = options
  const opened = await openPlace(options, places, shutdown)
  if (opened === undefined) return undefined
  const { ledger, path, unread } = opened
  ledger.exec('BEGIN IMMEDIATE')
  const decided = await decideRows(opened, options, input)
  const { one, size, base, isUnchanged, sent } = decided
  const isBegun = !check && size > 0
  let log: Log | undefined
  return {
    ...decided,
    path,
    isFirst: opened.isFirst,
    /** Why imports here are not compared with. */
    unread: [...unread.values()],
    /** What is known of the rows from this place on. */
    decisionsOf: (first: number, count: number) => {
      const found = ledger.rows<Decision>(
        'SELECT * FROM decisions WHERE place BETWEEN ? AND ?',
        first,
        first + count - 1
      )
      return new Map(found.map(decision => [Number(decision.place), decision]))
    },
    get log() {
      return log
    },
    /** From now on it counts, and rows can be sent. An input without rows begins no import. */
    begin: () => {
      if (!isBegun) return
      if (!isUnchanged) recordSegments(ledger, { id: one.id, base, size })
      const isIndexed = isUnchanged && one.isIndexed === 1n
      recordImport(ledger, { ...one, isRunning: sent > 0, isIndexed }, options, input)
      if (sent > 0) log = createLog(logPathOf(path, one.id))
      shutdown.closers.push(() => log?.release())
      ledger.exec('COMMIT')
      opened.keep(input)
    },
    /** The ledger takes in what was recorded since, now or in the next run. */
    finish: async (rejects: string | undefined) => {
      if (!isBegun) return
      log?.release()
      const unlock = await opened.lock()
      if (rejects !== undefined) recordRejects(ledger, rejects, one.id)
      const isInterrupted = shutdown.signal.reason?.code === 'interrupted'
      if (log !== undefined && !isInterrupted) {
        takeIn(ledger, one.id, log.path)
        removeLog(log.path)
      }
      unlock()
    }
  }
}

type Opened = NonNullable<Awaited<ReturnType<typeof openPlace>>>

/** Opens the ledger of a place, or of a batch, while no other process does. */
async function openPlace(
  { place, check = false, batch }: ImportOptions,
  places: Places,
  shutdown: Shutdown
) {
  const main = place && places.ledgerOf(place, '')
  if (place === undefined || (check && main === undefined)) return undefined
  const mainPath = main?.path ?? places.newLedger(place, '')
  const lock = () => lockPlace(mainPath, shutdown)
  const unlock = await lock()
  const { ledger, path, problem } = openLedgerOf(places, place, mainPath, batch)
  shutdown.closers.push(() => {
    ledger.rollBack()
    ledger.close()
  })
  const file = statsOf(path)?.ino
  const unread = takeInLogs(ledger, path)
  if (problem !== undefined) unread.set(0n, problem)
  createTables(ledger)
  return {
    ledger,
    path,
    unread,
    isFirst: main === undefined,
    /** From now on the ledger is missed if it is gone. */
    keep: ({ sha256, path: inputPath }: ImportInput) => {
      places.keep(place, '', mainPath)
      if (batch !== undefined) places.keep(place, batch, path)
      places.addFile('content', sha256, place)
      if (inputPath !== undefined) places.addFile('path', inputPath, place)
      unlock()
    },
    lock: async () => {
      const unlockAgain = await lock()
      if (statsOf(path)?.ino !== file) throw lost(path, 'was deleted or replaced')
      return unlockAgain
    }
  }
}

/** Finds the import of an input, and what is known of its rows. */
async function decideRows({ ledger, unread }: Opened, options: ImportOptions, input: ImportInput) {
  const { batch, keyLife, apiKey = null } = options
  const isKnown = ledger.count('(SELECT 1 FROM rows LIMIT 1)') > 0
  const isNumbered = batch !== undefined && keyLife > 0
  // Otherwise every row is new, and is only counted.
  const isRead = isKnown || isNumbered
  const { rows, size } = await readInput(ledger, input, options, isRead)
  const former = findImport(ledger, { ...input, batch }, isKnown)
  const failure = former && unread.get(former.id)
  if (failure !== undefined) throw failure
  const one = former ?? newImport(ledger, input)
  const base = nextRow(ledger)
  loadCorrections(ledger, one)
  decide(ledger, batch !== undefined)
  choose(ledger, options, unitOf(input.layout.format))
  const before = beforeOf(ledger)
  applyChoices(ledger, one.id, base)
  if (isNumbered) numberEqualRows(ledger)
  return {
    one,
    rows,
    size,
    base,
    before,
    /** How many rows of a new batch equal pets that were added here. */
    equal: batch !== undefined && former === undefined ? equalPets(ledger) : 0,
    hasOtherKey: former !== undefined && former.apiKey !== apiKey,
    isUnchanged: isRecorded(ledger, size),
    sent: size - enterDecisions(ledger, keyLife > 0)
  }
}

const longestWaitMilliseconds = 60_000

/** One process at a time opens an import, or ends one. */
async function lockPlace(file: string, { closers, signal }: Shutdown) {
  const what = 'the journal'
  const unlock = await takeLock({ file, what, milliseconds: longestWaitMilliseconds, signal })
  let isLocked = true
  const once = () => {
    if (isLocked) unlock()
    isLocked = false
  }
  closers.push(once)
  return once
}

/** The ledger of a place. A new batch begins another one if that is not whole. */
function openLedgerOf(places: Places, place: Place, mainPath: string, batch: string | undefined) {
  const isThere = places.ledgerOf(place, '')?.isThere === true
  const own = batch === undefined ? undefined : places.ledgerOf(place, batch)
  if (own !== undefined) return { path: own.path, ledger: openLedger(own.path, !own.isThere) }
  try {
    return { path: mainPath, ledger: openLedger(mainPath, !isThere) }
  } catch (problem) {
    if (batch === undefined || !(problem instanceof Failure)) throw problem
    const path = places.newLedger(place, batch)
    return { path, ledger: openLedger(path, true), problem }
  }
}

/** Takes in what runs recorded that were killed. Returns those that cannot be taken in, and why. */
function takeInLogs(ledger: Sqlite, path: string) {
  const unread = new Map<bigint, Failure>()
  for (const { id } of ledger.rows<{ id: bigint }>('SELECT id FROM imports WHERE isRunning')) {
    const log = logPathOf(path, id)
    try {
      takeIn(ledger, id, log)
      removeLog(log)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      unread.set(id, error)
    }
  }
  return unread
}

/** Counts the rows, and enters those that are pets. */
async function readInput(
  ledger: Sqlite,
  input: ImportInput,
  { ignoreUnknown }: ImportOptions,
  isRead: boolean
) {
  let [rows, size] = [0, 0]
  for await (const batch of readRows(input, ignoreUnknown, { isCounted: !isRead })) {
    rows += batch.length
    for (const { line, body } of batch) {
      if (isRead && body === undefined) continue
      if (body !== undefined) ledger.run('INSERT INTO input VALUES (?, ?, ?)', size, line, body)
      size += 1
    }
  }
  return { rows, size }
}

/** Afterwards, `last` has the rows of its last input. */
function findImport(ledger: Sqlite, identity: Identity, isKnown: boolean) {
  let id = findByName(ledger, identity)
  loadLast(ledger, id)
  if (isKnown && !isSameInput(ledger)) {
    const others = ledger.rows<{ id: bigint; isRunning: bigint }>(
      'SELECT id, isRunning FROM imports WHERE NOT isIndexed'
    )
    for (const other of others) {
      loadLast(ledger, other.id)
      enterRuns(ledger, other.id)
      ledger.run('UPDATE imports SET isIndexed = NOT isRunning WHERE id = ?', other.id)
    }
    if (identity.batch === undefined) id ??= findByLikeness(ledger)
    loadLast(ledger, id)
  }
  return ledger.rows<Imported>('SELECT * FROM imports WHERE id = ?', id ?? null)[0]
}
