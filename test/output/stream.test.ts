import { spawn } from 'node:child_process'
import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { build } from 'rolldown'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Failure } from '../../src/failure.ts'
import { ClosedPipe, print } from '../../src/output/stream.ts'
import { recordingHost } from './hosts.ts'

let directory: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'petstore-stream-'))
})

afterEach(() => rmSync(directory, { recursive: true, force: true }))

const write = (stream: Writable, data: string | Uint8Array) =>
  print({ ...recordingHost().host, stdout: stream }, 'stdout', data)

/** A stream whose writes fail with this error. */
const failing = (error: Error) => new Writable({ write: (_chunk, _encoding, done) => done(error) })
const systemError = (code: string, errno: number) =>
  Object.assign(new Error(`${code}: write`), { code, errno })

describe('write', () => {
  test('waits until the data is read', async () => {
    const stream = new PassThrough({ highWaterMark: 4 })
    let isTaken = false
    const written = write(stream, 'x'.repeat(10))
      .then(() => write(stream, 'more'))
      .then(() => {
        isTaken = true
      })
    await new Promise(setImmediate)
    expect(isTaken).toBe(false)
    stream.resume()
    await written
    expect(isTaken).toBe(true)
  })

  test('writes bytes unchanged and in order', async () => {
    const stream = new PassThrough()
    await write(stream, new Uint8Array([0xff, 0x00, 0x0a]))
    await write(stream, 'é')
    stream.end()
    expect(Buffer.concat(await stream.toArray())).toEqual(
      Buffer.from([0xff, 0x00, 0x0a, 0xc3, 0xa9])
    )
  })

  test('writes an empty text', async () => {
    const stream = new PassThrough()
    await write(stream, '')
    stream.end()
    expect(await text(stream)).toBe('')
  })

  test('adds a single error listener and no others', async () => {
    const stream = new PassThrough().resume()
    const before = stream.eventNames().map(event => [event, stream.listenerCount(event)])
    await Promise.all(Array.from({ length: 50 }, () => write(stream, 'x')))
    expect(stream.listenerCount('error')).toBe(1)
    const others = stream.eventNames().filter(event => event !== 'error')
    expect(others.map(event => [event, stream.listenerCount(event)])).toEqual(before)
  })

  test('a late error does not end the process', async () => {
    const stream = new PassThrough()
    await write(stream, 'x')
    expect(() => stream.emit('error', new Error('late'))).not.toThrow()
  })
})

describe('a reader that has closed the pipe', () => {
  test.each([
    ['EPIPE', systemError('EPIPE', -32)],
    ['ECONNRESET', systemError('ECONNRESET', -104)]
  ])('%s counts as a closed pipe on every write', async (_code, error) => {
    const stream = failing(error)
    await expect(write(stream, 'x')).rejects.toBeInstanceOf(ClosedPipe)
    await expect(write(stream, 'x')).rejects.toBeInstanceOf(ClosedPipe)
  })

  test('a destroyed or ended stream counts as a closed pipe', async () => {
    await expect(write(new PassThrough().destroy(), 'x')).rejects.toBeInstanceOf(ClosedPipe)
    await expect(write(new PassThrough().end(), 'x')).rejects.toBeInstanceOf(ClosedPipe)
  })

  test('a real pipe whose reader exits counts as a closed pipe', async () => {
    const reader = spawn(process.execPath, ['-e', ''], { stdio: ['pipe', 'ignore', 'ignore'] })
    await new Promise(resolve => reader.once('exit', resolve))
    await expect(writeUntilFailure(reader.stdin)).resolves.toBeInstanceOf(ClosedPipe)
  })

  test('a real socket that its peer resets counts as a closed pipe', async () => {
    const server = createServer((peer: Socket) => peer.resetAndDestroy())
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const socket = connect(
      typeof address === 'object' && address !== null ? address.port : 0,
      '127.0.0.1'
    )
    await expect(writeUntilFailure(socket)).resolves.toBeInstanceOf(ClosedPipe)
    await new Promise(resolve => server.close(resolve))
  })
})

async function writeUntilFailure(stream: Writable): Promise<unknown> {
  try {
    for (;;) await write(stream, 'x'.repeat(65_536))
  } catch (error) {
    return error
  }
}

describe('an output that cannot be written', () => {
  test.each([
    ['ENOSPC', -28, 'no space left on device'],
    ['EIO', -5, 'i/o error'],
    ['EFBIG', -27, 'file too large']
  ])('%s is a failure in plain words on every write', async (code, errno, words) => {
    const stream = failing(systemError(code, errno))
    for (const _attempt of [1, 2]) {
      const failure = await write(stream, 'x').catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(Failure)
      expect(failure).toMatchObject({
        code: 'local',
        exitCode: 9,
        message: `standard output cannot be written: ${words}`
      })
    }
  })

  test('an unknown error is reported with its message and the name of the stream', async () => {
    const stderr = failing(new Error('something odd'))
    await expect(print({ ...recordingHost().host, stderr }, 'stderr', 'x')).rejects.toThrow(
      'standard error cannot be written: something odd'
    )
  })

  test('a write to /dev/full is a failure', async () => {
    await expect(write(createWriteStream('/dev/full'), 'x')).rejects.toThrow(
      'standard output cannot be written: no space left on device'
    )
  })
})

describe('the real stdout of a process', () => {
  /**
   * A program that writes many bytes and reports the result on stderr; bundled, because Node 20
   * does not run TypeScript.
   */
  const writer = async (count: number): Promise<string> => {
    const source = join(directory, 'writer.ts')
    const program = join(directory, 'writer.mjs')
    const module = join(import.meta.dirname, '../../src/output/stream.ts')
    const host = join(import.meta.dirname, '../../src/platform/host.ts')
    writeFileSync(
      source,
      `import { print } from ${JSON.stringify(module)}
       import { processHost } from ${JSON.stringify(host)}
       const [half, machine] = [Math.floor(${count} / 2), processHost()]
       const both = print(machine, 'stdout', 'x'.repeat(half)).then(() => print(machine, 'stdout', 'x'.repeat(${count} - half)))
       both.then(
         () => console.error('written'),
         (error) => console.error(error.name + ': ' + error.message),
       )`
    )
    await build({
      input: source,
      platform: 'node',
      logLevel: 'silent',
      output: { file: program, format: 'esm' }
    })
    return program
  }

  const shell = async (command: string, program: string) => {
    const child = spawn(
      '/bin/sh',
      ['-c', command, process.execPath, program, join(directory, 'out')],
      {
        stdio: ['ignore', 'pipe', 'pipe']
      }
    )
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
    return { stdout, stderr }
  }

  test('five megabytes are appended to a file', async () => {
    const { stderr } = await shell('echo first > "$2"; "$0" "$1" >> "$2"', await writer(5_000_000))
    expect(stderr).toBe('written\n')
    expect(readFileSync(join(directory, 'out'), 'utf8')).toBe(`first\n${'x'.repeat(5_000_000)}`)
  })

  test('a file size limit is a failure', async () => {
    const { stderr } = await shell('ulimit -f 8; "$0" "$1" > "$2"', await writer(1_000_000))
    expect(stderr).toBe('Failure: standard output cannot be written: file too large\n')
    expect(readFileSync(join(directory, 'out')).length).toBeLessThan(1_000_000)
  })
})
