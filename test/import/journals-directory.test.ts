import { linkSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { type Input, openInput } from '../../src/import/input.ts'
import { openJournal } from '../../src/import/journal.ts'
import { realFiles } from '../../src/import/journal-files.ts'
import { journalVersion } from '../../src/import/journal-format.ts'
import { journalPathFor } from '../../src/import/journals-directory.ts'
import { temporaryDirectory } from '../support/temp.ts'

let home: string
let journals: string
let path: string
beforeEach(() => {
  home = temporaryDirectory()
  journals = join(home, 'journals')
  path = join(home, 'pets.ndjson')
  mkdirSync(journals)
  writeFileSync(path, '{"name":"Rex","categoryId":1}\n')
})

const now = new Date(0)

async function open(name: string): Promise<Input> {
  const input = await openInput({ path: name, stdin: Readable.from([]), signal: new AbortController().signal })
  onTestFinished(input.close)
  return input
}

const find = (input: Input, environment = 'production') => journalPathFor(journals, input, environment, now)

/** Creates a journal without entries, and returns its path. */
async function begin(input: Input, environment = 'production'): Promise<string> {
  const found = await find(input, environment)
  const journal = await openJournal({
    path: found,
    head: {
      version: journalVersion,
      input: input.path ?? input.name,
      content: input.content,
      file: input.file,
      format: 'ndjson',
      environment,
      baseUrl: 'https://pets.example/v1',
      begun: now.toISOString(),
    },
    isRestart: false,
    commands: { restart: 'restart', look: 'look' },
    files: realFiles,
  })
  await journal.close()
  return found
}

test('a journal without entries is found for every name of its input', async () => {
  const linked = join(home, 'linked.ndjson')
  linkSync(path, linked)
  const found = await begin(await open(path))
  const other = await open(linked)
  expect(await find(other)).toBe(found)
  expect(await find(other, 'staging')).not.toBe(found)
})

test.each([
  ['is found if the content changed', '7', '7', 'changed', true],
  ['is not found if the birth time differs, even if the content is the same', '7', '8', 'same', false],
  ['is found if one birth time is missing and the content is the same', '7', '0', 'same', true],
  ['is found if there is no birth time and the content is the same', '0', '0', 'same', true],
  ['is not found if there is no birth time and the content changed', '0', '0', 'changed', false],
  ['is not found if the file only has the inode of a deleted one', '7', '8', 'changed', false],
])('the journal of a renamed input %s', async (_, was, is, content, isFound) => {
  const input = await open(path)
  const born = (time: string) => input.file && { ...input.file, born: time }
  const found = await begin({ ...input, path: join(home, 'old.ndjson'), file: born(was) })
  const later = content === 'same' ? input.content : { sha256: 'other', size: 30 }
  expect((await find({ ...input, file: born(is), content: later })) === found).toBe(isFound)
})
