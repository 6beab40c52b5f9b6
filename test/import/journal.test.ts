import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { inputOf, openLedger } from '../../src/import/ledger.ts'
import { createLog, takeIn } from '../../src/import/log.ts'
import { openPlaces } from '../../src/import/places.ts'
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

/** A log as a run that was killed leaves it: the first rows were added, the last one has no end. */
async function killedRun(path: string, size: number) {
  const directory = temporaryDirectory()
  const log = createLog(join(directory, 'ledger.db'), 1n)
  const row = { line: 1, source: '' }
  const rows = Array.from({ length: size }, (_, index) => ({
    id: BigInt(index + 1),
    body: body(index + 1),
    key: null,
    at: 1000n,
    result: { row, outcome: 'added' as const, id: BigInt(100 + index) }
  }))
  await log.record([], rows)
  await log.record(rows.slice(0, -1), [])
  const target = path.replace(/\.db$/, '-1.log.db')
  for (const end of ['', '-wal'])
    copyFileSync(join(directory, `ledger-1.log.db${end}`), target + end)
  log.release()
  return target
}

const statesIn = (ledger: ReturnType<typeof openLedger>) =>
  ledger.rows<{ state: string }>(`${inputOf(1n)} ORDER BY place`).map(({ state }) => state)

test('the ledger takes in the log of a run that was killed: what has no end is in doubt', async () => {
  const { path, ledger } = ledgerOf(3)
  const log = await killedRun(path, 3)
  takeIn(ledger, path, 1n)
  expect(statesIn(ledger)).toEqual(['added', 'added', 'sending'])
  expect(existsSync(log)).toBe(false)
})

test.each<[about: string, harm: (log: string) => void, says: string]>([
  ['is gone', log => rmSync(log), 'is gone or lacks a part'],
  ['lacks its latest commits', log => rmSync(`${log}-wal`), 'is gone or lacks a part'],
  ['has none of them', log => writeFileSync(`${log}-wal`, ''), 'is gone or lacks a part'],
  ['has nonsense for them', log => writeFileSync(`${log}-wal`, 'x'.repeat(9000)), 'is damaged']
])('a log that %s is no reason to skip or to send', async (_, harm, says) => {
  const { path, ledger } = ledgerOf(3)
  harm(await killedRun(path, 3))
  expect(() => takeIn(ledger, path, 1n)).toThrow(says)
  expect(statesIn(ledger)).toEqual([])
})

test('a log in use is refused, and one that is deleted records nothing', async () => {
  const { path, ledger } = ledgerOf(1)
  const log = createLog(path, 1n)
  onTestFinished(log.release)
  expect(() => takeIn(ledger, path, 1n)).toThrow(
    expect.objectContaining({ code: 'local', isRetryable: true })
  )
  rmSync(path.replace(/\.db$/, '-1.log.db'))
  await expect(log.record([], [])).rejects.toThrow('was deleted or replaced')
})

test('a byte that is damaged never changes what is known about a row', async () => {
  const { path, ledger } = ledgerOf(40)
  await killedRun(path, 40)
  takeIn(ledger, path, 1n)
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
