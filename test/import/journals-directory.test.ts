import { existsSync, mkdirSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { openJournal, realFiles } from '../../src/import/journal.ts'
import { forgetImportsOf, journalPathFor } from '../../src/import/journals-directory.ts'
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
  const identity = { path, sha256: 'abc', service: 'https://pets.example/v1', ...input }
  return journalPathFor(journals, identity, { isRestart, look: 'look' })
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
    look: 'look',
    files: realFiles,
  })
  for (let number = 1; number <= added; number += 1)
    await journal.append([{ kind: 'added', number, id: 7n }])
  await journal.close()
  return found
}

const other = () => join(home, 'copy.ndjson')
const refused = {
  code: 'usage',
  message: expect.stringContaining('has changed since an unfinished import of it'),
}

test('a journal is found by the content of the input and the service, whatever its path is', async () => {
  const found = await begin()
  expect(await find({ path: other() })).toBe(found)
  expect(await find({ path: undefined })).toBe(found)
  expect(await find({ service: 'https://other.example/v1' })).not.toBe(found)
})

test('each path has a link in the directory, so that a later change of any of its files is noticed', async () => {
  const found = await begin()
  await find({ path: other() })
  const links = readdirSync(journals).filter((name) => name.endsWith('.last'))
  expect(links.map((name) => join(journals, readlinkSync(join(journals, name))))).toEqual([
    found,
    found,
  ])
  await expect(find({ path: other(), sha256: 'def' })).rejects.toMatchObject(refused)
})

test.each<[what: string, added: number, input: Imported]>([
  ['if that import has added every row', 2, {}],
  ['if that import has recorded nothing', 0, {}],
  ['for another service', 1, { service: 'https://other.example/v1' }],
  ['with --restart', 1, { isRestart: true }],
  ['from standard input, which has no path', 1, { path: undefined }],
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

test('--rejects needs no directory of journals', () => {
  forgetImportsOf(path, join(home, 'missing'))
  expect(existsSync(join(home, 'missing'))).toBe(false)
})
