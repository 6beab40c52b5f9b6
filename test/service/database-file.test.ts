import { expect, test } from 'vitest'
import { databaseFailure } from '../../src/service/database-file.ts'

const failureOf = (path: string, message: string) =>
  databaseFailure({ path }, Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR' }))

test.each([
  ['database or disk is full', '/tmp/pets.db', 'the disk is full', 'df -h /tmp'],
  ['disk I/O error', '/tmp/pets.db', 'disk I/O error', undefined],
  // /proc has no free space.
  ['disk I/O error', '/proc/pets.db', 'the disk is full', 'df -h /proc']
])('the fault "%s" of %s is reported as: %s', (message, path, problem, hint) => {
  expect(failureOf(path, message)).toMatchObject({
    code: 'local',
    message: `the database ${path} cannot be read or written: ${problem}; nothing more was changed`,
    hint
  })
})

// SQLite reports the second after ten seconds, if another program is paused while it opens the file.
test.each(['database is locked', 'locking protocol'])(
  '"%s" is a failure that can be retried, without a hint',
  message => {
    expect(failureOf('/tmp/pets.db', message)).toMatchObject({
      code: 'local',
      message: 'another program has locked the database /tmp/pets.db; nothing was changed',
      isRetryable: true,
      hint: undefined
    })
  }
)
