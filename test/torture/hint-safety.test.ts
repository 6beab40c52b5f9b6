import { expect, test } from 'vitest'
import { checkHints } from '../support/hint-safety.ts'

test('a hint deletes nothing, and sends and saves only what was typed', async () => {
  const seed = Number(process.env.PETSTORE_TEST_SEED ?? 1)
  expect(await checkHints(5_000, seed)).toBeGreaterThan(500)
}, 1_800_000)
