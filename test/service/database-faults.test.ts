import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Reply } from '../../src/model/exchange.ts'
import { parseJson } from '../../src/model/json.ts'
import { openDatabase, type PetDatabase } from '../../src/service/database.ts'
import { applicationId } from '../../src/service/database-file.ts'
import { createHandler } from '../../src/service/router.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { incoming } from './incoming.ts'
import { connect } from './sqlite.ts'

async function addPet(database: PetDatabase): Promise<Reply> {
  const handler = createHandler({ database, acceptsKey: () => true, now: () => new Date() })
  const headers = { authorization: 'Bearer x', 'content-type': 'application/json' }
  const request = { method: 'POST', url: 'http://local/v1/pets', headers, body: '{"name":"Rex","categoryId":1}' }
  return handler(incoming(request))
}

function bodyOf(reply: Reply): unknown {
  return parseJson(Buffer.from(reply.body).toString())
}

test('a file that another program locks for too long is 503 with Retry-After, and nothing is added', async () => {
  const path = join(temporaryDirectory(), 'local.db')
  const database = await openDatabase(path, { samples: false })
  onTestFinished(() => database.close())
  const other = connect(path)
  other.exec('BEGIN IMMEDIATE')
  const reply = await addPet(database)
  other.exec('ROLLBACK')
  expect(reply.status).toBe(503)
  expect(reply.headers['retry-after']).toBe('1')
  expect(bodyOf(reply)).toEqual({ code: 'busy', message: expect.any(String), status: 503 })
  expect(await database.list({ limit: 100 })).toEqual([])
}, 30_000)

test('a file that is locked while it is opened is 9: try again, and move nothing', async () => {
  const path = join(temporaryDirectory(), 'local.db')
  const other = connect(path)
  other.exec('CREATE TABLE notes (text)')
  other.pragma('user_version = 0')
  other.pragma(`application_id = ${applicationId}`)
  other.exec('BEGIN EXCLUSIVE')
  await expect(openDatabase(path, { samples: false })).rejects.toMatchObject({
    exitCode: 9,
    isRetryable: true,
    hint: undefined,
    message: `another program holds the database ${path}; nothing was changed`,
  })
  other.exec('ROLLBACK')
  expect(await (await openDatabase(path, { samples: false })).list({ limit: 1 })).toEqual([])
}, 30_000)

test('a database that fails is 500 without Retry-After', async () => {
  const path = join(temporaryDirectory(), 'local.db')
  const database = await openDatabase(path, { samples: false })
  onTestFinished(() => database.close())
  const other = connect(path)
  other.exec('DROP TABLE pets')
  const reply = await addPet(database)
  expect(reply.status).toBe(500)
  expect(reply.headers['retry-after']).toBeUndefined()
  expect(bodyOf(reply)).toEqual({ code: 'internal', message: expect.stringContaining('no such table'), status: 500 })
  expect(String(reply.body)).not.toContain(path)
})
