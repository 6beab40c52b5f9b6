import { expect, test } from 'vitest'
import { checkHints } from '../support/hint-safety.ts'

test('a hint deletes nothing, and sends and saves only what was typed', async () => {
  const seed = Number(process.env.PETSTORE_TEST_SEED ?? Date.now())
  expect(await checkHints(100, seed)).toBeGreaterThan(7)
}, 120_000)
