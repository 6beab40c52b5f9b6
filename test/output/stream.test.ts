import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { build } from 'rolldown'
import { describe, expect, test } from 'vitest'
import { ClosedPipe, print } from '../../src/output/stream.ts'
import { temporaryDirectory } from '../support/temp.ts'
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

test('adds one listener for all writes, and a late error does not end the process', async () => {
  const stream = new PassThrough().resume()
  await Promise.all(Array.from({ length: 50 }, () => write(stream, 'x')))
  expect(stream.listenerCount('error')).toBe(1)
  expect(() => stream.emit('error', new Error('late'))).not.toThrow()
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

describe('the real stdout of a process', () => {
  /** Prints many bytes in two parts, and the result on stderr; bundled for Node 20. */
  const run = async (command: string, count: number) => {
    const directory = temporaryDirectory()
    const [source, program] = [join(directory, 'writer.ts'), join(directory, 'writer.mjs')]
    const module = (name: string) => JSON.stringify(join(import.meta.dirname, '../../src', name))
    writeFileSync(
      source,
      `import { print } from ${module('output/stream.ts')}
       import { processHost } from ${module('system/host.ts')}
       const machine = processHost()
       const part = () => print(machine, 'stdout', 'x'.repeat(${count / 2}))
       part().then(part).then(() => console.error('written'), ({ message }) => console.error(message))`
    )
    const output = { file: program, format: 'esm' } as const
    await build({ input: source, platform: 'node', logLevel: 'silent', output })
    const out = join(directory, 'out')
    const child = spawn('/bin/sh', ['-c', command, process.execPath, program, out])
    return { stderr: await text(child.stderr), written: readFileSync(out, 'utf8') }
  }

  test('five megabytes are appended to a file', async () => {
    const { stderr, written } = await run('echo first > "$2"; "$0" "$1" >> "$2"', 5_000_000)
    expect(stderr).toBe('written\n')
    expect(written === `first\n${'x'.repeat(5_000_000)}`).toBe(true)
  })

  test('a limit of file sizes is a failure', async () => {
    const { stderr } = await run('ulimit -f 8; "$0" "$1" > "$2"', 1_000_000)
    expect(stderr).toBe('standard output cannot be written: file too large\n')
  })
})
