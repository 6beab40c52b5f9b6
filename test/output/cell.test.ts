import { expect, test } from 'vitest'
import { cellText, readableCells } from '../../src/output/cell.ts'
import { pickFields } from '../../src/output/columns.ts'

test.each([
  [{ a: 'x' }, 'x'],
  [{ a: '' }, ''],
  [{ a: null }, ''],
  [{ a: undefined }, ''],
  [{}, ''],
  [{ a: false }, 'false'],
  [{ a: 0 }, '0'],
  [{ a: 2n ** 63n - 1n }, '9223372036854775807'],
  [{ a: { b: [1, 'x'] } }, '{"b":[1,"x"]}'],
])('the cell of %o is %j', (row, text) => {
  expect(cellText(row, 'a')).toBe(text)
})

test.each([
  ['inUse', [true, false, undefined], ['✓', '', '']],
  ['keySaved', [true, false, undefined], ['✓', '✗', '']],
  ['name', [true, 'Rex', false], ['true', 'Rex', 'false']],
  ['name', ['true'], ['✓']],
  [
    'createdAt',
    ['2026-11-21T18:56:24', '2026-13-41T18:56:24Z', 'x2026-11-21T18:56:24Z', '2026-11-21T18:56:24Zx', ''],
    undefined,
  ],
])('a person reads the column %s with %j as %j', (column, values, texts) => {
  const rows = values.map((value) => (value === undefined ? {} : { [column]: value }))
  expect(readableCells(rows, column)).toEqual(texts ?? values)
})

test('a time is shown in the time zone of the reader', () => {
  const time = new Date(2026, 0, 2, 3, 4, 5)
  const rows = [time.toISOString(), `${time.toISOString().slice(0, -5)}.123456789Z`].map((createdAt) => ({ createdAt }))
  expect(readableCells(rows, 'createdAt')).toEqual(['2026-01-02 03:04:05', '2026-01-02 03:04:05'])
})

test('chosen fields that a row does not have stay absent', () => {
  expect(pickFields([{ a: 1, b: 2 }, { b: null }], ['b', 'a', 'toString'])).toEqual([{ b: 2, a: 1 }, { b: null }])
  expect(Object.keys(pickFields({ a: 1 }, ['b', 'a']))).toEqual(['a'])
  expect(pickFields({ a: 1 }, undefined)).toEqual({ a: 1 })
})
