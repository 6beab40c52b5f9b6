import { expect, test } from 'vitest'
import { SqliteError } from '../../src/platform/sqlite.ts'
import { databaseFailure } from '../../src/service/database-file.ts'

const failureOf = (path: string, error: SqliteError) => databaseFailure({ path, isNamed: true }, error)

test.each([
  ['full', '/tmp/pets.db', 'disk I/O error'],
  ['disk', '/tmp/pets.db', 'disk I/O error'],
  // /proc has no free space.
  ['disk', '/proc/pets.db', 'the disk is full'],
] as const)('the fault "%s" of %s is reported as: %s', (kind, path, problem) => {
  expect(failureOf(path, new SqliteError(kind, 'disk I/O error'))).toMatchObject({
    code: 'local',
    message: `the database ${path} cannot be written: ${problem}; nothing more was changed`,
    hint: `df -h ${path.replace('/pets.db', '')}`,
  })
})

test('a locked database is a failure that can be retried', () => {
  expect(failureOf('/tmp/pets.db', new SqliteError('busy', 'x'))).toMatchObject({ code: 'local', isRetryable: true })
})
