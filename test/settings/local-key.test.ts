import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { Failure } from '../../src/failure.ts'
import { localKey } from '../../src/settings/store.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { storeWith } from './host.ts'

let directory: string
const store = () => storeWith({ PETSTORE_CONFIG_DIR: directory })
const savedKey = () =>
  JSON.parse(readFileSync(join(directory, 'config.json'), 'utf8')).environments.local.apiKey

beforeEach(() => {
  directory = temporaryDirectory()
})

describe('the API key of the local service', () => {
  test('is created once and saved, and later runs use the same key', async () => {
    const { key, problem } = await localKey(store())
    expect(key).toMatch(/^local_[\w-]{32}$/)
    expect(problem).toBeUndefined()
    expect(savedKey()).toBe(key)
    expect(await localKey(store())).toEqual({ key })
  })

  test('is the same for ten programs that create it at once', async () => {
    const keys = await Promise.all(
      Array.from({ length: 10 }, async () => (await localKey(store())).key)
    )
    expect(new Set(keys)).toEqual(new Set([savedKey()]))
  })

  test('is created for one run if it cannot be saved, and the problem is reported', async () => {
    const { key, problem } = await localKey(storeWith({}))
    expect(key).toMatch(/^local_/)
    expect(problem).toMatchObject({
      code: 'local',
      message: expect.stringContaining('no home directory')
    })
  })

  test('is an error if it cannot be sent', async () => {
    await store().change(() => ({ environments: { local: { apiKey: 'a b' } } }))
    await expect(localKey(store())).rejects.toMatchObject({
      code: 'auth',
      message: expect.stringContaining("the API key saved for 'local'")
    })
  })

  test('is not created if the run is interrupted', async () => {
    const interrupted = new Failure('interrupted', 'interrupted')
    const change = () => Promise.reject(interrupted)
    await expect(localKey({ path: undefined, read: async () => ({}), change })).rejects.toBe(
      interrupted
    )
  })
})
