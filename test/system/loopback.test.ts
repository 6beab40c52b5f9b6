import { expect, test } from 'vitest'
import { isLoopback } from '../../src/system/loopback.ts'

test.each([
  ['localhost', true],
  ['LocalHost', true],
  ['localhost.', false],
  ['pets.localhost', false],
  ['127.0.0.2', true],
  ['[::1]', true],
  ['localhost.example', false],
  ['127.0.0.1.example', false],
  ['[::2]', false]
])('%s is loopback: %s', (name, is) => {
  expect(isLoopback(name)).toBe(is)
})
