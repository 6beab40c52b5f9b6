import { linkSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { openInput } from '../../src/import/input.ts'
import { openJournal } from '../../src/import/journal.ts'
import { realFiles } from '../../src/import/journal-files.ts'
import { journalVersion } from '../../src/import/journal-format.ts'
import { journalPathFor } from '../../src/import/journals-directory.ts'
import { temporaryDirectory } from '../support/temp.ts'

test('a journal without entries is found under every name of its input: another program may have just created it', async () => {
  const home = temporaryDirectory()
  const [path, linked, journals] = [join(home, 'pets.ndjson'), join(home, 'linked.ndjson'), join(home, 'journals')]
  mkdirSync(journals)
  writeFileSync(path, '{"name":"Rex","categoryId":1}\n')
  linkSync(path, linked)
  const open = (name: string) =>
    openInput({ path: name, stdin: Readable.from([]), signal: new AbortController().signal })
  const [input, other] = [await open(path), await open(linked)]

  const now = new Date(0)
  const found = await journalPathFor(journals, input, 'production', now)
  const journal = await openJournal({
    path: found,
    head: {
      version: journalVersion,
      input: path,
      content: input.content,
      file: input.file,
      format: 'ndjson',
      environment: 'production',
      baseUrl: 'https://pets.example/v1',
      begun: now.toISOString(),
    },
    isRestart: false,
    commands: { restart: 'restart', look: 'look' },
    files: realFiles,
  })
  expect(await journalPathFor(journals, other, 'production', now)).toBe(found)
  expect(await journalPathFor(journals, other, 'staging', now)).not.toBe(found)
  await journal.close()
  await Promise.all([input.close(), other.close()])
})
