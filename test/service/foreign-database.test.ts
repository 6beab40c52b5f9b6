import {
  chownSync,
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { applicationId } from '../../src/service/database-file.ts'
import { deleteDatabase } from '../../src/service/deletion.ts'
import { needs } from '../support/needs.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { openDatabase } from './open-database.ts'
import { connect } from './sqlite.ts'

const anotherUser = 54_321

async function madeDatabase(): Promise<string> {
  const path = join(temporaryDirectory(), 'pets.db')
  const original = `${path}.original`
  await (await openDatabase({ path: original, samples: true })).close()
  // On Node 20, a closed connection holds its file until the process ends, but not a copy.
  copyFileSync(original, path)
  return path
}

async function open(path: string) {
  const database = await openDatabase({ path, samples: true })
  onTestFinished(() => database.close())
  return database
}

/** A database with our mark whose schema is of its maker's choice. */
function crafted(sql: string): string {
  const path = join(temporaryDirectory(), 'pets.db')
  const bare = connect(path)
  bare.exec(`${sql}; PRAGMA application_id = ${applicationId}; PRAGMA user_version = 2`)
  bare.close()
  return path
}

describe('a database of another user is not opened', () => {
  needs('root')('as root', () => {
    test.each(['', '-journal', '-wal', '-shm'])('its file pets.db%s', async suffix => {
      const path = await madeDatabase()
      const file = `${path}${suffix}`
      if (!existsSync(file)) writeFileSync(file, '')
      chownSync(file, anotherUser, anotherUser)
      const before = readFileSync(path)
      const failure = {
        code: 'local',
        message: `${file} belongs to another user (54321) and was not opened: run petstore as that user`,
        hint: `ls -l ${file}`
      }
      await expect(open(path)).rejects.toMatchObject(failure)
      expect(readFileSync(path).equals(before)).toBe(true)
    })
  })

  test.each(['-journal', '-wal', '-shm'])(
    'nor is a file that has another name written as its %s',
    async suffix => {
      const path = await madeDatabase()
      const diary = join(dirname(path), 'diary')
      writeFileSync(diary, 'important')
      rmSync(`${path}${suffix}`, { force: true })
      linkSync(diary, `${path}${suffix}`)
      await expect(open(path)).rejects.toMatchObject({
        code: 'local',
        message: `${path}${suffix} has a second name (hard link) and was not opened`
      })
      expect(readFileSync(diary, 'utf8')).toBe('important')
    }
  )

  test('nor is a journal that makes SQLite delete another file', async () => {
    const path = await madeDatabase()
    const victim = join(dirname(path), 'victim')
    writeFileSync(victim, 'important')
    const { header, end } = hostileJournal(victim, statSync(path).size / 4096)
    writeFileSync(`${path}-journal`, Buffer.concat([header, end]))
    await expect(open(path)).rejects.toMatchObject({
      code: 'local',
      message: expect.stringContaining('-journal names another file, which SQLite would delete')
    })
    expect(existsSync(victim)).toBe(true)
    // The same bytes are a journal to SQLite, which ends it, and on some versions the victim too.
    connect(path).exec('SELECT * FROM pets')
    expect(existsSync(`${path}-journal`)).toBe(false)
  })
})

/** A rollback journal without a page, and the name of a super-journal behind it. */
function hostileJournal(victim: string, pages = 0): { header: Buffer; end: Buffer } {
  const magic = Buffer.from('d9d505f920a163d7', 'hex')
  const header = Buffer.alloc(512)
  magic.copy(header)
  header.writeUInt32BE(pages, 16)
  header.writeUInt32BE(512, 20)
  header.writeUInt32BE(4096, 24)
  const name = Buffer.from(victim)
  const numbers = Buffer.alloc(12)
  numbers.writeUInt32BE(name.length, 4)
  numbers.writeUInt32BE(
    name.reduce((sum, byte) => sum + byte, 0),
    8
  )
  return {
    header,
    end: Buffer.concat([numbers.subarray(0, 4), name, numbers.subarray(4), magic])
  }
}

describe('a file with a second hard link', () => {
  test('is not opened', async () => {
    const path = await madeDatabase()
    const second = join(dirname(path), 'second.db')
    linkSync(path, second)
    for (const name of [path, second]) {
      await expect(open(name)).rejects.toMatchObject({
        code: 'local',
        message: `${name} has a second name (hard link) and was not opened`,
        hint: `ls -li ${name}`
      })
    }
    expect(await deleteDatabase(second)).toEqual({ isDeleted: true, isElsewhere: true })
    expect(await (await open(path)).list({ limit: 1 })).toHaveLength(1)
  })
})

describe('tables that petstore did not make are not read', () => {
  const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT'
  const ourPets = `CREATE TABLE pets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    category_id INTEGER NOT NULL,
    status TEXT CHECK (status IN ('available', 'pending', 'sold'))
  ) STRICT`

  test.each<[what: string, sql: string, name: string]>([
    [
      'an endless view',
      `CREATE VIEW pets AS ${endless} i AS id, 'x' AS name, 1 AS category_id, NULL AS status FROM n`,
      'pets'
    ],
    [
      'a view under a name in capitals',
      'CREATE VIEW Messages AS SELECT hex(zeroblob(250000000)) AS message, 1 AS id',
      'Messages'
    ],
    [
      'a check of its own',
      'CREATE TABLE pets (id INTEGER PRIMARY KEY, name, category_id, status, CHECK (hex(zeroblob(9)) > name))',
      'pets'
    ],
    [
      'a trigger',
      `${ourPets}; CREATE TRIGGER slow AFTER INSERT ON pets BEGIN ${endless} i FROM n; END`,
      'slow'
    ],
    ['an index on an expression', `${ourPets}; CREATE INDEX slow ON pets (hex(name))`, 'slow'],
    ['another table under our index', 'CREATE TABLE pets_by_status (x)', 'pets_by_status']
  ])('%s', async (_what, sql, name) => {
    const path = crafted(sql)
    const before = readFileSync(path)
    await expect(open(path)).rejects.toMatchObject({
      code: 'local',
      message: expect.stringContaining(`index that petstore did not make: '${name}'`),
      hint: expect.stringMatching(/^mkdir .* && mv /)
    })
    expect(readFileSync(path).equals(before)).toBe(true)
    expect(readdirSync(dirname(path))).toEqual(['pets.db'])
  })

  test('a table under another name does no harm', async () => {
    const path = await madeDatabase()
    connect(path).exec('CREATE TABLE notes (text)')
    expect(await (await open(path)).list({ limit: 1 })).toHaveLength(1)
  })
})

test('a file that lost its head in a power cut while it was made is repaired by SQLite', async () => {
  const path = join(temporaryDirectory(), 'pets.db')
  writeFileSync(path, Buffer.alloc(8192))
  // The journal of a transaction that began with an empty file.
  const { header } = hostileJournal('')
  writeFileSync(`${path}-journal`, header)
  expect(await (await open(path)).list({ limit: 100 })).toHaveLength(10)
})
