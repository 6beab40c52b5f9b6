import fs, { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename, join } from 'node:path'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { openJournal, realFiles } from '../../src/import/journal.ts'
import {
  forgetImportsOf,
  journalPathFor,
  shortDigest
} from '../../src/import/journals-directory.ts'
import { temporaryDirectory } from '../support/temp.ts'

let home: string
let journals: string
let path: string
beforeEach(() => {
  home = temporaryDirectory()
  journals = join(home, 'journals')
  path = join(home, 'pets.ndjson')
  mkdirSync(journals)
})

interface Imported {
  readonly path?: string | undefined
  readonly sha256?: string
  readonly service?: string
  readonly isRestart?: boolean
}

const find = ({ isRestart = false, ...input }: Imported = {}) => {
  const known = { path, sha256: 'abc', service: 'https://pets.example/v1', ...input }
  const content = { sha256: known.sha256, size: 100, rows: 2 }
  const head = { input: path, content, format: 'ndjson', service: known.service } as const
  return journalPathFor(journals, known.path, head, isRestart)
}

/** Creates the journal of an import of two rows, of which so many were added. */
async function begin(input: Imported = {}, added = 1): Promise<string> {
  const found = await find(input)
  const { sha256 = 'abc', service = 'https://pets.example/v1' } = input
  const content = { sha256, size: 100, rows: 2 }
  const journal = await openJournal({
    path: found,
    head: { input: path, content, format: 'ndjson', service },
    isRestart: false,
    requireStates: () => {},
    files: realFiles
  })
  for (let number = 1; number <= added; number += 1)
    await journal.append([{ kind: 'added', number, id: 7n }])
  await journal.close()
  return found
}

const other = () => join(home, 'copy.ndjson')
const refused = {
  code: 'usage',
  message: expect.stringMatching(
    / has changed since an unfinished import of it .*'petstore pets import - < FILE'$/
  )
}

test('a journal is found by the content of the input and the service, whatever its path is', async () => {
  const found = await begin()
  expect(await find({ path: other() })).toBe(found)
  expect(await find({ path: undefined })).toBe(found)
  expect(await find({ service: 'https://other.example/v1' })).not.toBe(found)
})

test('a later change of any path of an import is noticed', async () => {
  await begin()
  await find({ path: other() })
  await expect(find({ path: other(), sha256: 'def' })).rejects.toMatchObject(refused)
})

const lastNames = () => readdirSync(journals).filter(name => name.includes('.last'))

test('a link of an earlier version counts, and is replaced', async () => {
  const found = await begin()
  const [name = ''] = lastNames()
  rmSync(join(journals, name))
  // An earlier version was killed between two calls.
  for (const link of [
    name.replace(/\.\w+\./, '.'),
    name.replace(/\.\w+\./, '.').concat('.0123456789abcdef')
  ])
    symlinkSync(basename(found), join(journals, link))
  await expect(find({ sha256: 'def' })).rejects.toMatchObject(refused)
  await find()
  expect(lastNames()).toEqual([name])
})

test('a kill between the steps leaves nothing for ever', async () => {
  await begin({}, 2)
  const [first = ''] = lastNames()
  await find({ sha256: 'def' })
  writeFileSync(join(journals, first), '')
  expect(lastNames()).toHaveLength(2)
  await find({ sha256: 'def' })
  expect(lastNames()).toHaveLength(1)
})

test.each([
  ['ENOSPC', -28, 'no space left on device'],
  ['EROFS', -30, 'read-only file system'],
  ['EACCES', -13, 'permission denied']
])('a directory that cannot be written is a local problem: %s', async (code, errno, problem) => {
  const failing = vi.spyOn(fs, 'openSync').mockImplementation(() => {
    throw Object.assign(new Error(code), { code, errno, syscall: 'open' })
  })
  syncBuiltinESMExports()
  onTestFinished(() => {
    failing.mockRestore()
    syncBuiltinESMExports()
  })
  await expect(find()).rejects.toMatchObject({
    code: 'local',
    message: `the journals in ${journals} cannot be read or written: ${problem}`,
    hint: code === 'ENOSPC' ? `df -h ${journals}` : undefined
  })
})

test.each<[what: string, added: number, input: Imported]>([
  ['if that import has added every row', 2, {}],
  ['if that import has recorded nothing', 0, {}],
  ['for another service', 1, { service: 'https://other.example/v1' }],
  ['with --restart', 1, { isRestart: true }],
  ['from standard input, which has no path', 1, { path: undefined }]
])('a changed file is another import: %s', async (_, added, input) => {
  const found = await begin({}, added)
  expect(await find({ sha256: 'def', ...input })).not.toBe(found)
})

test('a changed file is refused unless this program has written it as --rejects since', async () => {
  await begin()
  await expect(find({ sha256: 'def' })).rejects.toMatchObject(refused)
  forgetImportsOf(path, journals)
  await begin({ sha256: 'def' })
  await expect(find({ sha256: 'ghi' })).rejects.toMatchObject(refused)
})

test('the names of journals stay the same: after an upgrade, an import finds its own', () => {
  expect(shortDigest('a', 'b')).toBe('0473ef2dc0d324ab')
})
