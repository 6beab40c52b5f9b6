import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Journal, openJournal } from '../../src/import/journal.ts'
import { openNames } from '../../src/import/names.ts'
import { temporaryDirectory } from '../support/temp.ts'

const temporaryJournal = () => join(temporaryDirectory(), 'a.db')

function open(path = temporaryJournal()): Journal {
  const journal = openJournal(path)
  onTestFinished(journal.close)
  return journal
}

type Ending = readonly [hash: string, outcome: 'added' | 'doubtful' | 'rejected']

/** Records these rows, which end with the outcomes. */
async function record(journal: Journal, rows: readonly Ending[]) {
  const sent = rows.map(([hash, outcome], index) => ({
    seq: undefined,
    hash,
    key: `key ${index}`,
    at: 1000n + BigInt(index),
    result: { row: { line: 1, source: '' }, outcome }
  }))
  await journal.record([], sent)
  await journal.record(sent, [])
}

/** A journal that an earlier process has left. */
async function recorded(rows: readonly Ending[]): Promise<string> {
  const path = temporaryJournal()
  const journal = openJournal(path)
  journal.keep()
  await record(journal, rows)
  journal.close()
  return path
}

/** The states of the rows of an input with these hashes. */
function joined(journal: Journal, hashes: string) {
  for (const [index, hash] of [...hashes].entries()) journal.addInput(index + 1, hash)
  const counts = journal.join()
  const rows = [...hashes].map((_, index) => ({ line: index + 1, source: '' }))
  const states = [...journal.statesOf(rows)].map(([line, { isAdded }]) => {
    return `${line} ${isAdded ? 'added' : 'sent'}`
  })
  return { counts, states }
}

test.each<[about: string, before: string, input: string, states: readonly string[]]>([
  ['the same rows', 'a+b?c-', 'abc', ['1 added', '2 sent']],
  ['sorted rows', 'a+b?', 'xba', ['2 sent', '3 added']],
  ['as many of equal rows as were added', 'a+a+', 'aaa', ['1 added', '2 added']],
  ['the added one of equal rows first', 'a?a+', 'aa', ['1 added', '2 sent']],
  ['the added one if the other is deleted', 'a?a+', 'a', ['1 added']]
])('%s', async (_, before, input, states) => {
  const outcomes = { '+': 'added', '?': 'doubtful', '-': 'rejected' } as const
  const rows = before
    .match(/../g)
    ?.map(([hash = '', sign]) => [hash, outcomes[sign as '+']] as const)
  const found = joined(open(await recorded(rows ?? [])), input)
  expect(found.states).toEqual(states)
  const left = found.counts.all.added + found.counts.all.doubtful
  expect(left).toBe(before.replaceAll(/[a-c]-/g, '').length / 2)
})

test('a row keeps the key and the time of its first attempt', async () => {
  const journal = open(await recorded([['a', 'doubtful']]))
  expect(joined(journal, 'a').counts.last).toBe(1000)
  expect(journal.statesOf([{ line: 1, source: '' }]).get(1)).toMatchObject({
    key: 'key 0',
    at: 1000n
  })
})

test('only what is kept is changed', async () => {
  const path = await recorded([['a', 'added']])
  const refused = openJournal(path)
  refused.clear()
  refused.close()
  const accepted = openJournal(path)
  expect(joined(accepted, 'a').states).toEqual(['1 added'])
  accepted.clear()
  accepted.keep()
  accepted.close()
  expect(joined(open(path), 'a').states).toEqual([])
})

test('rows in doubt are counted as added', async () => {
  const path = await recorded([
    ['a', 'doubtful'],
    ['b', 'doubtful'],
    ['c', 'added']
  ])
  const journal = openJournal(path)
  joined(journal, 'abc')
  expect([2, 9].map(last => journal.isInDoubt({ first: 1, last }))).toEqual([true, false])
  journal.accept({ first: 1, last: 1 })
  journal.keep()
  journal.close()
  expect(joined(open(path), 'abc').states).toEqual(['1 added', '2 sent', '3 added'])
})

test('a journal in use is refused', () => {
  const journal = open()
  expect(() => openJournal(journal.path)).toThrow(
    expect.objectContaining({ code: 'local', isRetryable: true })
  )
})

test.each<[string, (path: string) => void]>([
  ['deleted', path => rmSync(path)],
  [
    'replaced',
    path => {
      writeFileSync(`${path}.new`, readFileSync(path))
      renameSync(`${path}.new`, path)
    }
  ]
])('a journal that is %s records nothing', async (_, change) => {
  const journal = open()
  journal.keep()
  await record(journal, [['a', 'doubtful']])
  change(journal.path)
  const more = record(journal, [['b', 'doubtful']])
  await expect(more).rejects.toThrow('was deleted or replaced')
})

test('a byte that is damaged never changes what is known about a row', async () => {
  const rows = Array.from({ length: 40 }, (_, index) => [`hash ${index}`, 'added'] as const)
  const path = await recorded(rows)
  const intact = readFileSync(path)
  const found = { refused: 0, same: 0 }
  for (let at = 0; at < intact.length; at += 7) {
    const damaged = Buffer.from(intact)
    damaged[at] = (damaged[at] ?? 0) ^ (1 << (at % 8))
    writeFileSync(path, damaged)
    try {
      const journal = openJournal(path)
      for (const [index, [hash]] of rows.entries()) journal.addInput(index + 1, hash)
      const { known } = journal.join()
      journal.close()
      expect({ at, known }).toEqual({ at, known: { added: 40, doubtful: 0 } })
      found.same += 1
    } catch (error) {
      if (error instanceof Error && error.name === 'AssertionError') throw error
      found.refused += 1
    }
    for (const end of ['-wal', '-shm', '-journal']) if (existsSync(path + end)) rmSync(path + end)
  }
  expect(found.refused).toBeGreaterThan(200)
})

test('an import is found by its content, then by its path, and each has the import that had it last', () => {
  const names = openNames(temporaryDirectory())
  onTestFinished(names.close)
  const of = (sha256: string, path?: string, service = 's') => ({ sha256, path, service })
  expect(names.claim(of('1', '/a'), undefined, 'A')).toBeUndefined()
  expect(names.claim(of('2', '/b'), undefined, 'B')).toBeUndefined()
  const found = () => [
    names.find(of('1')),
    names.find(of('1', '/b')),
    names.find(of('9', '/a')),
    names.find(of('9', '/c')),
    names.find(of('1', '/a', 'other'))
  ]
  expect(found()).toEqual(['A', 'A', 'A', undefined, undefined])
  // b.csv becomes a.csv.
  expect(names.claim(of('2', '/a'), 'B', 'B')).toBeUndefined()
  expect(found()).toEqual(['A', 'A', 'B', undefined, undefined])
  // Another process was faster.
  expect(names.claim(of('1', '/c'), undefined, 'C')).toBe('A')
  expect(names.find(of('9', '/c'))).toBeUndefined()
  // A file of rejects is another import, but not for its content.
  names.addRejects('/a', '3')
  expect(found()).toEqual(['A', 'A', undefined, undefined, undefined])
  expect(['1', '3', '4'].map(names.knows)).toEqual([true, true, false])
})
