import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/failure.ts'
import type { Host } from '../../src/platform/host.ts'
import {
  readBytes,
  readPipe,
  readText,
  withoutFinalNewline
} from '../../src/platform/read-input.ts'
import { hostWith } from '../settings/host.ts'
import { temporaryDirectory } from '../support/temp.ts'

const { signal } = new AbortController()
const withStdin = (stdin: Readable) => ({ ...hostWith({}), stdin })
const notUtf8 = Buffer.from([0x61, 0xff])

describe('a file', () => {
  test('is read whole, as bytes or as text', async () => {
    const path = join(temporaryDirectory(), 'pets')
    writeFileSync(path, 'é'.repeat(100_000))
    const host = withStdin(Readable.from([Buffer.from('other')]))
    expect((await readBytes(host, path, signal)).byteLength).toBe(200_000)
    expect(await readText(host, path, signal)).toBe('é'.repeat(100_000))
  })

  test('that is missing, a directory or not UTF-8 is a usage error with its name', async () => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'bytes'), notUtf8)
    for (const [path, problem] of [
      [join(directory, 'missing'), 'cannot be read: no such file or directory'],
      [directory, 'cannot be read: it is a directory'],
      [join(directory, 'bytes'), 'is not UTF-8 text']
    ] as const) {
      const reading = readText(hostWith({}), path, signal)
      await expect(reading).rejects.toMatchObject({ code: 'usage', message: `${path} ${problem}` })
    }
  })

  test('that is a named pipe without a writer is abandoned when the signal aborts', async () => {
    const path = join(temporaryDirectory(), 'pipe')
    execFileSync('mkfifo', [path])
    const controller = new AbortController()
    const reason = new Failure('interrupted', 'interrupted')
    setTimeout(() => controller.abort(reason), 50)
    await expect(readText(hostWith({}), path, controller.signal)).rejects.toBe(reason)
  })
})

describe('an input without end', () => {
  const endless = () =>
    new Readable({
      read() {
        this.push(Buffer.alloc(65_536))
      }
    })

  test.each([
    ['text', (host: Host) => readText(host, '-', signal), '1 MiB'],
    ['text in a pipe', (host: Host) => readPipe(host, 60, signal), '1 MiB'],
    ['bytes', (host: Host) => readBytes(host, '-', signal), '64 MiB']
  ])('is refused as soon as it is too large: %s', async (_, read, limit) => {
    const stdin = endless()
    await expect(read(withStdin(stdin))).rejects.toMatchObject({
      code: 'usage',
      message: `standard input is larger than ${limit}`
    })
    expect(stdin.destroyed).toBe(true)
  })

  test('may have exactly the largest size', async () => {
    const largest = Readable.from([Buffer.alloc(2 ** 20, 'x')])
    expect((await readText(withStdin(largest), '-', signal)).length).toBe(2 ** 20)
  })
})

describe('standard input', () => {
  test('is read for the file -', async () => {
    expect(await readText(withStdin(Readable.from([Buffer.from('é')])), '-', signal)).toBe('é')
    await expect(readText(withStdin(Readable.from([notUtf8])), '-', signal)).rejects.toThrow(
      'standard input is not UTF-8 text'
    )
  })

  test('that stays silent is an error after the time limit', async () => {
    await expect(readPipe(withStdin(new PassThrough()), 0.05, signal)).rejects.toMatchObject({
      code: 'usage',
      message: 'nothing arrived on standard input within 0.05 s (--timeout)'
    })
  })

  test('that has started may take longer than the time limit', async () => {
    const stdin = new PassThrough()
    stdin.write('a')
    setTimeout(() => stdin.end('b'), 150)
    expect(await readPipe(withStdin(stdin), 0.05, signal)).toBe('ab')
  })

  test('is abandoned when the signal aborts', async () => {
    const reason = new Failure('interrupted', 'interrupted')
    await expect(
      readPipe(withStdin(new PassThrough()), 60, AbortSignal.abort(reason))
    ).rejects.toBe(reason)
  })
})

test.each([
  ['key\n', 'key'],
  ['key\r\n', 'key'],
  ['key\n\n', 'key\n'],
  ['key', 'key'],
  ['\n', '']
])('%j without its final newline is %j', (text, shorter) => {
  expect(withoutFinalNewline(text)).toBe(shorter)
})
