import { appendFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/failure.ts'
import { openInput } from '../../src/import/input.ts'
import { openImport } from '../../src/import/run.ts'
import { temporaryDirectory } from '../support/temp.ts'

const lines = (name: string) =>
  Array.from(
    { length: 9000 },
    (_, index) => `{"name":"${name}","categoryId":${10_000 + index}}\n`
  ).join('')
const text = lines('Rex')
const signal = new AbortController().signal

/** Changes a file after its first chunk was read, and reads the rest. */
async function readWhile(change: (path: string) => void) {
  const path = join(temporaryDirectory(), 'pets.ndjson')
  writeFileSync(path, text)
  const input = await openInput({ path, stdin: Readable.from([]), signal })
  let read = ''
  const reading = (async () => {
    for await (const chunk of input.chunks()) {
      if (read === '') change(path)
      read += Buffer.from(chunk).toString('latin1')
    }
  })()
  const failure = await reading.catch((error: unknown) => error)
  await input.close()
  return { read, failure, hasChanged: input.hasChanged }
}

describe('nothing of a new content is read from a file that', () => {
  test.each<[what: string, change: (path: string) => void]>([
    ['is written again', path => writeFileSync(path, lines('Ada'))],
    [
      'gets a line at its beginning',
      path => writeFileSync(path, `{"name":"Ada","categoryId":1}\n${text}`)
    ],
    ['is changed in its last byte', path => writeFileSync(path, text.replace(/\n$/, ' '))],
    ['is cut off', path => truncateSync(path, 100_000)],
    ['is emptied', path => truncateSync(path, 0)]
  ])('%s', async (_, change) => {
    const { read, failure, hasChanged } = await readWhile(change)
    expect(failure).toMatchObject({
      code: 'local',
      message: expect.stringContaining('changed during the import')
    })
    expect(hasChanged).toBe(true)
    expect(read.length).toBeGreaterThan(0)
    expect(text.startsWith(read)).toBe(true)
  })
})

describe('the old content is read to its end from a file that', () => {
  test.each<[what: string, change: (path: string) => void]>([
    ['gets more lines at its end', path => appendFileSync(path, lines('Ada'))],
    [
      'is replaced by another file',
      path => {
        writeFileSync(`${path}.new`, lines('Ada'))
        renameSync(`${path}.new`, path)
      }
    ]
  ])('%s', async (_, change) => {
    expect(await readWhile(change)).toEqual({ read: text, failure: undefined, hasChanged: false })
  })
})

const grown = [['grown', expect.stringMatching(/ has grown: the 5 bytes that .* left out; move/)]]

test.each([
  { what: 'a check of a file that has grown', more: 'more\n', notices: grown },
  { what: 'a check of a file that has not grown', more: '', notices: [] },
  { what: 'a check that ends early', more: 'more\n', notices: grown, endsEarly: true }
])('$what', async ({ more, notices, endsEarly = false }) => {
  const path = join(temporaryDirectory(), 'pets.ndjson')
  writeFileSync(path, text)
  const noticed: [string, string][] = []
  const run = await openImport({
    path,
    concurrency: 1,
    stdin: Readable.from([]),
    interruption: signal,
    protectedFiles: [],
    makeJournals: async () => '',
    notice: async (...notice) => void noticed.push(notice)
  })
  appendFileSync(path, more)
  const reason = new Failure('interrupted', 'interrupted')
  for await (const _batch of run.batches()) if (endsEarly) run.stop(reason)
  expect(run.reason).toBe(endsEarly ? reason : undefined)
  await run.close()
  expect(noticed).toEqual(notices)
})
