import { expect, test } from 'vitest'
import { Failure } from '../../src/failure.ts'
import type { JournalEntry } from '../../src/import/journal-format.ts'
import { createRowStates } from '../../src/import/journal-replay.ts'
import type { RowResult } from '../../src/import/results.ts'
import type { SendableRow } from '../../src/import/rows.ts'
import {
  dropAfter,
  isSettled,
  noRowsInFlight,
  reactionTo,
  record,
  takeSendable,
  withdraw,
} from '../../src/import/rows-in-flight.ts'

const rowOf = (number: number): SendableRow => ({
  raw: { number, bytes: Buffer.from('{}') },
  pet: { name: 'Rex', categoryId: 1n },
})

const numbersOf = (rows: readonly { readonly raw: { readonly number: number } }[]) =>
  rows.map(({ raw }) => raw.number)

test('taking a row finishes those before it that need no sending', () => {
  const states = createRowStates()
  states.set(2, 'added')
  states.set(3, 'doubtful')
  states.set(4, 'doubtful')
  const rows = noRowsInFlight()
  rows.waiting = [{ raw: rowOf(1).raw, problem: 'made up' }, rowOf(2), rowOf(3), rowOf(4), rowOf(5)]
  const finished: RowResult[] = []
  const options = {
    states,
    isResent: (number: number) => number === 4,
    finish: (result: RowResult) => finished.push(result),
  }
  const taken = takeSendable(rows, options)
  expect(taken?.raw.number).toBe(4)
  expect(finished.map(({ row, outcome }) => `${row.raw.number} ${outcome}`)).toEqual([
    '1 invalid',
    '2 skipped',
    '3 doubtful',
  ])
})

test('withdrawn rows wait again, and stay doubtful if they were', () => {
  const states = createRowStates()
  states.set(2, 'doubtful')
  const rows = { ...noRowsInFlight(), announced: [rowOf(1), rowOf(2)], waiting: [rowOf(3)] }
  withdraw(rows, states)
  expect([numbersOf(rows.waiting), numbersOf(rows.announced)]).toEqual([[1, 2, 3], []])
  expect(rows.settled.map(({ entry }) => `${entry.number} ${entry.kind}`)).toEqual([
    '1 free',
    '2 doubtful',
  ])
  expect(isSettled(rows)).toBe(false)
})

test('after the first row that is not added, only those before it are left', () => {
  const rows = {
    ...noRowsInFlight(),
    announced: [rowOf(2), rowOf(4)],
    waiting: [rowOf(1), rowOf(5)],
  }
  dropAfter(rows, 3, createRowStates())
  expect([numbersOf(rows.waiting), numbersOf(rows.announced)]).toEqual([[1], [2]])
  expect(rows.settled.map(({ entry }) => entry)).toEqual([{ kind: 'free', number: 4 }])
})

test('a write that fails announces no row, and its outcomes are in the next one', async () => {
  const rows = noRowsInFlight()
  const result: RowResult = { row: rowOf(1), outcome: 'added', id: 7n }
  rows.settled.push({ entry: { kind: 'added', number: 1, id: 7n }, result })
  const full = new Failure('local', 'full')
  const failed = await record(rows, [rowOf(2)], { append: () => Promise.reject(full) })
  expect(failed).toEqual({ results: [result], failure: full })
  expect([rows.announced, rows.settled]).toEqual([[], []])
  const written: JournalEntry[] = []
  await record(rows, [rowOf(3)], { append: async (entries) => void written.push(...entries) })
  expect(written).toEqual([
    { kind: 'added', number: 1, id: 7n },
    { kind: 'intended', number: 3 },
  ])
  expect([numbersOf(rows.announced), rows.unrecorded]).toEqual([[3], []])
})

const address = { isAddressRight: true, isUnstarted: false }
test.each<
  [
    failure: Failure,
    circumstances: Partial<typeof address>,
    expected: ReturnType<typeof reactionTo>,
  ]
>([
  [new Failure('in-doubt', '', { status: 503 }), {}, { row: 'doubtful', pace: 'unknown' }],
  [new Failure('unexpected', ''), {}, { row: 'doubtful', endsImport: true }],
  [new Failure('interrupted', ''), {}, { row: 'doubtful' }],
  [new Failure('interrupted', ''), { isUnstarted: true }, { row: 'free' }],
  [new Failure('rejected', '', { status: 422 }), {}, { row: 'rejected', pace: 'fine' }],
  [new Failure('not-found', '', { status: 404 }), {}, { row: 'rejected', pace: 'fine' }],
  [
    new Failure('not-found', '', { status: 404 }),
    { isAddressRight: false },
    { row: 'free', endsImport: true },
  ],
  [new Failure('service', '', { status: 501 }), {}, { row: 'rejected', pace: 'rejected' }],
  [
    new Failure('service', '', { status: 429, isRetryable: true }),
    {},
    { row: 'waiting', pace: 'repeated' },
  ],
  [new Failure('unreachable', '', { isRetryable: true }), {}, { row: 'waiting', pace: 'repeated' }],
  [new Failure('auth', '', { status: 401 }), {}, { row: 'free', endsImport: true }],
])('what a failure means for its row: %o %j', (failure, circumstances, expected) => {
  expect(reactionTo(failure, { ...address, ...circumstances })).toEqual(expected)
})
