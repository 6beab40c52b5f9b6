import { appendFileSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { Failure } from '../../src/failure.ts'
import { sendRows } from '../../src/import/engine.ts'
import { type JournalFiles, realFiles } from '../../src/import/journal-files.ts'
import { type JournalHead, journalVersion } from '../../src/import/journal-format.ts'
import { openJournal } from '../../src/import/journal-opening.ts'
import { createPace } from '../../src/import/pace.ts'
import { type ImportRow, readRows } from '../../src/import/rows.ts'
import { createShutdown } from '../../src/import/shutdown.ts'
import type { RowResult } from '../../src/import/tally.ts'
import { takeLock } from '../../src/platform/lock.ts'
import { temporaryDirectory } from '../support/temp.ts'

let path: string
beforeEach(() => {
  path = join(temporaryDirectory(), 'journal')
})

const head: JournalHead = {
  version: journalVersion,
  input: 'pets.ndjson',
  identity: { sha256: 'abc', size: 1000 },
  format: 'ndjson',
  environment: 'production',
  address: 'https://pets.example/v1',
  begun: '2030-01-01T00:00:00.000Z',
}

const open = (files: JournalFiles = realFiles, more: { head?: JournalHead; isRestart?: boolean } = {}) =>
  openJournal({ path, head, isRestart: false, restartCommand: 'restart', files, ...more })

async function written(...rows: [number, 'added' | 'free' | 'doubtful' | undefined][]): Promise<void> {
  const journal = await open()
  for (const [number, entry] of rows) {
    await journal.intend(number)
    if (entry !== undefined) journal.settle(number, entry, entry === 'added' ? 7n : undefined)
  }
  await journal.finish()
  await journal.close()
}

async function statesOf(...numbers: number[]): Promise<(string | undefined)[]> {
  const journal = await open()
  const states = numbers.map((number) => journal.states.of(number))
  await journal.close()
  return states
}

describe('a journal that is reopened', () => {
  test('knows which rows are added, which are doubtful and which can be sent', async () => {
    await written([1, 'added'], [2, 'free'], [3, 'doubtful'], [4, undefined])
    expect(await statesOf(1, 2, 3, 4, 5)).toEqual(['added', undefined, 'doubtful', 'doubtful', undefined])
    await written([3, 'added'], [4, 'free'])
    expect(await statesOf(1, 3, 4)).toEqual(['added', 'added', undefined])
  })

  test('is accessible only to its owner', async () => {
    await written([1, 'added'])
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(path, '..')).sort()).toEqual(['journal', 'journal.lock.db'])
  })

  test.each([
    ['half a line', (text: string) => text.slice(0, -3)],
    ['a line without its newline', (text: string) => text.slice(0, -1)],
    ['zeros, as after a power cut', (text: string) => `${text}${'\0'.repeat(100)}`],
    ['invalid lines', (text: string) => `${text}a 3 x\n\0\0\n`],
  ])('loses its torn end: %s', async (_, tear) => {
    await written([1, 'added'], [2, undefined], [3, 'added'])
    const text = readFileSync(path, 'utf8')
    writeFileSync(path, tear(text))
    expect(await statesOf(1, 2, 3)).toEqual(['added', 'doubtful', tear(text).startsWith(text) ? 'added' : 'doubtful'])
    await written([4, 'added'])
    expect(await statesOf(1, 2, 4)).toEqual(['added', 'doubtful', 'added'])
    expect(readFileSync(path, 'utf8')).toMatch(/^\{.*\}\n([iafd] \d+( \d+)?\n)*$/)
  })

  test('truncated at any byte, takes no row for added that was not, and none for free that was in flight', async () => {
    await written([1, 'added'], [2, 'free'], [3, undefined])
    const text = readFileSync(path, 'utf8')
    for (let length = text.indexOf('\n') + 1; length < text.length; length += 1) {
      writeFileSync(path, text)
      truncateSync(path, length)
      const [first, second, third] = await statesOf(1, 2, 3)
      const kept = text.slice(0, length)
      expect(first).toBe(kept.includes('a 1 7\n') ? 'added' : kept.includes('i 1\n') ? 'doubtful' : undefined)
      expect(second).toBe(kept.includes('i 2\n') && !kept.includes('f 2\n') ? 'doubtful' : undefined)
      expect(third).toBe(kept.includes('i 3\n') ? 'doubtful' : undefined)
    }
  })

  test('is refused and left unchanged if it is damaged in the middle', async () => {
    await written([1, 'added'], [2, 'added'])
    writeFileSync(path, readFileSync(path, 'utf8').replace('i 1', 'i x'))
    const before = readFileSync(path)
    await expect(open()).rejects.toMatchObject({ code: 'local', message: expect.stringContaining('damaged in line 2') })
    expect(readFileSync(path)).toEqual(before)
  })

  test.each([
    ['text', 'hello\n', 'usage'],
    ['JSON', '{"name":"Rex"}\n', 'usage'],
    ['half a head', '{"petstore-jour', 'usage'],
    ['a later version', '{"petstore-journal":2}\n', 'local'],
  ])('is refused if it is %s', async (_, text, code) => {
    writeFileSync(path, text)
    await expect(open()).rejects.toMatchObject({ code })
    expect(readFileSync(path, 'utf8')).toBe(text)
  })

  test('ignores a row that the input cannot have', async () => {
    await written([1, 'added'])
    appendFileSync(path, 'a 999999999 1\n')
    expect(await statesOf(1, 999_999_999)).toEqual(['added', undefined])
  })
})

test('an empty file, as made by mktemp, becomes a journal', async () => {
  writeFileSync(path, '')
  await written([1, 'added'])
  expect(await statesOf(1)).toEqual(['added'])
})

test('an error in a listener is not a disk error: its lines are written once', async () => {
  const journal = await open()
  await journal.intend(1)
  journal.settle(1, 'added', 7n, () => {
    throw new Error('made up')
  })
  await expect(journal.finish()).rejects.toThrow('made up')
  await journal.close()
  expect(readFileSync(path, 'utf8').match(/^a 1 7$/gm)).toHaveLength(1)
})

describe('the lock', () => {
  test('refuses a journal that another program is using', async () => {
    const release = await takeLock({ file: path, what: 'the journal', milliseconds: 0 })
    const message = `another petstore is using the journal ${path} (lock: ${path}.lock.db)`
    await expect(open()).rejects.toMatchObject({ code: 'local', message })
    release?.()
  })

  test('is released after every end', async () => {
    await written([1, 'added'])
    await expect(open(realFiles, { head: { ...head, address: 'elsewhere' } })).rejects.toThrow()
    const release = await takeLock({ file: path, what: 'the journal', milliseconds: 0 })
    release?.()
    expect(readdirSync(join(path, '..')).sort()).toEqual(['journal', 'journal.lock.db'])
  })
})

/** File operations of which one fails, given by its position in their order. */
function failingAt(step: number, code: 'EIO' | 'ENOSPC', isShort: boolean) {
  let steps = 0
  let size = 0
  const seen = { failed: undefined as string | undefined, onDisk: '' }
  const fails = (name: string) => {
    steps += 1
    if (steps !== step) return false
    seen.failed = name
    return true
  }
  const error = () =>
    Object.assign(new Error(`${code}: made up`), { code, errno: code === 'EIO' ? -5 : -28, syscall: 'write' })
  const files: JournalFiles = {
    ...realFiles,
    async write(file, bytes, position) {
      if (fails('write')) {
        if (isShort) await realFiles.write(file, bytes.subarray(0, Math.ceil(bytes.length / 2)), position)
        throw error()
      }
      const written = await realFiles.write(file, bytes, position)
      size = Math.max(size, position + written)
      return written
    },
    async synchronize(file) {
      if (fails('synchronize')) throw error()
      const length = size
      await realFiles.synchronize(file)
      const onDisk = Buffer.alloc(length)
      await realFiles.read(file, onDisk, 0)
      seen.onDisk = onDisk.toString()
    },
    async rename(from, to) {
      if (fails('rename')) throw error()
      await realFiles.rename(from, to)
    },
    async open(name, flags) {
      if (fails('open')) throw error()
      return realFiles.open(name, flags)
    },
  }
  return { files, seen }
}

const content = Array.from({ length: 20 }, (_, index) => `{"name":"pet ${index + 1}","categoryId":1}\n`).join('')

function rows(): AsyncGenerator<readonly ImportRow[]> {
  async function* chunks() {
    yield Buffer.from(content)
  }
  return readRows(chunks(), { name: 'pets', format: 'ndjson', onFormat: () => {}, onHeader: () => {} })
}

interface Sent {
  readonly results: RowResult[]
  readonly reason: Failure | undefined
}

async function sendAll(files: JournalFiles, onSend: (number: number) => void): Promise<Sent> {
  const journal = await open(files)
  const shutdown = createShutdown(new AbortController().signal)
  const results: RowResult[] = []
  await sendRows({
    rows: rows(),
    journal,
    send: async ({ name }) => {
      const number = Number(name.replace('pet ', ''))
      onSend(number)
      await new Promise((resolve) => setImmediate(resolve))
      if (number === 5) throw new Failure('rejected', 'made up', { status: 422 })
      return { id: BigInt(number), name, categoryId: 1n }
    },
    report: (result) => results.push(result),
    isBehind: () => undefined,
    pace: createPace({ retries: 0, signal: shutdown.signal, random: () => 0, onPause: () => {} }),
    concurrency: 4,
    shutdown,
  })
  await journal.close()
  shutdown.dispose()
  return { results, reason: shutdown.reason() }
}

describe.each([
  ['EIO', false],
  ['ENOSPC', true],
] as const)('each step of the journal fails once with %s (short: %s)', (code, isShort) => {
  test('no row is sent unrecorded or twice, and the import can be resumed', async () => {
    const failed = new Set<string>()
    for (let step = 1; ; step += 1) {
      path = join(temporaryDirectory(), 'journal')
      const { files, seen } = failingAt(step, code, isShort)
      const sent = new Map<number, number>()
      const onSend = (number: number) => {
        expect(seen.onDisk).toContain(`i ${number}\n`)
        sent.set(number, (sent.get(number) ?? 0) + 1)
      }
      const first = await sendAll(files, onSend).catch((error: Failure) => ({ results: [], reason: error }))
      if (seen.failed === undefined) break
      failed.add(seen.failed)
      expect(first.reason).toMatchObject({ code: 'local', exitCode: 9, message: expect.stringContaining(path) })
      expect(first.results.map(({ row }) => row.raw.number).sort()).toEqual([...sent.keys()].sort())

      seen.onDisk = ''
      const second = await sendAll(failingAt(0, code, false).files, (number) => {
        sent.set(number, (sent.get(number) ?? 0) + 1)
      })
      expect(second.reason).toBeUndefined()
      expect(second.results).toHaveLength(20)
      for (const [number, times] of sent) if (number !== 5) expect(times).toBe(1)
      const doubtful = second.results.filter(({ outcome }) => outcome === 'doubtful')
      expect(doubtful.every(({ row }) => sent.has(row.raw.number) || seen.failed === 'synchronize')).toBe(true)
    }
    expect(failed).toEqual(new Set(['open', 'write', 'synchronize', 'rename']))
  })
})
