import { expect, test } from 'vitest'
import { databaseFailure } from '../../src/service/database-file.ts'

const failureOf = (path: string, message: string) =>
  databaseFailure(
    { path, isNamed: true },
    Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR' }),
  )

test.each([
  ['database or disk is full', '/tmp/pets.db', 'database or disk is full'],
  ['disk I/O error', '/tmp/pets.db', 'disk I/O error'],
  // /proc has no free space.
  ['disk I/O error', '/proc/pets.db', 'the disk is full'],
])('the fault "%s" of %s is reported as: %s', (message, path, problem) => {
  expect(failureOf(path, message)).toMatchObject({
    code: 'local',
    message: `the database ${path} cannot be written: ${problem}; nothing more was changed`,
    hint: `df -h ${path.replace('/pets.db', '')}`,
  })
})

test('a locked database is a failure that can be retried', () => {
  expect(failureOf('/tmp/pets.db', 'database is locked')).toMatchObject({
    code: 'local',
    isRetryable: true,
  })
})
