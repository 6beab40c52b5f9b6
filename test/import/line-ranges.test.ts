import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rangesOf, rangeText, readLines } from '../../src/import/line-ranges.ts'

test('lines in any order become ranges, which can be read back', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), lines => {
      const ranges = rangesOf(lines)
      const all = ranges.flatMap(({ first, last }) =>
        Array.from({ length: last - first + 1 }, (_, index) => first + index)
      )
      expect(all).toEqual(lines.toSorted((one, other) => one - other))
      for (const [index, { first }] of ranges.entries())
        expect(first).toBeGreaterThan((ranges[index - 1]?.last ?? -1) + 1)
      expect(readLines(ranges.map(rangeText).join())).toEqual(ranges)
    })
  )
})

test.each(['', '0', '7,', '9-7', '1-', 'a', '1 2', '-3'])('%j is no range', text => {
  expect(readLines(text)).toBeUndefined()
})
