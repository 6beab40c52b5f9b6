import { expect, test } from 'vitest'
import { nearest } from '../../src/cli/nearest.ts'

test.each<[typed: string, candidates: readonly string[], expected: string | undefined]>([
  ['lst', ['list', 'get', 'add', 'import'], 'list'],
  ['sned', ['send'], 'send'],
  ['Sold', ['available', 'pending', 'sold'], 'sold'],
  ['stauts', ['status', 'limit'], 'status'],
  ['exitcodes', ['exit-codes', 'formats'], 'exit-codes'],
  ['st', ['staging', 'status'], undefined],
  ['sta', ['staging', 'status'], undefined],
  ['update', ['path', 'import', 'add'], undefined],
  ['list', ['send'], undefined],
  ['x', ['a', 'b'], undefined],
  ['', ['', 'a'], ''],
  ['gte', ['set', 'get'], 'get'],
  ['gab', ['get'], undefined]
])('the nearest to %j among %j is %j', (typed, candidates, expected) => {
  expect(nearest(typed, candidates)).toBe(expected)
})
