import {
  chownSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Sqlite } from '../../src/system/sqlite.ts'
import { needs } from '../support/needs.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { rex, startService } from './running-service.ts'

const newPath = () => join(temporaryDirectory(), 'pets.db')

/** Another program, which uses the same file. */
function connect(path: string): Sqlite {
  const other = new Sqlite(path)
  onTestFinished(() => other.close())
  return other
}

const namesIn = (sqlite: Sqlite) => sqlite.rows('SELECT name FROM pets').map(({ name }) => name)
const insert = "INSERT INTO pets (name, category_id) VALUES ('Other', 1)"

describe('another program', () => {
  test('sees a pet when it is confirmed, and its own pets are listed at once', async () => {
    const path = newPath()
    const { post, send } = await startService({ path })
    await post('/v1/pets', rex)
    const other = connect(path)
    expect(namesIn(other)).toEqual(['Rex'])
    expect((await send('GET /v1/pets')).body).toHaveLength(1)
    other.exec(insert)
    expect((await send('GET /v1/pets')).body).toMatchObject([{ id: 1 }, { id: 2, name: 'Other' }])
    other.exec("UPDATE pets SET name = 'Renamed' WHERE id = 1")
    expect((await send('GET /v1/pets/1')).body).toMatchObject({ name: 'Renamed' })
  })

  test('that holds the file makes writes 503, while reads go on', async () => {
    const path = newPath()
    const { post, send } = await startService({ path })
    const other = connect(path)
    other.exec('BEGIN IMMEDIATE')
    const writing = [post('/v1/pets', rex), post('/messages', { message: 'Hello' })]
    expect((await send('GET /v1/pets')).status).toBe(200)
    expect((await post('/v1/pets', { name: 'Rex' })).status).toBe(400)
    for (const { status, headers } of await Promise.all(writing))
      expect([status, headers['retry-after']]).toEqual([503, '1'])
    const later = post('/v1/pets', rex)
    await send('GET /v1/pets')
    other.exec('ROLLBACK')
    expect(await later).toMatchObject({ status: 201, body: { id: 1 } })
  })
})

describe('a file that is lost', () => {
  test.each([
    ['deleted', () => {}],
    ['replaced', (path: string) => writeFileSync(path, 'another file')]
  ])('by being %s makes a POST 500, and nothing is written', async (_, lose) => {
    const path = newPath()
    const { post, failures } = await startService({ path })
    expect((await post('/v1/pets', rex)).status).toBe(201)
    renameSync(path, `${path}.old`)
    lose(path)
    const both = await Promise.all([post('/v1/pets', rex), post('/v1/pets', rex)])
    expect(both.map(({ status }) => status)).toEqual([500, 500])
    for (const message of failures) expect(message).toContain(`${path} was deleted or replaced`)
    expect(existsSync(path) ? readFileSync(path, 'utf8') : 'another file').toBe('another file')
    rmSync(path, { force: true })
    renameSync(`${path}.old`, path)
    expect(namesIn(connect(path))).toEqual(['Rex'])
  })

  test('in its latest commits makes a POST 500', async () => {
    const path = newPath()
    const { post } = await startService({ path })
    expect((await post('/v1/pets', rex)).status).toBe(201)
    rmSync(`${path}-wal`)
    expect((await post('/v1/pets', rex)).status).toBe(500)
  })
})

describe('a file', () => {
  const notes = 'CREATE TABLE notes (text)'

  test('that is new is private, and begins with the first pets', async () => {
    const path = newPath()
    const firstPets = [{ id: 5n, name: 'A', categoryId: 1n }]
    const { send } = await startService({ path, firstPets })
    expect((await send('GET /v1/pets')).body).toEqual([{ id: 5, name: 'A', categoryId: 1 }])
    for (const suffix of ['', '-wal', '-shm']) expect(statSync(path + suffix).mode & 0o077).toBe(0)
  })

  test.each([
    ['that is no database', (path: string) => writeFileSync(path, 'notes\n'.repeat(500))],
    ['of another program', (path: string) => connect(path).exec(notes)],
    [
      'of another release',
      (path: string) =>
        connect(path).exec(`${notes}; PRAGMA application_id = 0x50657473; PRAGMA user_version = 99`)
    ]
  ])('%s is refused', async (_, make) => {
    const path = newPath()
    make(path)
    await expect(startService({ path })).rejects.toMatchObject({ code: 'local' })
  })

  needs('root')('of another user', () => {
    test('is refused', async () => {
      const path = newPath()
      writeFileSync(path, '')
      chownSync(path, 54_321, 54_321)
      await expect(startService({ path })).rejects.toMatchObject({
        code: 'local',
        message: expect.stringContaining('belongs to another user')
      })
    })
  })
})
