import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { Failure } from '../../src/failure.ts'
import { takeLock } from '../../src/system/lock.ts'
import { pause } from '../../src/system/promises.ts'
import { temporaryDirectory } from '../support/temp.ts'

let file = ''
beforeEach(() => {
  file = join(temporaryDirectory(), 'data.json')
})

const { signal } = new AbortController()
const take = (milliseconds = 0, stop = signal) =>
  takeLock({ file, what: 'the file', milliseconds, signal: stop })

test('a second lock is refused until the first is released', async () => {
  const release = await take()
  await expect(take(50)).rejects.toMatchObject({
    code: 'local',
    isRetryable: true,
    message: `another petstore process is using the file ${file}`
  })
  release()
  const releaseSecond = await take()
  releaseSecond()
  expect(statSync(`${file}.lock.db`)).toMatchObject({ size: 0, mode: 0o100600 })
})

test('a wait blocks nothing, and ends with its signal', async () => {
  const release = await take()
  const controller = new AbortController()
  const waiting = take(60_000, controller.signal)
  await pause(50)
  const reason = new Failure('interrupted', 'interrupted')
  controller.abort(reason)
  await expect(waiting).rejects.toBe(reason)
  release()
})

test('fifty callers all get the lock, one at a time', async () => {
  let inside = 0
  const work = async () => {
    const release = await take(60_000)
    expect(inside++).toBe(0)
    await pause(1)
    inside--
    release()
  }
  await Promise.all(Array.from({ length: 50 }, work))
})

test('what is no lock is refused', async () => {
  writeFileSync(`${file}.lock.db`, 'mine'.repeat(1000))
  const problem = `the file ${file} cannot be locked: file is not a database`
  await expect(take()).rejects.toMatchObject({ code: 'local', message: problem })
})
