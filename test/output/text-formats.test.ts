import { expect, test } from 'vitest'
import { cellText } from '../../src/output/text-formats.ts'
import { pickFields } from '../../src/output/view.ts'

test.each([
  [{ a: 'x' }, 'x'],
  [{ a: '' }, ''],
  [{ a: null }, ''],
  [{ a: undefined }, ''],
  [{}, ''],
  [{ a: false }, 'false'],
  [{ a: 0 }, '0'],
  [{ a: 2n ** 63n - 1n }, '9223372036854775807'],
  [{ a: { b: [1, 'x'] } }, '{"b":[1,"x"]}']
])('the cell of %o is %j', (row, text) => {
  expect(cellText(row, 'a')).toBe(text)
})

test('selected fields that a row does not have stay absent', () => {
  expect(pickFields({ a: 1, b: 2 }, ['b', 'a', 'toString'])).toEqual({ b: 2, a: 1 })
  expect(pickFields({ b: null }, ['b', 'a'])).toEqual({ b: null })
  expect(Object.keys(pickFields({ a: 1 }, ['b', 'a']))).toEqual(['a'])
  expect(pickFields({ a: 1 }, undefined)).toEqual({ a: 1 })
})
