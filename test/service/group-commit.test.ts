import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { loadSqlite, sqliteErrorKind } from '../../src/platform/sqlite.ts'
import { createGroupCommit } from '../../src/service/group-commit.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { connect } from './sqlite.ts'

async function open({ patienceMilliseconds = 60_000 } = {}) {
  const path = join(temporaryDirectory(), 'test.db')
  const connection = await loadSqlite()(path)
  onTestFinished(() => connection.close())
  connection.exec(
    'PRAGMA journal_mode = WAL; CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT)',
  )
  const insert = connection.prepare<{ id: bigint }>(
    'INSERT INTO pets (name) VALUES (?) RETURNING id',
  )
  const transaction = vi.spyOn(connection, 'transaction')
  const closing = new AbortController()
  const commitWithin = createGroupCommit({
    transaction: (work) => connection.transaction(work),
    signal: closing.signal,
  })
  const commit = <Result>(make: () => Result) => commitWithin(make, patienceMilliseconds)
  const other = connect(path)
  const names = () =>
    (other.prepare('SELECT name FROM pets ORDER BY id').all() as { name: string }[]).map(
      (row) => row.name,
    )
  const add = (name: string) => commit(() => insert.get(name)?.id)
  return { insert, transaction, closing, commit, other, names, add }
}

test('changes at the same time share a commit, and each has its own result', async () => {
  const { transaction, add } = await open()
  expect(await Promise.all(['a', 'b', 'c'].map(add))).toEqual([1n, 2n, 3n])
  expect(transaction).toHaveBeenCalledTimes(1)
  await add('d')
  expect(transaction).toHaveBeenCalledTimes(2)
})

test('a change is confirmed only after another program can see it', async () => {
  const { add, names } = await open()
  await Promise.all(
    Array.from({ length: 20 }, async (_, number) => {
      await add(`pet ${number}`)
      expect(names()).toContain(`pet ${number}`)
    }),
  )
})

test('a change that fails does not affect the others, and none is made twice', async () => {
  const { insert, commit, add, names } = await open()
  const fail = () => {
    insert.get('half a change')
    throw new Error('no')
  }
  const results = await Promise.allSettled([add('before'), commit(fail), add('after')])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(results[1]).toMatchObject({ reason: new Error('no') })
  expect(names()).toEqual(['before', 'after'])
})

test('if the commit itself fails, every change in it fails, and nothing is changed', async () => {
  const { transaction, add, names } = await open()
  const full = new Error('the disk is full')
  transaction.mockImplementationOnce(() => {
    throw full
  })
  const results = await Promise.allSettled([add('one'), add('two')])
  expect(results).toMatchObject([
    { status: 'rejected', reason: full },
    { status: 'rejected', reason: full },
  ])
  expect(names()).toEqual([])
  await add('three')
  expect(names()).toEqual(['three'])
})

test('while another program holds the lock, changes wait together, and later ones join them', async () => {
  const { other, add, names } = await open()
  other.exec('BEGIN IMMEDIATE')
  const first = [add('one'), add('two')]
  await new Promise((resolve) => setTimeout(resolve, 30))
  const later = add('three')
  other.exec('ROLLBACK')
  expect(await Promise.all([...first, later])).toEqual([1n, 2n, 3n])
  expect(names()).toEqual(['one', 'two', 'three'])
})

test('a lock that is held too long fails only the changes that wait for it', async () => {
  const { other, add, names } = await open({ patienceMilliseconds: 40 })
  other.exec('BEGIN IMMEDIATE')
  expect(await add('too early').catch(sqliteErrorKind)).toBe('busy')
  other.exec('ROLLBACK')
  await add('later')
  expect(names()).toEqual(['later'])
})

test('closing ends the wait for a lock, but a change without a wait is still made', async () => {
  const { other, add, closing, names } = await open()
  other.exec('BEGIN IMMEDIATE')
  const waiting = add('locked out')
  await new Promise((resolve) => setTimeout(resolve, 20))
  const late = add('late')
  other.exec('ROLLBACK')
  closing.abort(new Error('closing'))
  await expect(waiting).rejects.toThrow('closing')
  await expect(late).rejects.toThrow('closing')
  await add('alone')
  expect(names()).toEqual(['alone'])
})
