import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, readSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import { Failure } from '../../src/failure.ts'
import { openPipeToWrite, openToRead } from '../../src/platform/named-pipe.ts'
import { temporaryDirectory } from '../support/temp.ts'

let pipe: string

beforeEach(() => {
  pipe = join(temporaryDirectory(), 'pipe')
  execFileSync('mkfifo', [pipe])
})

test('a pipe opens for reading immediately, before a writer opens it', async () => {
  const reading = text(openToRead(pipe, process))
  await pause(20)
  const writer = openSync(pipe, constants.O_WRONLY)
  writeFileSync(writer, 'Rex')
  closeSync(writer)
  expect(await reading).toBe('Rex')
})

test('a regular file opens for reading too', async () => {
  writeFileSync(`${pipe}-file`, 'Rex')
  expect(await text(openToRead(`${pipe}-file`, process))).toBe('Rex')
})

test('a pipe opens for writing when a reader opens it', async () => {
  const opening = openPipeToWrite(pipe, new AbortController().signal)
  const first = await Promise.race([opening.then(() => 'open'), pause(120, 'waiting')])
  expect(first).toBe('waiting')
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
  const writer = await opening
  await new Promise(resolve => writer.write('Rex', resolve))
  const received = Buffer.alloc(3)
  readSync(reader, received)
  expect(received.toString()).toBe('Rex')
  writer.destroy()
  closeSync(reader)
})

test('the wait for a reader ends when the signal aborts, and other errors are passed on', async () => {
  const controller = new AbortController()
  const opening = openPipeToWrite(pipe, controller.signal)
  const reason = new Failure('interrupted', 'interrupted')
  controller.abort(reason)
  await expect(opening).rejects.toBe(reason)
  await expect(
    openPipeToWrite(`${pipe}-missing`, new AbortController().signal)
  ).rejects.toMatchObject({
    code: 'ENOENT'
  })
})
