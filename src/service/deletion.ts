import { existsSync, rmSync } from 'node:fs'
import { Failure } from '../failure.ts'
import { describeSystemError } from '../platform/system-error.ts'
import { isHeldByAnother } from './database.ts'

/** SQLite keeps what is not yet in the database beside it. The file itself goes last: half a deletion can be repeated. */
const parts = ['-journal', '-wal', '-shm', '']

/**
 * Deletes a database with all that belongs to it; one that is not there is no fault. Never from under a program that has
 * it open: what that program adds from then on would be lost, however often it says that it was added.
 */
export async function deleteDatabase(path: string): Promise<void> {
  if (existsSync(path) && (await isHeldByAnother(path))) {
    throw new Failure(
      'local',
      `another program, such as petstore serve, has the database ${path} open; nothing was deleted`,
    )
  }
  try {
    for (const part of parts) rmSync(`${path}${part}`, { force: true })
  } catch (error) {
    throw new Failure('local', `the database ${path} can't be deleted: ${describeSystemError(error)}`, { cause: error })
  }
}
