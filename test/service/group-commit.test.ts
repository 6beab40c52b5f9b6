import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createGroupCommit } from '../../src/service/group-commit.ts'
import { Sqlite } from '../../src/system/sqlite.ts'
import { temporaryDirectory } from '../support/temp.ts'

function open() {
  const path = join(temporaryDirectory(), 'test.db')
  const [connection, other] = [new Sqlite(path), new Sqlite(path)]
  onTestFinished(() => {
    connection.close()
    other.close()
  })
  connection.exec(
    'PRAGMA journal_mode = WAL; CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT)'
  )
  const transaction = vi.spyOn(connection, 'transaction')
  const commit = createGroupCommit(work => connection.transaction(work))
  const names = () =>
    other.rows<{ name: string }>('SELECT name FROM pets ORDER BY id').map(({ name }) => name)
  const sql = 'INSERT INTO pets (name) VALUES (?) RETURNING id'
  const insert = (name: string) => connection.rows(sql, name)[0]?.id
  const add = (name: string) => commit(() => insert(name))
  return { transaction, commit, insert, names, add }
}

test('changes at the same time share a commit, and each has its own result', async () => {
  const { transaction, add } = open()
  expect(await Promise.all(['a', 'b', 'c'].map(add))).toEqual([1n, 2n, 3n])
  await new Promise(setImmediate)
  expect(transaction).toHaveBeenCalledTimes(1)
  await add('d')
  expect(transaction).toHaveBeenCalledTimes(2)
})

test('a change is confirmed only after another program can see it', async () => {
  const { add, names } = open()
  await Promise.all(
    Array.from({ length: 20 }, async (_, number) => {
      await add(`pet ${number}`)
      expect(names()).toContain(`pet ${number}`)
    })
  )
})

test('a change that fails does not affect the others, and none is made twice', async () => {
  const { insert, commit, add, names } = open()
  const fail = () => {
    insert('half a change')
    throw new Error('no')
  }
  const results = await Promise.allSettled([add('before'), commit(fail), add('after')])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(results[1]).toMatchObject({ reason: new Error('no') })
  expect(names()).toEqual(['before', 'after'])
})

test('if the commit itself fails, every change in it fails, and nothing is changed', async () => {
  const { transaction, add, names } = open()
  const full = new Error('the disk is full')
  transaction.mockImplementationOnce(() => {
    throw full
  })
  const results = await Promise.allSettled([add('one'), add('two')])
  expect(results).toMatchObject([
    { status: 'rejected', reason: full },
    { status: 'rejected', reason: full }
  ])
  expect(names()).toEqual([])
  await add('three')
  expect(names()).toEqual(['three'])
})
