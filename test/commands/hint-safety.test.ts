import { expect, test } from 'vitest'
import { checkHints } from '../support/hint-safety.ts'

test('a hint deletes nothing, and sends and saves only what was typed', async () => {
  expect(await checkHints(150, 1)).toBeGreaterThan(10)
}, 120_000)
