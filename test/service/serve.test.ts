import { expect, test } from 'vitest'
import { acceptOnly } from '../../src/service/serve.ts'

test.each([
  ['the-key', true],
  ['', false],
  ['the-ke', false],
  ['the-key ', false],
  ['The-key', false],
  ['x'.repeat(100_000), false],
])('%.20j is accepted: %s', (given, accepted) => {
  expect(acceptOnly('the-key')(given)).toBe(accepted)
})
