import { Failure } from '../failure.ts'
import { takeLock } from '../system/lock.ts'
import { statsOf } from '../system/same-file.ts'
import type { Sqlite } from '../system/sqlite.ts'
import { choose, decisionsBetween, recordDecisions } from './decisions.ts'
import { unitOf } from './formats.ts'
import type { ImportInput } from './input.ts'
import { lost, openLedger } from './ledger.ts'
import { createLog, type Log, takeIn } from './log.ts'
import type { ImportOptions } from './options.ts'
import type { Place, Places } from './places.ts'
import {
  beforeOf,
  equalPets,
  newImport,
  nextRow,
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
  isAnyHeld,
  loadCorrections,
  loadLast,
  numberEqualRows
} from './rules.ts'
import { enterRuns } from './runs.ts'
import type { Shutdown } from './shutdown.ts'

export type Plan = NonNullable<Awaited<ReturnType<typeof openPlan>>>

/**
 * Finds the import of an input, decides what is sent, and records it. Undefined if a check finds no
 * ledger. What a kill leaves at each step:
 *
 * 1. The ledger takes in the logs of runs that were killed, then they are removed. One that was taken
 *    in is not expected any more.
 * 2. The places expect the ledger from now on. It is there, and whole.
 * 3. One transaction has the pets of this input, each where it stands, and the decisions. The log is
 *    there before it. All of that is recorded, or nothing.
 * 4. The log has each row on disk before it is sent, and its end before that is reported. Rows
 *    without an end are in doubt.
 * 5. The ledger takes the log in: see 1.
 */
export async function openPlan(
  options: ImportOptions,
  input: ImportInput,
  places: Places,
  shutdown: Shutdown
) {
  const { place, check = false, batch } = options
  if (place === undefined || (check && !places.has('ledger', places.ledgerOf(place), place)))
    return undefined
  const main = places.ledgerOf(place)
  const isFirst = !places.has('ledger', main, place)
  const unlock = await lockPlace(main, shutdown)
  const { ledger, path, others } = openOneOf(places, place, batch)
  const file = statsOf(path)?.ino
  shutdown.closers.push(() => {
    ledger.rollBack()
    ledger.close()
  })
  const unread = await takeInLogs(ledger, path)
  ledger.exec('BEGIN IMMEDIATE')
  const decided = await decideRows(ledger, unread, options, input)
  const { one, rows, size, base, isSame, sent } = decided
  const isBegun = !check && size > 0
  let log: Log | undefined
  const releaseLog = () => {
    log?.release()
    log = undefined
  }
  return {
    ...decided,
    path,
    isFirst,
    /** What is not compared with, and why. */
    unread: [...unread.values(), ...others],
    /** What is known of the rows from this place on. */
    decisionsOf: (first: number, count: number) => {
      const found = decisionsBetween(ledger, first, first + count - 1)
      return new Map(found.map(decision => [Number(decision.place), decision]))
    },
    get log() {
      return log
    },
    /** From now on it counts, and rows can be sent. An input without rows begins no import. */
    begin: async () => {
      if (!isBegun) return
      if (!isSame) recordSegments(ledger, one.id, base, size)
      recordImport(ledger, one, { rows, isRunning: sent > 0, isSame }, options, input)
      if (sent > 0) log = await createLog(path, one.id)
      shutdown.closers.push(releaseLog)
      const known = [
        ['ledger', path],
        ['batch', batch],
        ['content', input.sha256],
        ['path', input.path]
      ] as const
      places.add(known, place)
      ledger.exec('COMMIT')
      unlock()
    },
    /** The ledger takes in what was recorded since, now or in the next run. */
    finish: async (rejects: string | undefined) => {
      if (!isBegun) return
      const unlockAgain = await lockPlace(main, shutdown)
      releaseLog()
      if (statsOf(path)?.ino !== file) throw lost(path, 'was deleted or replaced')
      if (rejects !== undefined) recordRejects(ledger, rejects, one.id)
      if (sent > 0 && shutdown.signal.reason?.code !== 'interrupted')
        await takeIn(ledger, path, one.id)
      unlockAgain()
    }
  }
}

const longestWaitMilliseconds = 60_000

/** One process at a time opens an import, or ends one. */
async function lockPlace(file: string, { closers, signal }: Shutdown) {
  const what = 'the journal'
  const unlock = await takeLock({ file, what, milliseconds: longestWaitMilliseconds, signal })
  let isLocked = true
  const unlockOnce = () => {
    if (isLocked) unlock()
    isLocked = false
  }
  closers.push(unlockOnce)
  return unlockOnce
}

/** Opens the ledger of a place. A new batch begins another one if that is not whole. */
function openOneOf(places: Places, place: Place, batch: string | undefined) {
  const open = (path: string) => {
    return { path, ledger: openLedger(path, places.has('ledger', path, place)), others: [] }
  }
  const own = places.ledgerOf(place, batch)
  if (places.has('ledger', own, place)) return open(own)
  try {
    return open(places.ledgerOf(place))
  } catch (problem) {
    const isNewBatch = batch !== undefined && !places.has('batch', batch, place)
    if (!isNewBatch || !(problem instanceof Failure)) throw problem
    return { ...open(own), others: [{ what: 'earlier imports', failure: problem }] }
  }
}

interface Unread {
  readonly what: string
  readonly failure: Failure
}

/** Takes in what runs recorded that were killed. Returns those that cannot be taken in, and why. */
async function takeInLogs(ledger: Sqlite, path: string) {
  const unread = new Map<bigint, Unread>()
  const running = ledger.rows<{ id: bigint; file: string }>(
    'SELECT id, file FROM imports WHERE isRunning'
  )
  for (const { id, file } of running) {
    try {
      await takeIn(ledger, path, id)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      unread.set(id, { what: file, failure: error })
    }
  }
  return unread
}

/** Finds the import of an input, and what is known of its rows. */
async function decideRows(
  ledger: Sqlite,
  unread: ReadonlyMap<bigint, Unread>,
  options: ImportOptions,
  input: ImportInput
) {
  const { batch, keyLife, apiKey } = options
  const isNumbered = batch !== undefined && keyLife > 0
  const isKnown = ledger.count('(SELECT 1 FROM rows LIMIT 1)') > 0
  createTables(ledger)
  // Where nothing is known, every row is new, and is only counted.
  const { rows, size } = await readInput(ledger, input, options, isKnown || isNumbered)
  const { former, isSame } = findImport(ledger, input, batch)
  const own = former && unread.get(former.id)
  if (own !== undefined) throw own.failure
  const one = former ?? newImport(ledger, input)
  const base = nextRow(ledger)
  loadCorrections(ledger, one)
  decide(ledger, batch)
  choose(ledger, options, unitOf(input.layout.format))
  const before = beforeOf(ledger)
  if (isNumbered) numberEqualRows(ledger)
  return {
    one,
    rows,
    size,
    base,
    before,
    isSame: isSame && options.add === undefined,
    equal: equalPets(ledger),
    isNew: former === undefined,
    hasOtherKey: former !== undefined && former.apiKey !== apiKey,
    sent: size - recordDecisions(ledger, one.id, base, keyLife > 0)
  }
}

/** Afterwards, `last` has its last input; `isSame` if each row stands where it stood there. */
function findImport(ledger: Sqlite, input: ImportInput, batch: string | undefined) {
  const named = findByName(ledger, input, batch)
  const isSame = named !== undefined && loadLast(ledger, named.id)
  // Then no other file matters.
  if (isSame && !isAnyHeld(ledger)) return { former: named, isSame }
  enterRuns(ledger)
  if (named !== undefined || batch !== undefined) return { former: named, isSame }
  const former = findByLikeness(ledger)
  return { former, isSame: former !== undefined && loadLast(ledger, former.id) }
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
      if (body !== undefined)
        ledger.run('INSERT INTO input (place, line, body) VALUES (?, ?, ?)', size, line, body)
      size += 1
    }
  }
  return { rows, size }
}
