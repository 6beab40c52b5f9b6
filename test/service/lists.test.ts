import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Reply } from '../../src/model/exchange.ts'
import { openDatabase } from '../../src/service/database.ts'
import { createLister } from '../../src/service/lists.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { connect } from './sqlite.ts'

async function open() {
  const path = join(temporaryDirectory(), 'local.db')
  const database = await openDatabase(path, { samples: false })
  onTestFinished(() => database.close())
  return { path, database, read: vi.spyOn(database, 'list'), list: createLister(database) }
}

const namesIn = (reply: Reply): string[] =>
  JSON.parse(Buffer.from(reply.body).toString()).map(({ name }: { name: string }) => name)

test('what did not change is read once', async () => {
  const { database, read, list } = await open()
  database.add({ name: 'Rex', categoryId: 1n })
  for (let count = 0; count < 3; count += 1) expect(namesIn(await list({ limit: 20 }))).toEqual(['Rex'])
  expect(read).toHaveBeenCalledTimes(1)
})

test('each question has its own answer', async () => {
  const { database, list } = await open()
  database.add({ name: 'one', categoryId: 1n, status: 'sold' })
  database.add({ name: 'two', categoryId: 1n })
  for (let count = 0; count < 2; count += 1) {
    expect(namesIn(await list({ limit: 20 }))).toEqual(['one', 'two'])
    expect(namesIn(await list({ limit: 1 }))).toEqual(['one'])
    expect(namesIn(await list({ limit: 20, status: 'sold' }))).toEqual(['one'])
    expect(namesIn(await list({ limit: 20, status: 'pending' }))).toEqual([])
  }
})

test('a change is seen at once, whoever made it and however', async () => {
  const { path, database, list } = await open()
  const other = connect(path)
  const expected: string[] = []
  for (let round = 0; round < 5; round += 1) {
    database.add({ name: `own ${round}`, categoryId: 1n })
    expected.push(`own ${round}`)
    expect(namesIn(await list({ limit: 100 }))).toEqual(expected)

    other.prepare('INSERT INTO pets (name, category_id) VALUES (?, 1)').run(`other ${round}`)
    expected.push(`other ${round}`)
    expect(namesIn(await list({ limit: 100 }))).toEqual(expected)

    database.inOneCommit(() => database.add({ name: `group ${round}`, categoryId: 1n }))
    expected.push(`group ${round}`)
    expect(namesIn(await list({ limit: 100 }))).toEqual(expected)
  }
  other.exec('UPDATE pets SET name = upper(name)')
  expect(namesIn(await list({ limit: 100 }))).toEqual(expected.map((name) => name.toUpperCase()))
  other.exec('DELETE FROM pets')
  expect(namesIn(await list({ limit: 100 }))).toEqual([])
})

test('memory stays small: large replies are not remembered, nor are too many', async () => {
  const { database, read, list } = await open()
  database.add({ name: 'x'.repeat(300_000), categoryId: 1n, status: 'sold' })
  await list({ limit: 20 })
  await list({ limit: 20 })
  expect(read).toHaveBeenCalledTimes(2)

  read.mockClear()
  for (let limit = 1; limit <= 100; limit += 1) await list({ limit, status: 'pending' })
  await list({ limit: 1, status: 'pending' })
  expect(read).toHaveBeenCalledTimes(101)
})
