import { expect, test } from 'vitest'
import { progressText } from '../../src/output/progress.ts'

test.each([
  [
    { done: 12345, share: 0.5 },
    { rate: 1020.4, shareRate: 0.01 },
    '━━━━━━━━━━━━╌╌╌╌╌╌╌╌╌╌╌╌  50%  12,345 rows  1,020/s  50 s left',
  ],
  [{ done: 0, share: 0 }, { rate: 0, shareRate: 0 }, '╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌   0%  0 rows  0/s'],
  [{ done: 5, share: 0.001 }, { rate: 1, shareRate: 0.0001 }, /2 h 46 min left$/],
  [{ done: 7, share: undefined }, { rate: 3, shareRate: 0 }, '7 rows  3/s'],
])('%j at %j', (progress, speed, expected) => {
  expect(progressText(progress, speed, 'rows')).toMatch(expected)
})
