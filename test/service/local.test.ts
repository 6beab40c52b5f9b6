import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { samplePets } from '../../src/service/first-pets.ts'
import { openLocalService } from '../../src/service/local.ts'
import { Sqlite } from '../../src/system/sqlite.ts'
import { temporaryDirectory } from '../support/temp.ts'

const headers = { authorization: 'Bearer local', 'content-type': 'application/json' }
const pet = '{"name":"Rex","categoryId":1}'

function open(path: string) {
  const service = openLocalService(path, () => new Date())
  onTestFinished(service.close)
  const request = async (method: string, path: string, body?: string) => {
    const url = `http://local.invalid${path}`
    const reply = await service.send({ method, url, headers, body })
    const text = Buffer.from(reply.body).toString()
    return { status: reply.status, body: text === '' ? undefined : JSON.parse(text) }
  }
  return { ...service, request }
}

test('it begins with sample pets, keeps what is added, and knows its database again', async () => {
  const path = join(temporaryDirectory(), 'local.db')
  const first = open(path)
  expect((await first.request('GET', '/v1/pets')).body).toHaveLength(samplePets.length)
  const added = await first.request('POST', '/v1/pets', pet)
  expect(added).toMatchObject({ status: 201, body: { id: samplePets.length + 1 } })
  const identity = await first.identity()
  const second = open(path)
  expect(await second.request('GET', `/v1/pets/${added.body.id}`)).toMatchObject({ status: 200 })
  expect(await second.identity()).toBe(identity)
  expect(await open(join(temporaryDirectory(), 'local.db')).identity()).not.toBe(identity)
})

test('it has no reset, and HEAD has no body', async () => {
  const { request } = open(':memory:')
  expect((await request('POST', '/_local/reset')).status).toBe(409)
  expect(await request('HEAD', '/v1/pets')).toEqual({ status: 200, body: undefined })
})

test('a lock of another program is a reply that can be tried again, and a lost file a failure', async () => {
  const path = join(temporaryDirectory(), 'local.db')
  const { request } = open(path)
  const other = new Sqlite(path)
  onTestFinished(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  expect((await request('POST', '/v1/pets', pet)).status).toBe(503)
  expect((await request('GET', '/v1/pets')).status).toBe(200)
  other.exec('ROLLBACK')
  rmSync(path)
  await expect(request('POST', '/v1/pets', pet)).rejects.toMatchObject({ code: 'local' })
})
