import { expect, test } from 'vitest'
import { formatSeconds } from '../../src/import/summary.ts'

test.each([
  [0.44, '0.4 s'],
  [9.97, '10 s'],
  [12.3, '12 s'],
  [119.4, '119 s'],
  [119.6, '2 min 0 s'],
  [179.7, '3 min 0 s'],
  [200, '3 min 20 s'],
])('%d seconds are %s', (seconds, text) => {
  expect(formatSeconds(seconds)).toBe(text)
})
