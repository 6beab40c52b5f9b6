import { rmSync } from 'node:fs'
import { Failure } from '../failure.ts'

/** SQLite keeps what is not yet in the database beside it. The file itself goes last: half a deletion can be repeated. */
const parts = ['-journal', '-wal', '-shm', '']

/** Deletes a database with all that belongs to it; one that is not there is no fault. */
export function deleteDatabase(path: string): void {
  try {
    for (const part of parts) rmSync(`${path}${part}`, { force: true })
  } catch (error) {
    throw new Failure('local', `the database ${path} can't be deleted: ${(error as Error).message}`, { cause: error })
  }
}
