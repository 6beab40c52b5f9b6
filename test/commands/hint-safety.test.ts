import { expect, test } from 'vitest'
import { checkHints } from '../support/hint-safety.ts'

test('a hint deletes nothing, and sends and saves only what was typed', async () => {
  const seed = Number(process.env.PETSTORE_TEST_SEED ?? Date.now())
  expect(await checkHints(300, seed)).toBeGreaterThan(20)
}, 120_000)
