import { chmodSync, copyFileSync, mkdirSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Failure } from '../../src/failure.ts'
import type { PetDatabase } from '../../src/service/database.ts'
import { samplePets } from '../../src/service/schema.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { openDatabase } from './open-database.ts'

const refusal = new Failure('local', 'read-only')

async function madeDatabase(): Promise<string> {
  const home = temporaryDirectory()
  const [original, path] = [join(home, 'original.db'), join(home, 'data', 'local.db')]
  await (await openDatabase({ path: original, samples: true })).close()
  mkdirSync(dirname(path))
  // On Node 20, a closed connection holds its file until the process ends, but not a copy.
  copyFileSync(original, path)
  return path
}

/** Makes the directory read-only, as far as that stops this user. */
function withoutWriting(path: string): void {
  const directory = dirname(path)
  chmodSync(directory, 0o500)
  onTestFinished(() => chmodSync(directory, 0o700))
}

async function openReader(path: string): Promise<PetDatabase> {
  const database = await openDatabase({ path, samples: false, refusal })
  onTestFinished(() => database.close())
  return database
}

test('a database at rest is read without any new file', async () => {
  const path = await madeDatabase()
  withoutWriting(path)
  const before = readdirSync(dirname(path))
  const database = await openReader(path)
  expect(await database.list({ limit: 100 })).toHaveLength(samplePets.length)
  expect(await database.identity()).toMatch(/^[0-9a-f]{32}$/)
  await expect(database.add({ name: 'x', categoryId: 1n })).rejects.toBe(refusal)
  await database.close()
  expect(readdirSync(dirname(path))).toEqual(before)
})

test('what another program has just written is read from its log', async () => {
  const path = await madeDatabase()
  const writer = await openDatabase({ path, samples: false })
  onTestFinished(() => writer.close())
  await writer.add({ name: 'new', categoryId: 1n })
  withoutWriting(path)
  const database = await openReader(path)
  expect(await database.list({ limit: 100 })).toHaveLength(samplePets.length + 1)
  await writer.add({ name: 'newer', categoryId: 1n })
  expect(await database.list({ limit: 100 })).toHaveLength(samplePets.length + 2)
})

test('a program that begins to write ends the reading of a database at rest', async () => {
  const path = await madeDatabase()
  const database = await openReader(path)
  await database.list({ limit: 1 })
  const writer = await openDatabase({ path, samples: false })
  onTestFinished(() => writer.close())
  await expect(database.list({ limit: 1 })).rejects.toMatchObject({
    code: 'local',
    isRetryable: true,
    message: `the database ${path} is in use by another program, and cannot be read safely without write access`
  })
})
