import { expect, test } from 'vitest'
import { Failure } from '../../src/failure.ts'
import type { JournalEntry } from '../../src/import/journal-format.ts'
import { RowStates } from '../../src/import/journal-replay.ts'
import type { RowResult } from '../../src/import/results.ts'
import type { SendableRow } from '../../src/import/rows.ts'
import {
  RowsInFlight,
  type RowsInFlightOptions,
  reactionTo
} from '../../src/import/rows-in-flight.ts'

const rowOf = (number: number): SendableRow => ({
  raw: { number, bytes: Buffer.from('{}') },
  pet: { name: 'Rex', categoryId: 1n }
})

const numbersOf = (rows: readonly { readonly raw: { readonly number: number } }[]) =>
  rows.map(({ raw }) => raw.number)

/** The rows of a run, and what they have recorded. While the journal is `full`, it takes nothing. */
function inFlight(
  { announced = [], waiting = [] }: Partial<RowsInFlight> = {},
  options: Partial<RowsInFlightOptions> = {}
) {
  const journal = {
    states: new RowStates(),
    full: undefined as Failure | undefined,
    written: [] as string[],
    append: async (entries: readonly JournalEntry[]) => {
      if (journal.full !== undefined) throw journal.full
      journal.written.push(
        ...entries.map(({ number, kind, id = '' }) => `${number} ${kind} ${id}`.trim())
      )
    }
  }
  const rows = new RowsInFlight({ journal, isResent: () => false, ...options })
  rows.announced = announced
  rows.waiting = waiting
  return { rows, journal }
}

test('taking a row finishes those before it that need no sending', () => {
  const invalid = { raw: rowOf(1).raw, problem: 'made up' }
  const { rows, journal } = inFlight(
    { waiting: [invalid, rowOf(2), rowOf(3), rowOf(4), rowOf(5)] },
    { isResent: number => number === 4 }
  )
  journal.states.set(2, 'added')
  journal.states.set(3, 'doubtful')
  journal.states.set(4, 'doubtful')
  expect(rows.takeSendable()?.raw.number).toBe(4)
  expect(rows.takeFinished().map(({ row, outcome }) => `${row.raw.number} ${outcome}`)).toEqual([
    '1 invalid',
    '2 skipped',
    '3 doubtful'
  ])
})

test('withdrawn rows wait again, and stay doubtful if they were', async () => {
  const { rows, journal } = inFlight({ announced: [rowOf(1), rowOf(2)], waiting: [rowOf(3)] })
  journal.states.set(2, 'doubtful')
  rows.withdraw()
  expect([numbersOf(rows.waiting), numbersOf(rows.announced)]).toEqual([[1, 2, 3], []])
  expect(rows.isSettled()).toBe(false)
  await rows.record([])
  expect(journal.written).toEqual(['1 free', '2 doubtful'])
  expect(rows.isSettled()).toBe(true)
})

test('after the first row that is not added, only those before it are left', async () => {
  const { rows, journal } = inFlight(
    { announced: [rowOf(2), rowOf(4)], waiting: [rowOf(1), rowOf(5)] },
    { stopOnError: true }
  )
  rows.settle(rowOf(3), { row: rowOf(3), outcome: 'rejected' })
  expect([numbersOf(rows.waiting), numbersOf(rows.announced)]).toEqual([[1], [2]])
  await rows.record([])
  expect(journal.written).toEqual(['3 free', '4 free'])
  rows.waitAgain(rowOf(5))
  rows.waitAgain(rowOf(2))
  expect(numbersOf(rows.waiting)).toEqual([2, 1])
})

test('a write that fails announces no row, and its outcomes are in the next one', async () => {
  const { rows, journal } = inFlight()
  const result: RowResult = { row: rowOf(1), outcome: 'added', id: 7n }
  rows.settle(rowOf(1), result)
  const full = new Failure('local', 'full')
  journal.full = full
  expect(await rows.record([rowOf(2)])).toBe(full)
  expect(rows.takeFinished()).toEqual([result])
  expect(rows.announced).toEqual([])
  journal.full = undefined
  expect(await rows.record([rowOf(3)])).toBeUndefined()
  expect(rows.takeFinished()).toEqual([])
  expect(journal.written).toEqual(['1 added 7', '3 intended'])
  expect(numbersOf(rows.announced)).toEqual([3])
  await rows.recordRest()
  expect(journal.written).toHaveLength(2)
})

const address = { isAddressRight: true, isUnstarted: false }
test.each<
  [
    failure: Failure,
    circumstances: Partial<typeof address>,
    expected: ReturnType<typeof reactionTo>
  ]
>([
  [new Failure('in-doubt', '', { status: 503 }), {}, { row: 'doubtful', pace: 'doubtful' }],
  [new Failure('unexpected', ''), {}, { row: 'doubtful', pace: 'end' }],
  [new Failure('interrupted', ''), {}, { row: 'doubtful', pace: 'end' }],
  [new Failure('interrupted', ''), { isUnstarted: true }, { row: 'free', pace: 'end' }],
  [new Failure('rejected', '', { status: 422 }), {}, { row: 'rejected', pace: 'fine' }],
  [new Failure('not-found', '', { status: 404 }), {}, { row: 'rejected', pace: 'fine' }],
  [
    new Failure('not-found', '', { status: 404 }),
    { isAddressRight: false },
    { row: 'free', pace: 'end' }
  ],
  [new Failure('service', '', { status: 501 }), {}, { row: 'rejected', pace: 'rejected' }],
  [
    new Failure('service', '', { status: 429, isRetryable: true }),
    {},
    { row: 'waiting', pace: 'repeated' }
  ],
  [new Failure('unreachable', '', { isRetryable: true }), {}, { row: 'waiting', pace: 'repeated' }],
  [new Failure('auth', '', { status: 401 }), {}, { row: 'free', pace: 'end' }]
])('what a failure means for its row: %o %j', (failure, circumstances, expected) => {
  expect(reactionTo(failure, { ...address, ...circumstances })).toEqual(expected)
})
