import { expect, test } from 'vitest'
import { duration, longDate, plural } from '../../src/text/quantities.ts'

test.each([
  [0.0002, '1 ms'],
  [0.1, '0.1 s'],
  [0.25, '0.3 s'],
  [9.97, '10 s'],
  [119.4, '119 s'],
  [200, '3 min'],
  [7500, '2 h']
])('a duration of %d s: %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text)
})

test.each([
  [0, '0 rows'],
  [1, '1 row'],
  [12_345_678, '12,345,678 rows']
])('%d: %s', (count, text) => {
  expect(plural(count, 'row')).toBe(text)
})

test('a date is the same in every time zone', () => {
  expect(longDate(new Date('2030-12-05T23:59:59Z'))).toBe('5 December 2030')
})
