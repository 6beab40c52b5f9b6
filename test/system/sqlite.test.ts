import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { int64Limits } from '../../src/model/pets.ts'
import { Sqlite, type SqlValue, sqliteErrorKind } from '../../src/system/sqlite.ts'
import { temporaryDirectory } from '../support/temp.ts'

const temporaryFile = () => join(temporaryDirectory(), 'test.db')

function open(path = temporaryFile(), timeout = 0): Sqlite {
  const sqlite = new Sqlite(path, { timeout })
  onTestFinished(() => sqlite.close())
  sqlite.exec('CREATE TABLE IF NOT EXISTS notes (text TEXT)')
  return sqlite
}

const add = (sqlite: Sqlite, text: string) => sqlite.run('INSERT INTO notes VALUES (?)', text)
const texts = (sqlite: Sqlite) => sqlite.rows('SELECT text FROM notes').map(({ text }) => text)

test.each<SqlValue>([
  int64Limits.maximum,
  int64Limits.minimum,
  9007199254740993n,
  0n,
  1.5,
  '',
  '小雪 🐇',
  null
])('%o is read back unchanged', value => {
  expect(open().rows('SELECT ? AS value', value)).toEqual([{ value }])
})

test('a transaction changes all or nothing', () => {
  const sqlite = open()
  const result = sqlite.transaction(() => {
    add(sqlite, 'a')
    return 7
  })
  const fails = () =>
    sqlite.transaction(() => {
      add(sqlite, 'b')
      throw new Error('no')
    })
  expect(fails).toThrow('no')
  expect([result, texts(sqlite)]).toEqual([7, ['a']])
})

test.each<[about: string, kind: string, act: () => void]>([
  [
    'a directory',
    'other',
    () => {
      const path = temporaryFile()
      mkdirSync(path)
      open(path)
    }
  ],
  [
    'another kind of file',
    'damaged',
    () => {
      const path = temporaryFile()
      writeFileSync(path, 'x'.repeat(5000))
      open(path)
    }
  ],
  [
    'no space',
    'other',
    () => {
      const sqlite = open()
      sqlite.exec('PRAGMA max_page_count = 2')
      add(sqlite, 'x'.repeat(10_000))
    }
  ],
  ['other tables', 'damaged', () => open().exec('SELECT * FROM nothing')]
])('%s is an error of the kind %s', (_, kind, act) => {
  expect(act).toThrow(expect.toSatisfy(error => sqliteErrorKind(error) === kind))
})
