import { describe, expect, test } from 'vitest'
import { duration, grouped, longDate, plural } from '../../src/model/quantities.ts'

describe('duration', () => {
  test.each([
    [0, '0 s'],
    [0.0002, '1 ms'],
    [0.012, '12 ms'],
    [0.1, '0.1 s'],
    [0.25, '0.3 s'],
    [0.44, '0.4 s'],
    [1, '1 s'],
    [9.97, '10 s'],
    [12.3, '12 s'],
    [119.4, '119 s'],
    [119.6, '2 min'],
    [200, '3 min 20 s'],
    [3599, '59 min 59 s'],
    [3600, '1 h'],
    [7500, '2 h 5 min'],
    [172_799, '47 h 59 min'],
    [172_800, '2 days'],
    [259_200, '3 days'],
    [864_000_000, '10,000 days']
  ])('%d s: %s', (seconds, text) => {
    expect(duration(seconds)).toBe(text)
  })
})

test.each([
  [0, '0'],
  [999, '999'],
  [1000, '1,000'],
  [12_345_678, '12,345,678']
])('grouped %d: %s', (count, text) => {
  expect(grouped(count)).toBe(text)
})

test.each([
  [0, '0 rows'],
  [1, '1 row'],
  [2, '2 rows'],
  [12_345, '12,345 rows']
])('plural %d: %s', (count, text) => {
  expect(plural(count, 'row')).toBe(text)
})

test('a date is the same in every time zone', () => {
  expect(longDate(new Date('2030-12-05T00:00:00Z'))).toBe('5 December 2030')
  expect(longDate(new Date('2030-12-05T23:59:59Z'))).toBe('5 December 2030')
})
