import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { int64Limits, petStatuses } from '../../src/model/pets.ts'
import type { PetDatabase } from '../../src/service/database.ts'
import { deleteDatabase } from '../../src/service/deletion.ts'
import { localStorageAt } from '../../src/service/local.ts'
import { samplePets } from '../../src/service/schema.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { openDatabase } from './open-database.ts'
import { bundleProgram, runOpeners } from './processes.ts'
import { connect } from './sqlite.ts'

const opened: PetDatabase[] = []

afterEach(async () => {
  for (const database of opened.splice(0)) await database.close()
})

async function open(path: string, samples = false): Promise<PetDatabase> {
  const database = await openDatabase({ path, samples })
  opened.push(database)
  return database
}

function temporaryFile(): string {
  return join(temporaryDirectory(), 'local.db')
}

test('in memory, it needs no working directory', async () => {
  const before = process.cwd()
  const directory = join(temporaryDirectory(), 'deleted')
  mkdirSync(directory)
  process.chdir(directory)
  rmdirSync(directory)
  try {
    const database = await open(':memory:', true)
    expect(await database.list({ limit: 100 })).toHaveLength(samplePets.length)
  } finally {
    process.chdir(before)
  }
})

describe('the data', () => {
  test('pets are listed as they were added, by ascending id', async () => {
    const database = await open(':memory:')
    const first = await database.add({ name: 'a b ', categoryId: int64Limits.maximum })
    const second = await database.add({
      name: '小雪 🐇',
      categoryId: int64Limits.minimum,
      status: 'sold'
    })
    expect(first).toStrictEqual({ id: 1n, name: 'a b ', categoryId: int64Limits.maximum })
    expect(second).toStrictEqual({
      id: 2n,
      name: '小雪 🐇',
      categoryId: int64Limits.minimum,
      status: 'sold'
    })
    expect(await database.list({ limit: 100 })).toStrictEqual([first, second])
    expect(await database.list({ limit: 1 })).toStrictEqual([first])
    expect(await database.list({ status: 'sold', limit: 100 })).toStrictEqual([second])
    expect(await database.get(2n)).toStrictEqual(second)
    expect(await database.get(int64Limits.minimum)).toBeUndefined()
  })

  test('an id is never reused, up to the last int64', async () => {
    const path = temporaryFile()
    const database = await open(path)
    const bare = connect(path)
    bare.rows(
      'INSERT INTO pets (id, name, category_id) VALUES (?, ?, ?)',
      int64Limits.maximum - 1n,
      'x',
      1n
    )[0]
    bare.exec('DELETE FROM pets')
    expect((await database.add({ name: 'last', categoryId: 1n })).id).toBe(int64Limits.maximum)
    bare.exec('DELETE FROM pets')
    await expect(database.add({ name: 'one too many', categoryId: 1n })).rejects.toThrow()
    expect(await database.list({ limit: 100 })).toEqual([])
  })

  test('a new file starts with the sample pets, only once', async () => {
    const path = temporaryFile()
    const pets = await (await open(path, true)).list({ limit: 100 })
    const values = pets.map(({ name, categoryId, status }) => [name, categoryId, status ?? null])
    expect(values).toEqual(samplePets)
    expect(new Set(pets.map(({ status }) => status))).toEqual(new Set([...petStatuses, undefined]))
    expect(pets.some(({ categoryId }) => categoryId > BigInt(Number.MAX_SAFE_INTEGER))).toBe(true)
    connect(path).exec('DELETE FROM pets')
    expect(await (await open(path, true)).list({ limit: 100 })).toEqual([])
  })

  test('a file that started empty stays empty', async () => {
    const path = temporaryFile()
    await open(path, false)
    expect(await (await open(path, true)).list({ limit: 100 })).toEqual([])
  })

  test('two connections see the changes of the other immediately', async () => {
    const path = temporaryFile()
    const [one, other] = [await open(path), await open(path)]
    await one.add({ name: 'by one', categoryId: 1n })
    await other.add({ name: 'by the other', categoryId: 1n })
    const pets = await one.list({ limit: 100 })
    expect(await other.list({ limit: 100 })).toStrictEqual(pets)
    expect(pets.map(({ id }) => id)).toEqual([1n, 2n])
  })

  test('after closing, a single file has all data', async () => {
    const path = temporaryFile()
    const database = await openDatabase({ path, samples: false })
    await database.add({ name: 'saved', categoryId: 1n })
    await database.close()
    const copy = temporaryFile()
    copyFileSync(path, copy)
    expect(await (await open(copy)).list({ limit: 100 })).toEqual([
      { id: 1n, name: 'saved', categoryId: 1n }
    ])
  })

  test('eight programs that create one file at once add the samples once and lose nothing', async () => {
    const directory = temporaryDirectory()
    const opener = await bundleProgram('opener', directory)
    for (const round of ['first', 'second', 'third', 'fourth']) {
      const path = join(directory, round, 'local.db')
      mkdirSync(join(directory, round))
      const ids = (await runOpeners(opener, path, 8, 5)).flat()
      expect(new Set(ids).size).toBe(40)
      const pets = await (await open(path)).list({ limit: 100 })
      expect(pets.slice(0, samplePets.length).map(({ name }) => name)).toEqual(
        samplePets.map(([name]) => name)
      )
      expect(new Set(pets.slice(samplePets.length).map(({ id }) => String(id)))).toEqual(
        new Set(ids)
      )
    }
  }, 120_000)
})

describe('the file', () => {
  test('is private, and so is its directory', async () => {
    const directory = temporaryDirectory()
    const { path } = localStorageAt(join(directory, 'a', 'b', 'local.db'))
    const database = await open(path)
    await database.add({ name: 'x', categoryId: 1n })
    for (const made of ['a', 'a/b'])
      expect(statSync(join(directory, made)).mode & 0o777).toBe(0o700)
    const files = readdirSync(join(directory, 'a', 'b'))
    expect(files).toContain('local.db-wal')
    for (const file of files)
      expect(statSync(join(directory, 'a', 'b', file)).mode & 0o777).toBe(0o600)
  })

  test('is private under any umask', async () => {
    const path = temporaryFile()
    const umask = process.umask(0o777)
    await open(path).finally(() => process.umask(umask))
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('has an identity that it keeps, and no other database has', async () => {
    const [path, other] = [temporaryFile(), temporaryFile()]
    const identity = await (await open(path)).identity()
    expect(identity).toMatch(/^[0-9a-f]{32}$/)
    expect(await (await open(path)).identity()).toBe(identity)
    expect(await (await open(other)).identity()).not.toBe(identity)
  })

  test('of the first version gets an identity', async () => {
    const path = temporaryFile()
    await open(path)
    connect(path).exec('DROP TABLE identity; PRAGMA user_version = 1')
    expect(await (await open(path)).identity()).toMatch(/^[0-9a-f]{32}$/)
  })

  test('has a write-ahead log, and is marked as a petstore database', async () => {
    const path = temporaryFile()
    await open(path)
    const bare = connect(path)
    expect(bare.rows('PRAGMA journal_mode')[0]).toEqual({ journal_mode: 'wal' })
    expect(bare.rows('PRAGMA application_id')[0]).toEqual({
      application_id: BigInt(Buffer.from('Pets').readUInt32BE())
    })
    expect(bare.rows('PRAGMA user_version')[0]).toEqual({ user_version: 2n })
  })

  test('may have any name', async () => {
    const directory = temporaryDirectory()
    for (const name of ['a?mode=ro', 'b#c', '%41', 'file:x', ' ', '小雪']) {
      const database = await open(join(directory, name))
      expect((await database.add({ name: 'x', categoryId: 1n })).id).toBe(1n)
      expect(readdirSync(directory)).toContain(name)
    }
  })

  test('is deleted behind a link, which stays and leads to the next one', async () => {
    const directory = temporaryDirectory()
    const [path, target] = [join(directory, 'local.db'), join(directory, 'elsewhere.db')]
    symlinkSync(target, path)
    writeFileSync(target, 'damaged')
    expect(await deleteDatabase(path)).toEqual({ isDeleted: true, isElsewhere: false })
    expect(readdirSync(directory)).toEqual(['local.db'])
    expect(await deleteDatabase(path)).toEqual({ isDeleted: false, isElsewhere: false })
    await open(path)
    expect(readdirSync(directory)).toContain('elsewhere.db')
  })

  test('is deleted with the side files of SQLite, and nothing else', async () => {
    const path = temporaryFile()
    for (const part of ['', '-journal', '-wal', '-shm', '.old'])
      writeFileSync(`${path}${part}`, 'damaged')
    await deleteDatabase(path)
    expect(readdirSync(join(path, '..'))).toEqual(['local.db.old'])
    await deleteDatabase(path)
    await expect(deleteDatabase(join(path, '..'))).rejects.toMatchObject({ code: 'local' })
  })

  test('is not deleted while it is open, even if idle', async () => {
    const path = temporaryFile()
    const database = await open(path)
    const failure = {
      code: 'local',
      exitCode: 9,
      message: expect.stringMatching(/is using it; nothing was deleted$/)
    }
    await expect(deleteDatabase(path)).rejects.toMatchObject(failure)
    expect(await database.add({ name: 'x', categoryId: 1n })).toEqual(
      await (await open(path)).get(1n)
    )
  })
})

describe('a file of another kind is refused and left unchanged', () => {
  async function petstoreFile(): Promise<Buffer> {
    const path = temporaryFile()
    const database = await openDatabase({ path, samples: true })
    await database.close()
    return readFileSync(path)
  }

  function anotherProgramsFile(journalMode: string): Buffer {
    const path = temporaryFile()
    const bare = connect(path)
    bare.exec(`PRAGMA journal_mode = ${journalMode}`)
    bare.exec('CREATE TABLE notes (text)')
    bare.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    bare.close()
    return readFileSync(path)
  }

  async function newerFile(): Promise<Buffer> {
    const content = Buffer.from(await petstoreFile())
    content.writeUInt32BE(7, 60)
    return content
  }

  test.each<[string, RegExp, () => Buffer | Promise<Buffer>]>([
    ['text', /is not an SQLite database/, () => Buffer.from('{"pets":[]}\n')],
    ['long text', /is not an SQLite database/, () => Buffer.from('pets '.repeat(10_000))],
    ['one byte', /is not an SQLite database/, () => Buffer.from('S')],
    [
      'a truncated head',
      /is not an SQLite database/,
      async () => (await petstoreFile()).subarray(0, 99)
    ],
    [
      'a damaged head',
      /is not an SQLite database/,
      async () => Buffer.from(await petstoreFile()).fill(0, 0, 4)
    ],
    [
      'a database of another program',
      /belongs to another program/,
      () => anotherProgramsFile('DELETE')
    ],
    [
      'a database of another program, with a log',
      /belongs to another program/,
      () => anotherProgramsFile('WAL')
    ],
    [
      'a newer schema',
      /written by a newer version of petstore \(schema 7; this version supports 2\)/,
      newerFile
    ],
    [
      'a truncated file',
      /cannot be used: .*malformed/,
      async () => (await petstoreFile()).subarray(0, 5000)
    ],
    [
      'a damaged schema',
      /cannot be used: .*malformed/,
      async () => Buffer.from(await petstoreFile()).fill(0xff, 100, 4096)
    ]
  ])('%s', async (_, message, contentOf) => {
    const content = await contentOf()
    const path = temporaryFile()
    writeFileSync(path, content)
    const hint = /newer/.test(String(message))
      ? undefined
      : expect.stringMatching(/^mkdir .* && mv /)
    const failure = { code: 'local', exitCode: 9, message: expect.stringMatching(message), hint }
    await expect(open(path)).rejects.toMatchObject(failure)
    await expect(open(path)).rejects.toThrow(path)
    expect(readFileSync(path).equals(content)).toBe(true)
  })

  test('the hint also moves the log, and never overwrites files that it moved before', async () => {
    const directory = join(temporaryDirectory(), "a user's pets")
    mkdirSync(directory)
    const path = join(directory, 'local.db')
    connect(path).exec('PRAGMA journal_mode = WAL; CREATE TABLE notes (text)')
    const parts = readdirSync(directory)
    expect(parts).toEqual(['local.db', 'local.db-shm', 'local.db-wal'])
    const { hint } = await openDatabase({ path, samples: false }).catch(error => error)
    execFileSync('sh', ['-c', hint])
    expect(readdirSync(directory)).toEqual(['set-aside'])
    expect(readdirSync(join(directory, 'set-aside'))).toEqual(parts)
    await open(path)
    expect(() => execFileSync('sh', ['-c', hint], { stdio: 'pipe' })).toThrow(/exists/)
    expect(existsSync(path)).toBe(true)
  })

  test('a newer schema that is only in the log so far', async () => {
    const path = temporaryFile()
    await open(path)
    const newer = connect(path)
    newer.exec('PRAGMA user_version = 7')
    const before = readFileSync(path)
    expect(before.readUInt32BE(60)).toBe(2)
    await expect(open(path)).rejects.toThrow(/written by a newer version of petstore/)
    expect(readFileSync(path).equals(before)).toBe(true)
    expect(newer.rows('PRAGMA user_version')[0]).toEqual({ user_version: 7n })
  })

  test('a directory, a device, a path below a file', async () => {
    const directory = temporaryDirectory()
    await expect(open(directory)).rejects.toThrow(/is a directory/)
    await expect(open('/dev/null')).rejects.toThrow(/is not a regular file/)
    await expect(open('/dev/null/local.db')).rejects.toMatchObject({ code: 'local' })
    expect(readdirSync(directory)).toEqual([])
  })

  test.skipIf(!existsSync('/proc/self'))('a place below /proc, without hanging', async () => {
    await expect(open('/proc/petstore/local.db')).rejects.toMatchObject({ code: 'local' })
  })
})
