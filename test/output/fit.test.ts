import { expect, test } from 'vitest'
import { fitColumns } from '../../src/output/fit.ts'

test.each([
  ['room enough', [4, 10], [1, 8], 20, [4, 10]],
  ['just room enough', [4, 10], [1, 8], 14, [4, 10]],
  ['the widest gives', [4, 30], [1, 8], 20, [4, 16]],
  ['the widest give alike', [30, 30, 3], [8, 8, 3], 23, [10, 10, 3]],
  ['floors hold', [19, 30], [19, 8], 27, [19, 8]],
  ['the next floors come after them', [19, 30], [19, 8], 20, [12, 8]],
  ['something is left of each', [9, 9, 9], [8, 8, 8], 2, [1, 1, 1]],
  ['no room at all', [9, 9], [8, 8], -5, [1, 1]],
  ['nothing to show', [], [], 20, []],
  ['a huge cell', [3, 5_000_000], [3, 8], 80, [3, 77]],
])('%s', (_what, naturals, floors, room, widths) => {
  const columns = naturals.map((natural, index) => ({ natural, floors: [floors[index] ?? 1, 1] }))
  expect(fitColumns(columns, room)).toEqual(widths)
})
