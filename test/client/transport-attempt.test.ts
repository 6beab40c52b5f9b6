import { expect, test } from 'vitest'
import { createInFlight } from '../../src/client/transport-attempt.ts'

function listOf(names: string) {
  const inFlight = createInFlight()
  const ended: string[] = []
  const entries = [...names].map((name) => {
    const entry = {
      index: -1,
      end: () => {
        ended.push(name)
        inFlight.remove(entry)
      },
    }
    inFlight.add(entry)
    return entry
  })
  return { inFlight, ended, entries }
}

test('every attempt in flight is ended, once', () => {
  const { inFlight, ended } = listOf('abcd')
  inFlight.endAll()
  inFlight.endAll()
  expect(ended).toEqual(['a', 'b', 'c', 'd'])
})

test.each([
  ['a', 'bcd'],
  ['d', 'abc'],
  ['bd', 'ac'],
  ['ca', 'bd'],
  ['abcd', ''],
])('without %s there is %j', (removed, left) => {
  const { inFlight, ended, entries } = listOf('abcd')
  for (const name of removed) {
    const entry = entries['abcd'.indexOf(name)]
    if (entry !== undefined) inFlight.remove(entry)
  }
  inFlight.endAll()
  expect(ended.sort().join('')).toBe(left)
})
