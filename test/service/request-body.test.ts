import { expect, test } from 'vitest'
import { createBodyBudget } from '../../src/service/request-body.ts'

async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}

test('large bodies are admitted in order, and never beyond the budget', async () => {
  const budget = createBodyBudget(10)
  const admitted: string[] = []
  const ends = new Map<string, () => void>()
  for (const [name, bytes] of [
    ['a', 6],
    ['b', 4],
    ['c', 10],
    ['d', 1],
  ] as const) {
    budget(bytes).then((end) => {
      admitted.push(name)
      ends.set(name, end)
    })
  }
  await settle()
  expect(admitted).toEqual(['a', 'b'])
  ends.get('b')?.()
  await settle()
  expect(admitted).toEqual(['a', 'b'])
  ends.get('a')?.()
  await settle()
  expect(admitted).toEqual(['a', 'b', 'c'])
  ends.get('c')?.()
  await settle()
  expect(admitted).toEqual(['a', 'b', 'c', 'd'])
})
