import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Failure } from '../../src/failure.ts'
import { parseJson } from '../../src/model/json.ts'
import { applicationId } from '../../src/service/database-file.ts'
import { openLocalService } from '../../src/service/local.ts'
import { routes } from '../../src/service/routes.ts'
import { samplePets } from '../../src/service/schema.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { bundleProgram, runAsOrdinaryUser } from './processes.ts'
import { connect } from './sqlite.ts'

type LocalService = ReturnType<typeof openLocalService>

function open(path: string | Failure): LocalService {
  const service = openLocalService(path, () => new Date())
  onTestFinished(() => service.close())
  return service
}

/** It has opened its database, or created it. */
async function used(path: string): Promise<LocalService> {
  const service = open(path)
  await send(service, 'GET')
  return service
}

async function send(service: LocalService, method: string, body?: string): Promise<unknown> {
  const headers = { authorization: 'Bearer local', 'content-type': 'application/json' }
  const reply = await service.send({ method, url: 'http://localhost/v1/pets', headers, body })
  return parseJson(Buffer.from(reply.body).toString())
}

test('an added pet is still there after the data is opened again', async () => {
  const path = join(temporaryDirectory(), 'petstore', 'local.db')
  const first = open(path)
  expect(first.isOnDisk).toBe(true)
  const added = await send(first, 'POST', '{"name":"Rex","categoryId":9007199254740993}')
  await first.close()
  expect(await send(first, 'GET')).toMatchObject({
    message: expect.stringContaining('the database is closed')
  })
  const second = open(path)
  expect(await send(second, 'GET')).toContainEqual(added)
  expect(await send(second, 'GET')).toHaveLength(samplePets.length + 1)
})

test('without a home directory, the data is in memory, and every change is refused', async () => {
  const reason = new Failure('local', 'this user has no home directory')
  const service = open(reason)
  expect(service).toMatchObject({ isOnDisk: false, problem: reason })
  await expect(send(service, 'POST', '{"name":"Rex","categoryId":1}')).rejects.toBe(reason)
  expect(await send(service, 'GET')).toHaveLength(samplePets.length)
})

test.each(['/dev/null/petstore/local.db', '/proc/petstore/local.db'])(
  'at %s, the data is in memory',
  async path => {
    const service = open(path)
    expect(service.isOnDisk).toBe(false)
    expect(await send(service, 'GET')).toHaveLength(samplePets.length)
  }
)

test.each(['local.db', 'petstore/local.db'])(
  'for %s in a read-only home, the data is in memory',
  async name => {
    const home = temporaryDirectory()
    const program = await bundleProgram('local-opener', home)
    const before = readdirSync(home)
    chmodSync(home, 0o555)
    const output = await runAsOrdinaryUser(program, join(home, name))
    expect(JSON.parse(output)).toEqual({ isOnDisk: false, status: 200 })
    expect(readdirSync(home)).toEqual(before)
  }
)

test('a database that cannot be written is read, and refuses every change', async () => {
  const path = join(temporaryDirectory(), 'local.db')
  await (await used(path)).close()
  chmodSync(path, 0o400)
  const { send: transmit, problem } = open(path)
  expect(problem?.message).toContain('is read-only')
  const changes = routes.filter(({ method }) => method !== 'GET')
  expect(changes.length).toBeGreaterThan(1)
  for (const { method, path: template } of changes) {
    const url = `http://localhost${template.replace(/\{\w+\}/g, '1')}`
    const headers = { authorization: 'Bearer local', 'content-type': 'application/json' }
    // Fits the body of every change.
    const body = '{"name":"Rex","categoryId":1,"message":"hello"}'
    await expect(transmit({ method, url, headers, body }), `${method} ${template}`).rejects.toBe(
      problem
    )
  }
  expect(await send(open(path), 'GET')).toHaveLength(samplePets.length)
})

test('a database that is locked while it is opened answers 503 until it is free', async () => {
  const path = join(temporaryDirectory(), 'local.db')
  const other = connect(path)
  other.exec(`PRAGMA application_id = ${applicationId}; BEGIN EXCLUSIVE`)
  const service = open(path)
  expect(service).toMatchObject({ isOnDisk: true, problem: undefined })
  const pet = '{"name":"Rex","categoryId":1}'
  expect(await send(service, 'POST', pet)).toMatchObject({ status: 503 })
  await expect(service.identity()).rejects.toMatchObject({ code: 'local', isRetryable: true })
  other.exec('ROLLBACK')
  expect(await send(service, 'GET')).toHaveLength(samplePets.length)
})

test('a file that cannot be used is a failure, not replaced by data in memory', async () => {
  const directory = temporaryDirectory()
  const corrupt = join(directory, 'corrupt.db')
  writeFileSync(corrupt, 'not a database')
  const failure = { code: 'local', exitCode: 9 }
  await expect(used(corrupt)).rejects.toMatchObject({
    ...failure,
    message: expect.stringContaining(corrupt)
  })
  mkdirSync(join(directory, 'directory.db'))
  await expect(used(join(directory, 'directory.db'))).rejects.toMatchObject(failure)
})

test('a file that cannot be read is a failure too', async () => {
  const directory = temporaryDirectory()
  const program = await bundleProgram('local-opener', directory)
  const path = join(directory, 'unreadable.db')
  writeFileSync(path, '', { mode: 0o000 })
  chmodSync(directory, 0o777)
  expect(JSON.parse(await runAsOrdinaryUser(program, path))).toEqual({ failure: 'local' })
})

test('a database error during use is a failure, not a reply that leaves a pet in doubt', async () => {
  const path = join(temporaryDirectory(), 'local.db')
  const service = await used(path)
  connect(path).exec('DROP TABLE pets')
  const failure = { code: 'local', exitCode: 9, message: expect.stringContaining(path) }
  await expect(send(service, 'POST', '{"name":"Rex","categoryId":1}')).rejects.toMatchObject(
    failure
  )
  await expect(send(service, 'GET')).rejects.toMatchObject(failure)
})
