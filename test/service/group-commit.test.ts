import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openDatabase, type PetDatabase } from '../../src/service/database.ts'
import { createGroupCommit } from '../../src/service/group-commit.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { connect } from './sqlite.ts'

async function open() {
  const path = join(temporaryDirectory(), 'local.db')
  const database = await openDatabase(path, { samples: false })
  onTestFinished(() => database.close())
  const inOneCommit = vi.spyOn(database, 'inOneCommit')
  const commit = createGroupCommit(database)
  const other = connect(path)
  const names = () =>
    (other.prepare('SELECT name FROM pets ORDER BY id').all() as { name: string }[]).map((r) => r.name)
  return { database, inOneCommit, commit, names }
}

const add = (database: PetDatabase, name: string) => () => database.add({ name, categoryId: 1n })

test('changes that come at once share a commit, and each gets its own result', async () => {
  const { database, inOneCommit, commit } = await open()
  const pets = await Promise.all(['a', 'b', 'c'].map((name) => commit(add(database, name))))
  expect(pets.map(({ id, name }) => [id, name])).toEqual([
    [1n, 'a'],
    [2n, 'b'],
    [3n, 'c'],
  ])
  expect(inOneCommit).toHaveBeenCalledTimes(1)
  await commit(add(database, 'd'))
  expect(inOneCommit).toHaveBeenCalledTimes(2)
})

test('a change is answered only when another program can see it', async () => {
  const { database, commit, names } = await open()
  await Promise.all(
    Array.from({ length: 20 }, async (_, number) => {
      await commit(add(database, `pet ${number}`))
      expect(names()).toContain(`pet ${number}`)
    }),
  )
})

test('a change that fails takes none of the others with it, and none is made twice', async () => {
  const { database, commit, names } = await open()
  const fail = () => {
    database.add({ name: 'half a change', categoryId: 1n })
    throw new Error('no')
  }
  const outcomes = await Promise.allSettled([
    commit(add(database, 'before')),
    commit(fail),
    commit(add(database, 'after')),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(outcomes[1]).toMatchObject({ reason: new Error('no') })
  expect(names()).toEqual(['before', 'after'])
})

test('where the commit itself fails, so does every change in it, and nothing was changed', async () => {
  const { database, inOneCommit, commit, names } = await open()
  inOneCommit.mockImplementationOnce((work) => {
    database.inOneCommit(() => {
      work()
      throw new Error('the disk is full')
    })
    throw new Error('not reached')
  })
  const outcomes = await Promise.allSettled([commit(add(database, 'one')), commit(add(database, 'two'))])
  expect(outcomes).toMatchObject([
    { status: 'rejected', reason: new Error('the disk is full') },
    { status: 'rejected', reason: new Error('the disk is full') },
  ])
  expect(names()).toEqual([])
  await commit(add(database, 'three'))
  expect(names()).toEqual(['three'])
})
