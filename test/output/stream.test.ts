import { PassThrough, Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { ClosedPipe, print } from '../../src/output/stream.ts'
import { recordingHost } from './hosts.ts'

const write = (stdout: Writable, data: string | Uint8Array) =>
  print({ ...recordingHost().host, stdout }, 'stdout', data)

/** A stream whose writes fail. */
const failing = (code: string, errno = 0) =>
  new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error('odd'), { code, errno }))
  })

test('waits until the data is read', async () => {
  const stream = new PassThrough({ highWaterMark: 4 })
  let isTaken = false
  const first = write(stream, 'x'.repeat(10))
  const written = first.then(() => write(stream, 'more')).then(() => (isTaken = true))
  await new Promise(setImmediate)
  expect(isTaken).toBe(false)
  stream.resume()
  await written
})

test.each([
  ['EPIPE', failing('EPIPE')],
  ['ECONNRESET', failing('ECONNRESET')],
  ['a destroyed stream', new PassThrough().destroy()],
  ['an ended stream', new PassThrough().end()]
])('%s is a closed pipe at every write', async (_, stream) => {
  for (const _again of [1, 2]) await expect(write(stream, 'x')).rejects.toBeInstanceOf(ClosedPipe)
})

test.each([
  ['ENOSPC', -28, 'no space left on device'],
  ['EFBIG', -27, 'file too large']
])('%s is a failure in plain words at every write', async (code, errno, words) => {
  const stream = failing(code, errno)
  const message = `standard output cannot be written: ${words}`
  for (const _again of [1, 2])
    await expect(write(stream, 'x')).rejects.toMatchObject({ exitCode: 9, message })
})
