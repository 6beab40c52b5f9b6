import { execFileSync } from 'node:child_process'
import fs, {
  closeSync,
  constants,
  lchownSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { Failure } from '../../src/failure.ts'
import type { RawRow } from '../../src/import/raw-row.ts'
import { openRejects, requireWritableRejects } from '../../src/import/rejects.ts'
import { readRows } from '../../src/import/rows.ts'
import { temporaryDirectory } from '../support/temp.ts'

let path: string
beforeEach(() => {
  path = join(temporaryDirectory(), 'rejects')
})

const { signal } = new AbortController()
const makeJournals = async () => {
  throw new Failure('local', 'no home')
}

/** Opens the rejects where nothing is known about earlier ones. */
const openHere = (ending = signal) =>
  openRejects(path, { interruption: ending, makeJournals, notice: async () => {} })

async function* inOneChunk(content: string) {
  yield Buffer.from(content)
}

/** Rejects every row of a JSON array. */
async function rejectAll(content: string): Promise<void> {
  const rejects = await openHere()
  const reader = readRows(inOneChunk(content), { name: 'pets', format: 'json' })
  for await (const rows of reader.batches) {
    const results = rows.map(row => ({ row, outcome: 'rejected' as const }))
    await rejects.add(results, reader.layout())
  }
  await rejects.close()
}

test('a disk that becomes full when the file is closed is an error', async () => {
  const { close } = fs
  const full = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', errno: -28, syscall: 'close' })
  const failing = vi
    .spyOn(fs, 'close')
    .mockImplementation((file, done) => close(file, () => done?.(full)))
  onTestFinished(() => failing.mockRestore())
  await expect(rejectAll('[{"name":"a"}]')).rejects.toMatchObject({
    code: 'local',
    message: `${path} cannot be written: no space left on device`
  })
})

describe('a file that cannot be opened', () => {
  test.each([
    ['ENOSPC', -28, 'local', 'no space left on device'],
    ['EMFILE', -24, 'local', 'too many open files'],
    ['EACCES', -13, 'usage', 'permission denied'],
    ['EISDIR', -21, 'usage', 'it is a directory']
  ])('is reported before anything is sent: %s', async (code, errno, kind, problem) => {
    const failing = vi.spyOn(fs, 'openSync').mockImplementation(() => {
      throw Object.assign(new Error(code), { code, errno, syscall: 'open' })
    })
    syncBuiltinESMExports()
    onTestFinished(() => {
      failing.mockRestore()
      syncBuiltinESMExports()
    })
    await expect(openHere()).rejects.toMatchObject({
      code: kind,
      message: `${path} cannot be written: ${problem}`
    })
  })

  test('is one that another user has exchanged for a link meanwhile', async () => {
    const target = `${path}-target`
    writeFileSync(target, 'precious')
    const { openSync: open } = fs
    const exchanging = vi.spyOn(fs, 'openSync').mockImplementationOnce((...call) => {
      symlinkSync(target, path)
      return open(...call)
    })
    syncBuiltinESMExports()
    onTestFinished(() => {
      exchanging.mockRestore()
      syncBuiltinESMExports()
    })
    await expect(openHere()).rejects.toMatchObject({ code: 'local' })
    expect(readFileSync(target, 'utf8')).toBe('precious')
  })

  test('is one whose directory was exchanged meanwhile', async () => {
    const directory = join(path, 'shared')
    mkdirSync(directory, { recursive: true })
    mkdirSync(join(path, 'other'))
    path = join(directory, 'rejects')
    const { openSync: open } = fs
    const exchanging = vi.spyOn(fs, 'openSync').mockImplementationOnce((...call) => {
      renameSync(directory, `${directory}.x`)
      symlinkSync('other', directory)
      const file = open(...call)
      rmSync(directory)
      renameSync(`${directory}.x`, directory)
      return file
    })
    syncBuiltinESMExports()
    onTestFinished(() => {
      exchanging.mockRestore()
      syncBuiltinESMExports()
    })
    await expect(openHere()).rejects.toMatchObject({
      code: 'local',
      message: `${path} was replaced while petstore opened it`
    })
  })
})

test.each([
  ['in the middle', '[{"name":"a"},,{"name":"b"}]'],
  ['at the start', '[,{"name":"a"},{"name":"b"}]']
])('a missing element of a JSON array leaves no gap: %s', async (_, content) => {
  await rejectAll(content)
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual([{ name: 'a' }, { name: 'b' }])
})

test('a named pipe receives every row', async () => {
  execFileSync('mkfifo', [path])
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  await rejectAll('[{"name":"a"},{"name":"b"}]')
  expect(readFileSync(reader, 'utf8')).toBe('[\n{"name":"a"},\n{"name":"b"}\n]\n')
  closeSync(reader)
})

test('a pipe without a reader gets no hint about the disk', async () => {
  execFileSync('mkfifo', [path])
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const rejects = await openHere()
  closeSync(reader)
  const row = { raw: { number: 1, bytes: Buffer.from('nonsense') }, problem: 'it is not JSON' }
  const added = rejects.add([{ row, outcome: 'invalid' }], { format: 'ndjson' })
  await expect(added).rejects.toMatchObject({
    code: 'local',
    message: `${path} cannot be written: broken pipe`,
    hint: undefined
  })
  await rejects.close()
})

// Only root can give a link to another user.
test.runIf(process.getuid?.() === 0)('a link of another user is not followed', () => {
  symlinkSync(`${path}-target`, path)
  lchownSync(path, 12_345, 12_345)
  const message = expect.stringContaining('is a link of another user')
  expect(() => requireWritableRejects(path)).toThrow(
    expect.objectContaining({ code: 'local', message })
  )
})

test('Ctrl-C ends writing to a named pipe; a batch without rejects writes nothing', async () => {
  execFileSync('mkfifo', [path])
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const interruption = new AbortController()
  const rejects = await openHere(interruption.signal)
  const reason = new Failure('interrupted', 'interrupted')
  interruption.abort(reason)
  const raw: RawRow = { number: 1, bytes: Buffer.from('nonsense') }
  const row = { raw, problem: 'it is not JSON' }
  await rejects.add([{ row, outcome: 'valid' }], { format: 'ndjson' })
  await expect(rejects.add([{ row, outcome: 'invalid' }], { format: 'ndjson' })).rejects.toBe(
    reason
  )
  await rejects.close()
  closeSync(reader)
})

test('a directory is refused before anything is changed', () => {
  const directory = temporaryDirectory()
  expect(() => requireWritableRejects(directory)).toThrow(
    `${directory} cannot be written: it is a directory`
  )
})
