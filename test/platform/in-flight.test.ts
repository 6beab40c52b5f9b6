import { expect, test } from 'vitest'
import { InFlight } from '../../src/platform/in-flight.ts'

test.each([
  ['', 'abcd'],
  ['a', 'bcd'],
  ['d', 'abc'],
  ['bd', 'ac'],
  ['ca', 'bd'],
  ['aa', 'bcd'],
  ['abcd', '']
])('after removing %j, %j are left', (removed, left) => {
  const inFlight = new InFlight<string>()
  const remove = new Map([...'abcd'].map(name => [name, inFlight.add(name)]))
  for (const name of removed) remove.get(name)?.()
  expect(inFlight.items().sort().join('')).toBe(left)
})

test('whenEmpty waits until the last item is removed', async () => {
  const inFlight = new InFlight<string>()
  await inFlight.whenEmpty()
  const removes = ['a', 'b'].map(name => inFlight.add(name))
  let isEmpty = false
  const empty = inFlight.whenEmpty().then(() => {
    isEmpty = true
  })
  removes[0]?.()
  await new Promise(resolve => setImmediate(resolve))
  expect(isEmpty).toBe(false)
  removes[1]?.()
  await empty
})

test('whenEmpty can be used again', async () => {
  const inFlight = new InFlight<string>()
  for (const name of ['a', 'b']) {
    const remove = inFlight.add(name)
    const empty = inFlight.whenEmpty()
    remove()
    await empty
  }
})
