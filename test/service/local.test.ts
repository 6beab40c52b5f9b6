import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { samplePets } from '../../src/service/first-pets.ts'
import { openLocalService } from '../../src/service/local.ts'
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
