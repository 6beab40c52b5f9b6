import { dirname } from 'node:path'
import { Failure } from '../failure.ts'
import { placeFailure, spaceHint } from '../platform/errno.ts'
import { sqliteErrorKind } from '../platform/sqlite.ts'

/** The failure for an error of a journal, or of the names of the imports. */
export function journalFailure(path: string, error: unknown): unknown {
  const problem = `the journal ${path} cannot be read or written`
  switch (sqliteErrorKind(error)) {
    case undefined:
      return placeFailure(error, dirname(path), problem)
    case 'busy':
      return journalInUse(path)
    case 'full':
      return new Failure('local', `${problem}: no space left on device`, {
        cause: error,
        hint: spaceHint(Object.assign(new Error(), { code: 'ENOSPC', errno: -28 }), dirname(path))
      })
    default:
      return new Failure('local', `${problem}: ${(error as Error).message}`, { cause: error })
  }
}

export function journalInUse(path: string): Failure {
  const problem = `another petstore process is using the journal ${path}`
  return new Failure('local', problem, { isRetryable: true })
}
