import { existsSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Failure } from '../../src/failure.ts'
import type { Reply } from '../../src/model/exchange.ts'
import { parseJson } from '../../src/model/json.ts'
import type { PetDatabase } from '../../src/service/database.ts'
import { applicationId } from '../../src/service/database-file.ts'
import { createHandler } from '../../src/service/router.ts'
import { samplePets } from '../../src/service/schema.ts'
import { patienceMilliseconds } from '../../src/service/shared-database.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { incoming } from './incoming.ts'
import { openDatabase } from './open-database.ts'
import { type RunningService, startService } from './running-service.ts'
import { connect } from './sqlite.ts'

const pet = '{"name":"Rex","categoryId":1}'

async function addPet(database: PetDatabase): Promise<Reply> {
  const handler = createHandler({ database, acceptsKey: () => true, now: () => new Date() })
  const headers = { authorization: 'Bearer x', 'content-type': 'application/json' }
  return handler(incoming({ method: 'POST', url: 'http://local/v1/pets', headers, body: pet }))
}

function bodyOf(reply: Reply): unknown {
  return parseJson(Buffer.from(reply.body).toString())
}

async function start(): Promise<{ service: RunningService; path: string }> {
  const path = join(temporaryDirectory(), 'pets.db')
  const service = await startService({ data: path })
  onTestFinished(() => service.close())
  return { service, path }
}

const add = (service: RunningService) => service.send('POST', '/v1/pets', { body: pet })
const namesIn = (path: string) => connect(path).rows('SELECT name FROM pets')

describe('a file that another program has locked', () => {
  test('can be read while changes wait', async () => {
    const path = join(temporaryDirectory(), 'pets.db')
    const database = await openDatabase({ path, samples: true })
    onTestFinished(() => database.close())
    const other = connect(path)
    other.exec('BEGIN IMMEDIATE')
    const changes = [addPet(database), addPet(database)]
    // These reads could not finish if the wait blocked this thread.
    await new Promise(resolve => setTimeout(resolve, 30))
    expect(await database.list({ limit: 100 })).toHaveLength(samplePets.length)
    expect(await database.get(1n)).toMatchObject({ id: 1n })
    other.exec('ROLLBACK')
    for (const { status } of await Promise.all(changes)) expect(status).toBe(201)
  })

  test('rejects changes with 503 and Retry-After within a second, and nothing is added', async () => {
    const { service, path } = await start()
    expect((await add(service)).status).toBe(201)
    const other = connect(path)
    other.exec('BEGIN IMMEDIATE')
    const beginning = performance.now()
    for (const { status, headers, body } of await Promise.all(
      Array.from({ length: 8 }, () => add(service))
    )) {
      expect({ status, retryAfter: headers['retry-after'] }).toEqual({
        status: 503,
        retryAfter: '1'
      })
      expect(JSON.parse(body)).toEqual({ code: 'busy', message: expect.any(String), status: 503 })
    }
    expect(patienceMilliseconds).toBeLessThan(1000)
    // The waits would take much longer one after the other, or in SQLite itself.
    expect(performance.now() - beginning).toBeLessThan(15_000)
    other.exec('ROLLBACK')
    expect((await add(service)).status).toBe(201)
    expect(namesIn(path)).toHaveLength(2)
  })

  test('is no longer awaited after the database is closed', async () => {
    const path = join(temporaryDirectory(), 'pets.db')
    const database = await openDatabase({ path, samples: false })
    const other = connect(path)
    other.exec('BEGIN IMMEDIATE')
    const added = addPet(database)
    await new Promise(resolve => setTimeout(resolve, 20))
    await database.close()
    expect((await added).status).toBe(500)
    other.exec('ROLLBACK')
    expect(namesIn(path)).toEqual([])
  })

  test('at opening is a failure that can be retried, with exit code 9 and without a hint', async () => {
    const path = join(temporaryDirectory(), 'local.db')
    const other = connect(path)
    other.exec('CREATE TABLE notes (text)')
    other.exec(`PRAGMA user_version = 0; PRAGMA application_id = ${applicationId}`)
    other.exec('BEGIN EXCLUSIVE')
    await expect(openDatabase({ path, samples: false })).rejects.toMatchObject({
      exitCode: 9,
      isRetryable: true,
      hint: undefined,
      message: `another program has locked the database ${path}; nothing was changed`
    })
    const interruption = new AbortController()
    const opening = openDatabase({ path, samples: false }, interruption.signal)
    const interrupted = new Error('interrupted')
    setImmediate(() => interruption.abort(interrupted))
    await expect(opening).rejects.toBe(interrupted)
    other.exec('ROLLBACK')
    expect(await (await openDatabase({ path, samples: false })).list({ limit: 1 })).toEqual([])
  }, 30_000)

  test('is opened as soon as it is unlocked, even if reads were locked too', async () => {
    const path = join(temporaryDirectory(), 'local.db')
    const other = connect(path)
    other.exec(
      `CREATE TABLE notes (text); PRAGMA application_id = ${applicationId}; BEGIN EXCLUSIVE`
    )
    const opening = openDatabase({ path, samples: true })
    await new Promise(resolve => setTimeout(resolve, 30))
    other.exec('ROLLBACK')
    const database = await opening
    onTestFinished(() => database.close())
    expect(await database.list({ limit: 100 })).toHaveLength(samplePets.length)
  })
})

describe('a file that is lost while the service runs', () => {
  const parts = (path: string) => ['', '-wal', '-shm'].map(suffix => `${path}${suffix}`)
  const contents = (path: string) => parts(path).map(part => readFileSync(part))

  const losses: [string, (path: string) => void][] = [
    ['deleted', path => parts(path).forEach(part => void rmSync(part))],
    ['deleted without its log', path => rmSync(path)],
    ['only its log deleted', path => rmSync(`${path}-wal`)],
    ['moved away', path => renameSync(path, `${path}.moved`)]
  ]

  test.each(losses)(
    '%s: every request that uses it returns 500 and is reported',
    async (_, lose) => {
      const { service, path } = await start()
      expect((await add(service)).status).toBe(201)
      lose(path)
      for (const [method, target, options] of [
        ['POST', '/v1/pets', { body: pet }],
        ['GET', '/v1/pets', {}],
        ['GET', '/v1/pets/1', {}],
        ['POST', '/messages', { body: '{"message":"hello"}' }]
      ] as const) {
        const { status, headers, body } = await service.send(method, target, options)
        expect({ status, retryAfter: headers['retry-after'] }).toEqual({
          status: 500,
          retryAfter: undefined
        })
        expect(body).toContain('deleted or replaced')
        expect(body).not.toContain(path)
      }
      const message = `the database ${path} was deleted or replaced while it was open; nothing was written`
      expect(service.failures).toEqual([message, message, message, message])
      expect((await service.send('GET', '/health')).status).toBe(200)
    }
  )

  test('nothing is written to the lost file or to its replacement, not even at closing', async () => {
    const path = join(temporaryDirectory(), 'pets.db')
    const service = await startService({ data: path })
    await add(service)
    const moved = `${path}.moved`
    for (const [index, part] of parts(path).entries()) renameSync(part, parts(moved)[index] ?? '')
    const other = await openDatabase({ path, samples: true })
    await other.list({ limit: 1 })
    const before = [contents(moved), contents(path)]
    expect((await add(service)).status).toBe(500)
    await service.close()
    expect([contents(moved), contents(path)]).toEqual(before)
    await other.close()
    expect(namesIn(moved)).toHaveLength(1)
  })

  test('nothing is made in its place when a locked database is opened again', async () => {
    const path = join(temporaryDirectory(), 'pets.db')
    const database = await openDatabase({ path, samples: true })
    onTestFinished(() => database.close())
    const beginning = performance.now()
    const reading = database.read(() => {
      // This is the last try before the connection is closed and opened again.
      if (performance.now() - beginning > patienceMilliseconds)
        for (const part of parts(path)) rmSync(part)
      throw Object.assign(new Error('database is locked'), { code: 'ERR_SQLITE_ERROR' })
    })
    await expect(reading).rejects.toThrow('was deleted or replaced')
    expect(existsSync(path)).toBe(false)
  })

  test('a file that cannot be looked at is not a lost file', async () => {
    const { service, path } = await start()
    renameSync(path, `${path}.moved`)
    // Like an I/O error, a link that leads to itself says nothing about the file.
    symlinkSync(path, path)
    expect((await add(service)).status).toBe(500)
    expect(service.failures).toEqual([
      `the database ${path} cannot be checked: too many symbolic links encountered`
    ])
    rmSync(path)
    renameSync(`${path}.moved`, path)
    expect((await add(service)).status).toBe(201)
  })

  test.each<[string, string, (path: string) => void]>([
    ['moved away', 'deleted or replaced', path => renameSync(path, `${path}.moved`)],
    [
      'not to be looked at',
      'cannot be checked: too many symbolic links',
      path => {
        renameSync(path, `${path}.moved`)
        symlinkSync(path, path)
      }
    ]
  ])(
    '%s while a change is made: the outcome is not certain, and the cause is true',
    async (_, cause, lose) => {
      const path = join(temporaryDirectory(), 'pets.db')
      const database = await openDatabase({ path, samples: false })
      const error = await database.write(() => lose(path)).catch(reason => reason)
      expect(error).not.toBeInstanceOf(Failure)
      expect(error.message).toBe(
        'after the change, the database was not in its place or could not be checked'
      )
      expect(error.cause.message).toContain(cause)
    }
  )

  test('the service works again when the file is back', async () => {
    const { service, path } = await start()
    renameSync(path, `${path}.moved`)
    expect((await add(service)).status).toBe(500)
    renameSync(`${path}.moved`, path)
    expect((await add(service)).status).toBe(201)
    expect(namesIn(path)).toHaveLength(1)
  })
})

test('a closed database rejects each call', async () => {
  const database = await openDatabase({
    path: join(temporaryDirectory(), 'pets.db'),
    samples: false
  })
  const added = database.add({ name: 'in progress', categoryId: 1n })
  const closing = database.close()
  expect(await added).toMatchObject({ id: 1n })
  await closing
  await expect(database.add({ name: 'late', categoryId: 1n })).rejects.toThrow(
    'the database is closed'
  )
  await expect(database.addMessage('late', new Date())).rejects.toThrow('the database is closed')
  await expect(database.list({ limit: 1 })).rejects.toThrow('the database is closed')
  await expect(database.get(1n)).rejects.toThrow('the database is closed')
  await database.close()
})

test('a database error returns 500 without Retry-After', async () => {
  const path = join(temporaryDirectory(), 'local.db')
  const database = await openDatabase({ path, samples: false })
  onTestFinished(() => database.close())
  const other = connect(path)
  other.exec('DROP TABLE pets')
  const reply = await addPet(database)
  expect(reply.status).toBe(500)
  expect(reply.headers['retry-after']).toBeUndefined()
  expect(bodyOf(reply)).toEqual({
    code: 'internal',
    message: expect.stringContaining('no such table'),
    status: 500
  })
  expect(String(reply.body)).not.toContain(path)
})
