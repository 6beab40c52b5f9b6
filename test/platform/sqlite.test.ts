import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { int64Limits } from '../../src/model/pets.ts'
import {
  loadSqlite,
  retryWhileBusy,
  type Sqlite,
  type SqliteErrorKind,
  type SqlValue,
  sqliteErrorKind,
  UncertainCommit
} from '../../src/platform/sqlite.ts'
import { temporaryDirectory } from '../support/temp.ts'

const temporaryFile = () => join(temporaryDirectory(), 'test.db')

const add = (connection: Sqlite, text: string) =>
  connection.rows('INSERT INTO notes (text) VALUES (?)', text)[0]
const count = (connection: Sqlite) =>
  connection.rows('SELECT count(*) AS count FROM notes')[0]?.count
/** For `toThrow`: matches an error of that kind. */
const ofKind = (kind: SqliteErrorKind) => ({
  asymmetricMatch: (error: unknown) => sqliteErrorKind(error) === kind
})

function open(path = temporaryFile()): Sqlite {
  const connection = loadSqlite()(path)
  onTestFinished(() => connection.close())
  return connection
}

function openTable(path?: string): Sqlite {
  const connection = open(path)
  connection.exec(
    'PRAGMA journal_mode = WAL; CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)'
  )
  return connection
}

describe('values', () => {
  test.each<SqlValue>([
    int64Limits.maximum,
    int64Limits.minimum,
    9007199254740993n,
    0n,
    1.5,
    '',
    'plain',
    '小雪 🐇',
    null
  ])('%o is read back unchanged', async value => {
    const connection = open()
    expect(connection.rows('SELECT ? AS value', value)[0]).toEqual({ value })
    expect(connection.rows('SELECT ? AS value', value)).toEqual([{ value }])
  })

  test('a missing row is undefined', async () => {
    expect(openTable().rows('SELECT * FROM notes')[0]).toBeUndefined()
  })
})

describe('a transaction', () => {
  test('commits all changes together', async () => {
    const path = temporaryFile()
    const [one, other] = [openTable(path), open(path)]
    const seen = one.transaction(() => {
      add(one, 'first')
      add(one, 'second')
      return count(other)
    })
    expect([seen, count(other)]).toEqual([0n, 2n])
  })

  test('changes nothing if its work throws, and releases its lock', async () => {
    const path = temporaryFile()
    const [one, other] = [openTable(path), open(path)]
    const work = () => {
      add(one, 'lost')
      throw new RangeError('no')
    }
    expect(() => one.transaction(work)).toThrow(RangeError)
    add(other, 'saved')
    expect(count(one)).toBe(1n)
  })

  test('changes nothing if the disk is full', async () => {
    const connection = openTable()
    connection.exec('PRAGMA max_page_count = 4')
    const work = () => {
      add(connection, 'small')
      add(connection, 'x'.repeat(100_000))
    }
    expect(() => connection.transaction(work)).toThrow(ofKind('full'))
    expect(count(connection)).toBe(0n)
    connection.exec('PRAGMA max_page_count = 1000')
    connection.transaction(work)
    expect(count(connection)).toBe(2n)
  })
})

test('a commit that fails has no kind, because its changes may be on disk', () => {
  const connection = open()
  connection.exec('PRAGMA foreign_keys = ON; CREATE TABLE one (id INTEGER PRIMARY KEY)')
  connection.exec('CREATE TABLE two (one REFERENCES one (id) DEFERRABLE INITIALLY DEFERRED)')
  const work = () => connection.transaction(() => connection.exec('INSERT INTO two VALUES (1)'))
  expect(work).toThrow(UncertainCommit)
  expect(work).toThrow('FOREIGN KEY constraint failed')
  expect(work).not.toThrow(ofKind('other'))
})

describe('a locked file', () => {
  test('fails writes as busy without a wait, and can still be read', async () => {
    const path = temporaryFile()
    const [holder, connection] = [openTable(path), open(path)]
    holder.exec('BEGIN IMMEDIATE')
    const busy = ofKind('busy')
    expect(() => connection.exec('BEGIN IMMEDIATE')).toThrow(busy)
    expect(() => connection.transaction(() => {})).toThrow(busy)
    expect(() => add(connection, 'x')).toThrow(busy)
    expect(count(connection)).toBe(0n)
  })

  test('is free when the connection that locked it closes, even with open statements', async () => {
    const path = temporaryFile()
    const [holder, connection] = [openTable(path), open(path)]
    holder.rows('SELECT * FROM notes')
    holder.exec('BEGIN EXCLUSIVE')
    expect(() => connection.exec('BEGIN IMMEDIATE')).toThrow(ofKind('busy'))
    holder.close()
    connection.exec('BEGIN EXCLUSIVE')
  })

  test('is awaited without blocking, and only until the time limit', async () => {
    const path = temporaryFile()
    const [holder, connection] = [openTable(path), open(path)]
    holder.exec('BEGIN IMMEDIATE')
    const write = () => connection.transaction(() => add(connection, 'x'))
    await expect(retryWhileBusy(write, 20)).rejects.toThrow(ofKind('busy'))
    const waiting = retryWhileBusy(write, 60_000)
    setImmediate(() => holder.exec('ROLLBACK'))
    await waiting
    expect(count(holder)).toBe(1n)
  })

  test('is retried, and an error of another kind is not', async () => {
    const connection = open(temporaryFile())
    const work = vi.fn(() => connection.exec('nonsense'))
    await expect(retryWhileBusy(work, 60_000)).rejects.toThrow(ofKind('other'))
    expect(work).toHaveBeenCalledOnce()
  })

  test('is not the only reason: what seems damaged is tried once more, because a read that failed looks the same', async () => {
    const damaged = Object.assign(new Error('database disk image is malformed'), {
      code: 'ERR_SQLITE_ERROR'
    })
    const work = vi.fn<() => string>(() => {
      throw damaged
    })
    await expect(retryWhileBusy(work, 60_000)).rejects.toBe(damaged)
    expect(work).toHaveBeenCalledTimes(2)
    work
      .mockImplementationOnce(() => {
        throw damaged
      })
      .mockReturnValueOnce('read')
    expect(await retryWhileBusy(work, 0)).toBe('read')
  })

  test('is no longer awaited after the signal aborts', async () => {
    const path = temporaryFile()
    const [holder, connection] = [openTable(path), open(path)]
    holder.exec('BEGIN IMMEDIATE')
    const aborting = new AbortController()
    const waiting = retryWhileBusy(() => connection.transaction(() => {}), 60_000, aborting.signal)
    aborting.abort()
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('after closing', () => {
  test('every call fails, and nothing is changed', async () => {
    const path = temporaryFile()
    const connection = openTable(path)
    add(connection, 'x')
    connection.exec('DELETE FROM notes')
    connection.close()
    connection.close()
    expect(() => add(connection, 'x')).toThrow()
    expect(() => connection.exec('SELECT 1')).toThrow()
    expect(() => connection.rows('SELECT 1')).toThrow()
    expect(() => connection.transaction(() => {})).toThrow()
    expect(count(open(path))).toBe(0n)
  })

  test('a transaction that closes its own connection is rolled back', async () => {
    const path = temporaryFile()
    const connection = openTable(path)
    const work = () => {
      add(connection, 'x')
      connection.close()
    }
    expect(() => connection.transaction(work)).toThrow('not open')
    expect(count(open(path))).toBe(0n)
  })
})

describe('other faults', () => {
  test('a directory, and a path below a file, cannot be opened', async () => {
    const directory = temporaryDirectory()
    mkdirSync(join(directory, 'place'))
    writeFileSync(join(directory, 'file'), '')
    expect(() => open(join(directory, 'place'))).toThrow(ofKind('disk'))
    expect(() => open(join(directory, 'file', 'x'))).toThrow(ofKind('disk'))
  })

  test('a text file is a damaged database', async () => {
    const path = temporaryFile()
    writeFileSync(path, 'pets '.repeat(1000))
    const connection = open(path)
    expect(() => connection.exec('CREATE TABLE x (y)')).toThrow(ofKind('damaged'))
  })

  test('a syntax error in a statement has the kind other', async () => {
    const connection = open()
    expect(() => connection.exec('SELEC')).toThrow(ofKind('other'))
    expect(() => connection.rows('SELEC')).toThrow(ofKind('other'))
  })
})

describe('the library', () => {
  const withoutOwn = () => {
    const getBuiltinModule = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined)
    onTestFinished(() => getBuiltinModule.mockRestore())
  }

  test('loads without a warning', () => {
    const warn = vi.spyOn(process, 'emitWarning')
    onTestFinished(() => warn.mockRestore())
    open(':memory:')
    expect(warn).not.toHaveBeenCalled()
    expect(process.emitWarning).toBe(warn)
  })

  test('is the package if this Node has no SQLite', () => {
    withoutOwn()
    expect(open(':memory:').rows('SELECT 1 AS one')[0]).toEqual({ one: 1n })
  })

  test('only an error of SQLite has a kind', () => {
    expect(
      sqliteErrorKind(Object.assign(new Error('disk I/O error'), { code: 'EIO' }))
    ).toBeUndefined()
    expect(sqliteErrorKind(undefined)).toBeUndefined()
  })
})
