import { getSystemErrorMap } from 'node:util'

/** The hint for a directory that can't be had: another one. */
export const anotherDirectory = 'export PETSTORE_CONFIG_DIR="$PWD/.petstore"'

/** A path as a shell takes it, for hints. */
export function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}

/** The name that the operating system gave a fault (`ENOSPC`); undefined for a fault of another kind. */
export function errorCode(error: unknown): string | undefined {
  return isSystemError(error) ? error.code : undefined
}

/** The fault in the operating system's own words: `no space left on device`. */
export function describeFault(error: unknown): string {
  if (!isSystemError(error)) return 'it is not what was expected there'
  // What the system says is about an operation, and nobody asked for one.
  if (error.code === 'EISDIR') return 'it is a directory'
  return getSystemErrorMap().get(error.errno ?? 0)?.[1] ?? String(error.code)
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && 'syscall' in error
}
