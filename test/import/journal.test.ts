import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { inputOf, openLedger } from '../../src/import/ledger.ts'
import { createLog, takeIn } from '../../src/import/log.ts'
import { openPlaces } from '../../src/import/places.ts'
import type { RowResult } from '../../src/import/results.ts'
import { temporaryDirectory } from '../support/temp.ts'

const body = (row: number) => `{"name":"pet ${row}","categoryId":5}`

/** A ledger of one import, whose rows have these numbers. */
function ledgerOf(size: number) {
  const path = join(temporaryDirectory(), 'ledger.db')
  const ledger = openLedger(path, false)
  ledger.exec(`INSERT INTO imports VALUES (1, '', 'pets.csv', '', 1, ${size}, NULL, NULL, NULL);
    INSERT INTO segments (import, place, row, count) VALUES (1, 0, 1, ${size})`)
  return { path, ledger }
}

const row = { line: 1, source: '' }

/** How rows end, and what the next run knows of them then. */
const ends: [result: RowResult | undefined, state: string | undefined][] = [
  [{ row, outcome: 'added', id: 2n ** 60n + 1n }, 'added'],
  [{ row, outcome: 'skipped' }, 'added'],
  [{ row, outcome: 'rejected', message: 'no' }, 'rejected'],
  [{ row, outcome: 'doubtful' }, 'sending'],
  // It was not sent.
  [undefined, undefined]
]

/** Logs as a run leaves them that is killed after each commit: of these rows, the last has no end. */
async function killedRuns(size: number) {
  const ledger = join(temporaryDirectory(), 'ledger.db')
  const log = await createLog(ledger, 1n)
  onTestFinished(log.release)
  const rows = Array.from({ length: size }, (_, index) => ({
    id: BigInt(index + 1),
    body: body(index + 1),
    key: index === 1 ? 'key' : null,
    at: 1000n
  }))
  const ended = rows.map((row, index) => ({ ...row, result: ends[index % ends.length]?.[0] }))
  const read = () => readFileSync(ledger.replace('.db', '-1.log'))
  const begun = read()
  await log.record([], rows)
  const started = read()
  await log.record(ended.slice(0, -1), [])
  return { begun, started, ended: read() }
}

/** The log of the import in this ledger. */
function writeLog(path: string, content: Buffer | string) {
  const log = path.replace('.db', '-1.log')
  writeFileSync(log, content)
  return log
}

const knownOf = (size: number) =>
  Array.from({ length: size }, (_, index) =>
    index === size - 1 ? 'sending' : ends[index % ends.length]?.[1]
  ).filter(state => state !== undefined)

const statesIn = (ledger: ReturnType<typeof openLedger>) =>
  ledger.rows<{ state: string }>(`${inputOf(1n)} ORDER BY place`).map(({ state }) => state)

test('the ledger takes in the log of a run that was killed: what has no end is in doubt', async () => {
  const { path, ledger } = ledgerOf(7)
  const log = writeLog(path, (await killedRuns(7)).ended)
  await takeIn(ledger, path, 1n)
  expect(statesIn(ledger)).toEqual(knownOf(7))
  const [added, skipped] = ledger.rows('SELECT body, pet, key, at FROM rows ORDER BY id')
  expect(added).toEqual({ body: body(1), pet: 2n ** 60n + 1n, key: null, at: 1000n })
  expect(skipped).toEqual({ body: body(2), pet: null, key: 'key', at: 1000n })
  expect(existsSync(log)).toBe(false)
  expect(readdirSync(dirname(path))).toEqual(['ledger.db'])
})

test('a row that was not sent stays as it was', async () => {
  const { path, ledger } = ledgerOf(6)
  ledger.run("INSERT INTO rows (id, import, body, state) VALUES (5, 1, 'held', 'known')")
  writeLog(path, (await killedRuns(6)).ended)
  await takeIn(ledger, path, 1n)
  expect(ledger.rows('SELECT state, body FROM rows WHERE id = 5')).toEqual([
    { state: 'known', body: 'held' }
  ])
})

test('a line end of Unicode in a name is no end of a line', async () => {
  const { path, ledger } = ledgerOf(1)
  const log = await createLog(path, 1n)
  const name = '{"name":"a\u2028b\u2029c\u0085d\u{1f436}","categoryId":5}'
  await log.record([], [{ id: 1n, body: name, key: null, at: 1 }])
  log.release()
  await takeIn(ledger, path, 1n)
  expect(ledger.rows('SELECT body FROM rows')).toEqual([{ body: name }])
})

test('of what follows the last commit, whole lines count: power was lost, or the run was killed', async () => {
  const { begun, started, ended } = await killedRuns(6)
  const found: string[] = []
  for (const length of [begun.length, started.length - 9, started.length, ended.length - 9]) {
    const { path, ledger } = ledgerOf(6)
    const header = length < started.length ? begun : started
    const log = Buffer.concat([header.subarray(0, begun.length), ended.subarray(begun.length)])
    writeLog(path, log.subarray(0, length))
    await takeIn(ledger, path, 1n)
    found.push(statesIn(ledger).join(' '))
  }
  const sending = Array.from({ length: 6 }, () => 'sending').join(' ')
  expect(found).toEqual(['', '', sending, sending])
})

test.each<[about: string, harm: (log: string, content: Buffer) => void]>([
  ['is gone', log => rmSync(log)],
  ['is empty', log => writeFileSync(log, '')],
  ['is cut in half', (log, { length }) => truncateSync(log, Math.floor(length / 2))],
  ['lacks its last byte but one', (log, { length }) => truncateSync(log, length - 2)],
  ['lacks its commits', log => truncateSync(log, 16)],
  ['is another file', log => writeFileSync(log, 'x'.repeat(9000))]
])('a log that %s is no reason to skip or to send', async (_, harm) => {
  const { path, ledger } = ledgerOf(6)
  const { ended } = await killedRuns(6)
  harm(writeLog(path, ended), ended)
  await expect(takeIn(ledger, path, 1n)).rejects.toThrow('gone, damaged or lacks a part')
  expect(statesIn(ledger)).toEqual([])
})

test('a byte that is damaged in a log never changes what is known about a row', async () => {
  const { path, ledger } = ledgerOf(6)
  const { begun, ended } = await killedRuns(6)
  const found = { refused: 0, same: 0 }
  const take = async (at: number, byte: number) => {
    const damaged = Buffer.from(ended)
    damaged[at] = byte
    writeLog(path, damaged)
    try {
      await takeIn(ledger, path, 1n)
    } catch (error) {
      expect(error).toMatchObject({ code: 'local' })
      found.refused += 1
      return
    }
    expect({ at, byte, is: statesIn(ledger) }).toEqual({ at, byte, is: knownOf(6) })
    ledger.run('DELETE FROM rows')
    found.same += 1
  }
  for (let at = 0; at < ended.length; at += at < begun.length ? 1 : 5)
    for (const byte of [(ended[at] ?? 0) ^ (1 << (at % 7)), 0x0a, 0x0d, 0xa8]) await take(at, byte)
  expect(found.refused).toBeGreaterThan(ended.length / 2)
})

test('a log in use is refused, and one that is deleted or replaced records nothing', async () => {
  const { path, ledger } = ledgerOf(1)
  const log = await createLog(path, 1n)
  onTestFinished(log.release)
  await expect(takeIn(ledger, path, 1n)).rejects.toMatchObject({ code: 'local', isRetryable: true })
  const file = path.replace('.db', '-1.log')
  const content = readFileSync(file)
  for (const harm of [() => rmSync(file), () => writeFileSync(file, content)]) {
    harm()
    await expect(log.record([], [])).rejects.toThrow('was deleted or replaced')
  }
})

test('a byte that is damaged in a ledger never changes what is known about a row', async () => {
  const { path, ledger } = ledgerOf(40)
  writeLog(path, (await killedRuns(40)).ended)
  await takeIn(ledger, path, 1n)
  ledger.run('INSERT INTO runs VALUES (7, ?)', '[1,2,3,4,5]')
  const contents = (from: typeof ledger) =>
    JSON.stringify(
      ['imports', 'names', 'segments', 'rows', 'runs'].map(table =>
        from.rows(`SELECT copy FROM ${table}`).map(Object.values)
      ),
      (_, value) => (typeof value === 'bigint' ? String(value) : value)
    )
  const expected = contents(ledger)
  ledger.close()
  const intact = readFileSync(path)
  const found = { refused: 0, same: 0 }
  for (let at = 0; at < intact.length; at += 37) {
    const damaged = Buffer.from(intact)
    damaged[at] = (damaged[at] ?? 0) ^ (1 << (at % 8))
    writeFileSync(path, damaged)
    try {
      const opened = openLedger(path, true)
      const is = contents(opened)
      opened.close()
      if (is !== expected) expect({ at, is }).toEqual({ at, is: expected })
      found.same += 1
    } catch (error) {
      if (error instanceof Error && error.name === 'AssertionError') throw error
      found.refused += 1
    }
    for (const end of ['-wal', '-shm', '-journal']) rmSync(path + end, { force: true })
  }
  expect(found.refused).toBeGreaterThan(100)
})

test('a file of rejects is replaced as it was written, or if what is in it was imported since', () => {
  const places = openPlaces(temporaryDirectory())
  onTestFinished(places.close)
  const place = { environment: 'staging', address: 'http://127.0.0.1/v1' }
  places.add([['content', 'before']], place)
  expect(places.isReplaceable('/bad.csv', 'before')).toBe(false)
  places.addRejects('/bad.csv', 'written')
  const isReplaceable = () =>
    ['written', 'before', 'corrected'].map(content => places.isReplaceable('/bad.csv', content))
  expect(isReplaceable()).toEqual([true, false, false])
  places.add([['content', 'corrected']], place)
  expect(isReplaceable()).toEqual([true, false, true])
  expect(places.isReplaceable('/other.csv', 'corrected')).toBe(false)
})
