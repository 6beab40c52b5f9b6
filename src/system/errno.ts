import { getSystemErrorMap } from 'node:util'
import { Failure, type FailureCode } from '../failure.ts'
import { setVariable } from '../text/shell.ts'

/**
 * The code of an error of Node, OpenSSL, undici or the system (`ENOSPC`); undefined if it has none.
 */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined
}

/** What failed, in the operating system's own words: `no space left on device`. */
export function describeSystemError(error: unknown): string {
  if (!isSystemError(error)) return error instanceof Error ? error.message : String(error)
  return getSystemErrorMap().get(error.errno ?? 0)?.[1] ?? String(error.code)
}

/** These are no mistake on the command line. */
const machineCodes = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EIO'])

/**
 * The failure of a run if a call to the operating system or to SQLite failed; any other error stays
 * as it is.
 */
export function systemFailure(
  error: unknown,
  code: FailureCode,
  problem: string,
  hint?: string
): unknown {
  if (!isSystemError(error) && errorCode(error) !== 'ERR_SQLITE_ERROR') return error
  return new Failure(
    machineCodes.has(errorCode(error) ?? '') ? 'local' : code,
    `${problem}: ${describeSystemError(error)}`,
    {
      hint,
      cause: error
    }
  )
}

/** The failure of a call about files of this program, with another directory for its hint. */
export function placeFailure(error: unknown, problem: string, hint = anotherDirectory): unknown {
  return systemFailure(error, 'local', problem, hint)
}

/** Whether there is nothing at the path, or a file where the path has a directory. */
export function isMissing(error: unknown): boolean {
  const code = errorCode(error)
  return code === 'ENOENT' || code === 'ENOTDIR'
}

/** Undefined if the system call fails: the file does not exist, or this user may not access it. */
export function unlessSystemFails<Value>(look: () => Value): Value | undefined {
  try {
    return look()
  } catch (error) {
    if (isSystemError(error)) return undefined
    throw error
  }
}

/** The hint if there is no place for the files of this program. */
export const anotherDirectory = setVariable('PETSTORE_CONFIG_DIR', '"$PWD/.petstore"')

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return errorCode(error) !== undefined && 'errno' in (error as Error)
}
