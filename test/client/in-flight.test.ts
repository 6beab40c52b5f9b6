import { expect, test } from 'vitest'
import { createUnderWay, type Ending } from '../../src/client/in-flight.ts'

function someUnderWay(names: string) {
  const underWay = createUnderWay()
  const ended: string[] = []
  const endings = [...names].map((name) => {
    const one: Ending = {
      place: -1,
      end: () => {
        ended.push(name)
        underWay.remove(one)
      },
    }
    underWay.add(one)
    return one
  })
  return { underWay, ended, endings }
}

test('whatever is left is ended, once', () => {
  const { underWay, ended } = someUnderWay('abcd')
  underWay.endAll()
  underWay.endAll()
  expect(ended).toEqual(['a', 'b', 'c', 'd'])
})

test.each([
  ['a', 'bcd'],
  ['d', 'abc'],
  ['bd', 'ac'],
  ['ca', 'bd'],
  ['abcd', ''],
])('without %s there is %j', (gone, left) => {
  const { underWay, ended, endings } = someUnderWay('abcd')
  for (const name of gone) {
    const one = endings['abcd'.indexOf(name)]
    if (one !== undefined) underWay.remove(one)
  }
  underWay.endAll()
  expect(ended.sort().join('')).toBe(left)
})
