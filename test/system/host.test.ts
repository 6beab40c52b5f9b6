import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { processHost, writeAtOnce } from '../../src/system/host.ts'
import { temporaryDirectory } from '../support/temp.ts'

test('the API key is removed from process.env, and only the host has it', () => {
  process.env.PETSTORE_API_KEY = 'sk_live_1'
  expect(processHost().env.PETSTORE_API_KEY).toBe('sk_live_1')
  expect(process.env.PETSTORE_API_KEY).toBeUndefined()
})

test('signals reach the listener until it is removed', () => {
  const received: string[] = []
  const remove = processHost().onSignal(signal => received.push(signal))
  process.emit('SIGINT', 'SIGINT')
  process.emit('SIGTERM', 'SIGTERM')
  remove()
  process.emit('SIGTERM', 'SIGTERM')
  expect(received).toEqual(['SIGINT', 'SIGTERM'])
})

test('writing at once to a file takes everything', () => {
  const path = join(temporaryDirectory(), 'file')
  const file = openSync(path, 'w')
  expect(writeAtOnce(file, Buffer.alloc(100_000, 'x'))).toBe(100_000)
  closeSync(file)
  expect(statSync(path).size).toBe(100_000)
})

test('writing at once to a pipe takes what fits, and never waits', () => {
  const path = join(temporaryDirectory(), 'pipe')
  execFileSync('mkfifo', [path])
  const pipe = openSync(path, constants.O_RDWR)
  let taken = 0
  for (let count = 1; count > 0; taken += count) count = writeAtOnce(pipe, Buffer.alloc(16_384))
  expect(taken).toBeGreaterThanOrEqual(16_384)
  closeSync(pipe)
})
