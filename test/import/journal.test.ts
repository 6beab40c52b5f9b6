import {
  appendFileSync,
  copyFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { Failure } from '../../src/failure.ts'
import { realClock, sendRows } from '../../src/import/engine.ts'
import {
  type JournalFiles,
  journalFailure,
  openJournal,
  realFiles
} from '../../src/import/journal.ts'
import { headLine, type JournalEntry, type JournalHead } from '../../src/import/journal-format.ts'
import { Pace } from '../../src/import/pace.ts'
import type { RowResult } from '../../src/import/results.ts'
import { readRows } from '../../src/import/rows.ts'
import { Shutdown } from '../../src/import/shutdown.ts'
import { takeLock } from '../../src/platform/lock.ts'
import { temporaryDirectory } from '../support/temp.ts'

let path: string
beforeEach(() => {
  path = join(temporaryDirectory(), 'journal')
})

const head: JournalHead = {
  input: 'pets.ndjson',
  content: { sha256: 'abc', size: 1000, rows: 20 },
  format: 'ndjson',
  service: 'https://pets.example/v1'
}

const open = (
  files: JournalFiles = realFiles,
  more: { head?: JournalHead; isRestart?: boolean } = {}
) =>
  openJournal({
    path,
    head,
    isRestart: false,
    requireStates: () => {},
    files,
    ...more
  })

async function written(
  ...rows: [number, 'added' | 'free' | 'doubtful' | undefined][]
): Promise<void> {
  const journal = await open()
  for (const [number, kind] of rows) {
    await journal.append([{ kind: 'intended', number }])
    if (kind === 'added') await journal.append([{ kind, number, id: 7n }])
    else if (kind !== undefined) await journal.append([{ kind, number }])
  }
  await journal.close()
}

async function statesOf(...numbers: number[]): Promise<(string | undefined)[]> {
  const journal = await open()
  const states = numbers.map(number => journal.states.of(number))
  await journal.close()
  return states
}

describe('a journal that is reopened', () => {
  test('has the state of each row: added, doubtful or free', async () => {
    await written([1, 'added'], [2, 'free'], [3, 'doubtful'], [4, undefined])
    expect(await statesOf(1, 2, 3, 4, 5)).toEqual([
      'added',
      undefined,
      'doubtful',
      'doubtful',
      undefined
    ])
    const reopened = await open()
    expect(reopened.states.counts).toEqual({ added: 1, doubtful: 2 })
    await reopened.close()
    await written([3, 'added'], [4, 'free'])
    expect(await statesOf(1, 3, 4)).toEqual(['added', 'added', undefined])
    const journal = await open()
    expect(journal.states.counts).toEqual({ added: 2, doubtful: 0 })
    await journal.append([{ kind: 'counted', number: 2 }])
    await journal.close()
    expect(await statesOf(2)).toEqual(['added'])
  })

  test('has the states of rows that are far apart in a large input', async () => {
    const large = { head: { ...head, content: { ...head.content, size: 1_000_000 } } }
    const numbers = [1, 1023, 1024, 5000, 5001, 700_000]
    const journal = await open(realFiles, large)
    await journal.append(numbers.map(number => ({ kind: 'added', number, id: 7n })))
    await journal.close()
    const reopened = await open(realFiles, large)
    const { states } = reopened
    expect(numbers.map(number => states.of(number))).toEqual(numbers.map(() => 'added'))
    expect([2, 1022, 4999, 700_001].map(number => states.of(number))).toEqual(
      Array(4).fill(undefined)
    )
    expect(states.counts).toEqual({ added: numbers.length, doubtful: 0 })
    await reopened.close()
  })

  test('is accessible only to its owner', async () => {
    await written([1, 'added'])
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(path, '..')).sort()).toEqual(['journal', 'journal.lock.db'])
  })

  test.each([
    ['half a line', (text: string) => text.slice(0, -7)],
    ['a line without its newline', (text: string) => text.slice(0, -1)]
  ])('loses its truncated end: %s', async (_, truncate) => {
    await written([1, 'added'], [2, undefined], [3, 'added'])
    writeFileSync(path, truncate(readFileSync(path, 'utf8')))
    expect(await statesOf(1, 2, 3)).toEqual(['added', 'doubtful', 'doubtful'])
    await written([4, 'added'])
    expect(await statesOf(1, 2, 3, 4)).toEqual(['added', 'doubtful', 'doubtful', 'added'])
  })

  test('truncated at any byte, reports no row as added that was not, and none as free that was in flight', async () => {
    await written([1, 'added'], [2, 'free'], [3, undefined])
    const text = readFileSync(path, 'utf8')
    for (let length = text.indexOf('\n') + 1; length < text.length; length += 1) {
      writeFileSync(path, text)
      truncateSync(path, length)
      const [first, second, third] = await statesOf(1, 2, 3)
      const has = (entry: RegExp) => entry.test(text.slice(0, length))
      expect(first).toBe(
        has(/^a 1 7 .{8}\n/m) ? 'added' : has(/^i 1 .{8}\n/m) ? 'doubtful' : undefined
      )
      expect(second).toBe(has(/^i 2 .{8}\n/m) && !has(/^f 2 .{8}\n/m) ? 'doubtful' : undefined)
      expect(third).toBe(has(/^i 3 .{8}\n/m) ? 'doubtful' : undefined)
    }
  })

  test.each<[what: string, damage: (text: string) => string, line: number]>([
    ['a letter', text => text.replace('\na 1 7', '\nf 1 7'), 3],
    ['a number', text => text.replace('\na 1 7', '\na 2 7'), 3],
    ['an id', text => text.replace('\na 1 7', '\na 1 8'), 3],
    ['a missing id', text => text.replace('\na 1 7', '\na 1'), 3],
    ['a checksum', text => text.replace(/(\ni 2 ).{8}/, '$100000000'), 4],
    ['two swapped lines', text => text.replace(/(\ni 1.*)(\na 1.*)/, '$2$1'), 2],
    ['a repeated line', text => text.replace(/(\ni 2.*)/, '$1$1'), 5],
    ['a missing line', text => text.replace(/\na 1.*/, ''), 3],
    ['the last newline', text => `${text.slice(0, -1)}0`, 5],
    ['zeros after the end', text => `${text}${'\0'.repeat(100)}`, 6],
    ['zeros at the end', text => `${text.slice(0, -30)}${'\0'.repeat(30)}`, 3],
    ['the head', text => text.replace('example', 'exemple'), 1],
    ['the key that identifies a journal', text => text.replace('petstore', 'petstorf'), 1]
  ])('is refused and left unchanged if it is damaged: %s', async (_, damage, line) => {
    await written([1, 'added'], [2, 'added'])
    const damaged = damage(readFileSync(path, 'utf8'))
    writeFileSync(path, damaged)
    const message = expect.stringContaining(`line ${line}`)
    await expect(open()).rejects.toMatchObject({ code: 'local', message })
    expect(readFileSync(path, 'utf8')).toBe(damaged)
  })

  test.each([
    ['text', 'hello\n', 'usage'],
    ['JSON', '{"name":"Rex"}\n', 'usage'],
    ['a head after other text', `x${headLine(head)}`.replace(/.{9}\n$/, '\n'), 'usage'],
    ['half a head', '{"petstore-jour', 'usage'],
    ['a head without its newline', headLine(head).trimEnd(), 'usage'],
    ['an earlier version', '{"petstore-journal":1,"environment":"production"}\ni 1\n', 'local'],
    ['a later version', '{"petstore-journal":4}\n', 'local']
  ])('is refused if it is %s', async (_, text, code) => {
    writeFileSync(path, text)
    await expect(open()).rejects.toMatchObject({ code })
    expect(readFileSync(path, 'utf8')).toBe(text)
  })

  test('is refused for another import', async () => {
    await written([1, undefined])
    const other = { ...head, content: { ...head.content, sha256: 'def' } }
    const message = expect.stringContaining('belongs to another import')
    await expect(open(realFiles, { head: other })).rejects.toMatchObject({ code: 'usage', message })
    expect(await statesOf(1)).toEqual(['doubtful'])
  })

  test('that cannot be written gets a hint about its directory, because the file may not exist', () => {
    const full = Object.assign(new Error(), { code: 'ENOSPC', errno: -28, syscall: 'write' })
    expect(journalFailure('/some place/j.journal', full)).toMatchObject({
      message:
        'the journal /some place/j.journal cannot be read or written: no space left on device',
      hint: "df -h '/some place'",
      isRetryable: true
    })
  })

  test('is refused if it has a row beyond the size of the input', async () => {
    await written([1001, 'added'])
    await expect(open()).rejects.toMatchObject({
      code: 'local',
      message: expect.stringContaining('line 2')
    })
  })
})

/** An error of a system call. */
const fault = (code: string, errno: number, syscall: string) =>
  Object.assign(new Error(`${code}: made up`), { code, errno, syscall })

describe('a file system that fails', () => {
  test('in a write that cannot be taken back ends the journal with that error, and it can be resumed', async () => {
    const full = fault('ENOSPC', -28, 'write')
    let isFull = false
    const journal = await open({
      ...realFiles,
      async append(file, bytes) {
        if (!isFull) return realFiles.append(file, bytes)
        await realFiles.append(file, bytes.subarray(0, 5))
        throw full
      },
      async truncate(file, length) {
        if (isFull) throw fault('EIO', -5, 'ftruncate')
        await realFiles.truncate(file, length)
      }
    })
    await journal.append([{ kind: 'intended', number: 1 }])
    isFull = true
    const message = `the journal ${path} cannot be read or written: no space left on device`
    const added: JournalEntry = { kind: 'added', number: 1, id: 7n }
    await expect(journal.append([added])).rejects.toMatchObject({ code: 'local', message })
    isFull = false
    // A shorter line must not be written over the rest of a longer one.
    await expect(journal.append([added])).rejects.toMatchObject({ message })
    await expect(journal.verify()).rejects.toMatchObject({ message })
    await journal.close()
    expect(await statesOf(1)).toEqual(['doubtful'])
  })

  test('when it closes or looks at the file is a local problem, in the right words', async () => {
    const closing = await open({
      ...realFiles,
      async close(file) {
        await realFiles.close(file)
        throw fault('EIO', -5, 'close')
      }
    })
    await expect(closing.close()).rejects.toMatchObject({
      code: 'local',
      message: expect.stringContaining('written')
    })
    let isBlocked = false
    const looking = await open({
      ...realFiles,
      inspect: async (file, name) => {
        if (isBlocked) throw fault('EACCES', -13, 'stat')
        return realFiles.inspect(file, name)
      }
    })
    isBlocked = true
    const message = `the journal ${path} cannot be read or written: permission denied`
    await expect(looking.verify()).rejects.toMatchObject({
      code: 'local',
      message,
      hint: undefined
    })
    await looking.close()
  })
})

describe('a journal in use', () => {
  test('that another program shortens is never written over, so the end of the run shows it', async () => {
    const journal = await open()
    await journal.append([{ kind: 'intended', number: 1 }])
    truncateSync(path, statSync(path).size - 5)
    await journal.append([{ kind: 'added', number: 1, id: 7n }])
    await expect(journal.verify()).rejects.toThrow('another program has changed')
    await journal.close()
  })

  test('that another program changes while it is opened fails at its first use', async () => {
    await written([1, 'added'])
    let looks = 0
    const journal = await open({
      ...realFiles,
      inspect(file, name) {
        looks += 1
        // When the lines have been read.
        if (looks === 1) appendFileSync(path, 'i 9\n')
        return realFiles.inspect(file, name)
      }
    })
    const appended = journal.append([{ kind: 'intended', number: 2 }])
    await expect(appended).rejects.toThrow('another program has changed')
    await journal.close()
  })

  const advice = 'Check which pets were added, then import the others'

  test('is verified before the first write, and again in the first one after 200 ms', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => {
      vi.useRealTimers()
    })
    const journal = await open()
    const append = () => journal.append([{ kind: 'intended', number: 1 }])
    await append()
    renameSync(path, `${path}-moved`)
    vi.advanceTimersByTime(200)
    await append()
    vi.advanceTimersByTime(1)
    await expect(append()).rejects.toThrow('was deleted, moved or replaced')
    await journal.close()

    const replaced = await open()
    rmSync(path)
    await expect(replaced.append([])).rejects.toThrow('was deleted, moved or replaced')
    await replaced.close()
  })

  test.each<[what: string, change: () => void]>([
    ['gets another line', () => appendFileSync(path, 'i 9\n')],
    ['loses its last line', () => truncateSync(path, statSync(path).size - 1)],
    ['is emptied', () => truncateSync(path)]
  ])('fails when another program changes it: it %s', async (_, change) => {
    const journal = await open()
    await journal.append([{ kind: 'intended', number: 1 }])
    change()
    const message = `another program has changed the journal ${path} during the import. ${advice}`
    await expect(journal.verify()).rejects.toMatchObject({ code: 'local', message })
    await journal.close()
  })

  test.each<[what: string, change: () => void]>([
    ['deleted', () => rmSync(path)],
    ['moved', () => renameSync(path, `${path}-moved`)],
    [
      'replaced',
      () => {
        copyFileSync(path, `${path}-copy`)
        renameSync(`${path}-copy`, path)
      }
    ]
  ])('fails when it is %s', async (_, change) => {
    const journal = await open()
    await journal.append([{ kind: 'intended', number: 1 }])
    change()
    const message = `the journal ${path} was deleted, moved or replaced during the import. ${advice}`
    await expect(journal.verify()).rejects.toMatchObject({ code: 'local', message })
    await journal.close()
  })
})

test('what a killed program has left beside the journal is removed', async () => {
  writeFileSync(`${path}.0123456789abcdef.tmp`, '')
  writeFileSync(`${path}.tmp`, '')
  await written([1, 'added'])
  expect(readdirSync(join(path, '..')).sort()).toEqual([
    'journal',
    'journal.lock.db',
    'journal.tmp'
  ])
})

test('an empty file, as made by mktemp, becomes a journal', async () => {
  writeFileSync(path, '')
  await written([1, 'added'])
  expect(await statesOf(1)).toEqual(['added'])
})

describe('the lock', () => {
  test('refuses a journal that another program is using', async () => {
    const release = await takeLock({ file: path, what: 'the journal', milliseconds: 0 })
    const message = `another petstore process is using the journal ${path} (lock: ${path}.lock.db)`
    await expect(open()).rejects.toMatchObject({ code: 'local', message })
    release?.()
  })

  test('is released when the journal is closed or refused', async () => {
    await written([1, 'added'])
    await expect(open(realFiles, { head: { ...head, service: 'elsewhere' } })).rejects.toThrow()
    const release = await takeLock({ file: path, what: 'the journal', milliseconds: 0 })
    release?.()
    expect(readdirSync(join(path, '..')).sort()).toEqual(['journal', 'journal.lock.db'])
  })
})

/** File operations of which the one at this position fails. */
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
    Object.assign(new Error(`${code}: made up`), {
      code,
      errno: code === 'EIO' ? -5 : -28,
      syscall: 'write'
    })
  const files: JournalFiles = {
    ...realFiles,
    async append(file, bytes) {
      if (fails('append')) {
        if (isShort) await realFiles.append(file, bytes.subarray(0, Math.ceil(bytes.length / 2)))
        throw error()
      }
      await realFiles.append(file, bytes)
      size += bytes.length
    },
    async synchronize(file) {
      if (fails('synchronize')) throw error()
      const length = size
      await realFiles.synchronize(file)
      const onDisk = Buffer.alloc(length)
      await file.read(onDisk, { position: 0 })
      seen.onDisk = onDisk.toString()
    },
    async create(path, text) {
      if (fails('create')) throw error()
      await realFiles.create(path, text)
    },
    async open(name, flags) {
      if (fails('open')) throw error()
      const file = await realFiles.open(name, flags)
      size = statSync(name).size
      return file
    }
  }
  return { files, seen }
}

const content = Array.from(
  { length: 20 },
  (_, index) => `{"name":"pet ${index + 1}","categoryId":1}\n`
).join('')

function rows() {
  async function* chunks() {
    yield Buffer.from(content)
  }
  return readRows(chunks(), { name: 'pets', format: 'ndjson' }).batches
}

interface Sent {
  readonly results: RowResult[]
  readonly reason: Failure | undefined
}

async function sendAll(files: JournalFiles, onSend: (number: number) => void): Promise<Sent> {
  const journal = await open(files)
  const shutdown = new Shutdown(new AbortController().signal)
  const results: RowResult[] = []
  const batches = sendRows({
    batches: rows(),
    unit: 'line',
    journal,
    isResent: () => false,
    send: async ({ name }) => {
      const number = Number(name.replace('pet ', ''))
      onSend(number)
      await new Promise(resolve => setImmediate(resolve))
      if (number === 5) throw new Failure('rejected', 'made up', { status: 422 })
      return { id: BigInt(number), name, categoryId: 1n }
    },
    pace: new Pace({ concurrency: 4, retries: 0, random: () => 0 }),
    clock: realClock,
    concurrency: 4,
    shutdown,
    notice: async () => {}
  })
  for await (const batch of batches) results.push(...batch)
  await journal.close()
  return { results, reason: shutdown.signal.reason }
}

describe.each([
  ['EIO', false],
  ['ENOSPC', true]
] as const)('if one file operation fails with %s (short write: %s)', (code, isShort) => {
  test('no row is sent twice or without a record, and the import can be resumed', async () => {
    const failed = new Set<string>()
    for (let step = 1; ; step += 1) {
      path = join(temporaryDirectory(), 'journal')
      const { files, seen } = failingAt(step, code, isShort)
      const sent = new Map<number, number>()
      const onSend = (number: number) => {
        expect(seen.onDisk).toMatch(new RegExp(`^i ${number} .{8}\n`, 'm'))
        sent.set(number, (sent.get(number) ?? 0) + 1)
      }
      const first = await sendAll(files, onSend).catch((error: Failure) => ({
        results: [],
        reason: error
      }))
      if (seen.failed === undefined) break
      failed.add(seen.failed)
      expect(first.reason).toMatchObject({
        code: 'local',
        exitCode: 9,
        message: expect.stringContaining(path)
      })
      expect(readdirSync(join(path, '..')).filter(name => name.endsWith('.tmp'))).toEqual([])
      expect(first.results.map(({ row }) => row.raw.number).sort()).toEqual([...sent.keys()].sort())

      seen.onDisk = ''
      const second = await sendAll(failingAt(0, code, false).files, number => {
        sent.set(number, (sent.get(number) ?? 0) + 1)
      })
      expect(second.reason).toBeUndefined()
      expect(second.results).toHaveLength(20)
      for (const [number, times] of sent) if (number !== 5) expect(times).toBe(1)
      const doubtful = second.results.filter(({ outcome }) => outcome === 'doubtful')
      expect(
        doubtful.every(({ row }) => sent.has(row.raw.number) || seen.failed === 'synchronize')
      ).toBe(true)
    }
    expect(failed).toEqual(new Set(['open', 'append', 'synchronize', 'create']))
  })
})
