import { execFileSync } from 'node:child_process'
import fs, { closeSync, constants, lchownSync, openSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
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

async function* inOneChunk(content: string) {
  yield Buffer.from(content)
}

/** Rejects every row of a JSON array. */
async function rejectAll(content: string): Promise<void> {
  const rejects = await openRejects({ path, signal })
  const reader = readRows(inOneChunk(content), { name: 'pets', format: 'json' })
  for await (const rows of reader.batches) {
    const results = rows.map((row) => ({ row, outcome: 'rejected' as const }))
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
    message: `${path} cannot be written: no space left on device`,
  })
})

test.each([
  ['in the middle', '[{"name":"a"},,{"name":"b"}]'],
  ['at the start', '[,{"name":"a"},{"name":"b"}]'],
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
  const rejects = await openRejects({ path, signal })
  closeSync(reader)
  const row = { raw: { number: 1, bytes: Buffer.from('nonsense') }, problem: 'it is not JSON' }
  const added = rejects.add([{ row, outcome: 'invalid' }], { format: 'ndjson' })
  await expect(added).rejects.toMatchObject({
    code: 'local',
    message: `${path} cannot be written: broken pipe`,
    hint: undefined,
  })
  await rejects.close()
})

// Only root can give a link to another user.
test.runIf(process.getuid?.() === 0)('a link of another user is not followed', () => {
  symlinkSync(`${path}-target`, path)
  lchownSync(path, 12_345, 12_345)
  const message = expect.stringContaining('is a link of another user')
  expect(() => requireWritableRejects(path)).toThrow(
    expect.objectContaining({ code: 'local', message }),
  )
})

test('Ctrl-C ends writing to a named pipe; a batch without rejects writes nothing', async () => {
  execFileSync('mkfifo', [path])
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const interruption = new AbortController()
  const rejects = await openRejects({ path, signal: interruption.signal })
  const reason = new Failure('interrupted', 'interrupted', { signal: 'SIGINT' })
  interruption.abort(reason)
  const raw: RawRow = { number: 1, bytes: Buffer.from('nonsense') }
  const row = { raw, problem: 'it is not JSON' }
  await rejects.add([{ row, outcome: 'valid' }], { format: 'ndjson' })
  await expect(rejects.add([{ row, outcome: 'invalid' }], { format: 'ndjson' })).rejects.toBe(
    reason,
  )
  await rejects.close()
  closeSync(reader)
})
