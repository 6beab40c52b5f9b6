import { isAbsolute, join, resolve } from 'node:path'
import { Failure } from '../failure.ts'
import type { Host } from '../platform/host.ts'
import { describeSystemError, systemErrorCode } from '../platform/system-error.ts'

/** The hint where the config directory cannot be used. */
export const anotherDirectory = 'export PETSTORE_CONFIG_DIR="$PWD/.petstore"'

/** The directory for everything that is kept; undefined where this user has no home and names no place. */
export function configDirectory(host: Pick<Host, 'env' | 'home'>): string | undefined {
  const { PETSTORE_CONFIG_DIR: chosen, XDG_CONFIG_HOME: shared } = host.env
  if (chosen) return resolved(chosen)
  // A relative path here is to be ignored, says the XDG Base Directory Specification.
  if (shared && isAbsolute(shared)) return join(shared, 'petstore')
  const home = host.home()
  return home && isAbsolute(home) ? join(home, '.config', 'petstore') : undefined
}

/** A working directory that was deleted has no path any more, and Node says so by throwing. */
function resolved(chosen: string): string {
  try {
    return resolve(chosen)
  } catch (error) {
    throw new Failure('local', 'PETSTORE_CONFIG_DIR is relative to a working directory that is gone', {
      hint: 'unset PETSTORE_CONFIG_DIR',
      cause: error,
    })
  }
}

/** The same, for whoever can't do without it. */
export function requireConfigDirectory(host: Host): string {
  const directory = configDirectory(host)
  if (directory === undefined) {
    throw new Failure('local', 'this user has no home directory, so there is no place to keep anything', {
      hint: anotherDirectory,
    })
  }
  return directory
}

export function configPath(host: Host): string | undefined {
  return below(host, 'config.json')
}

/** The data of the local service. */
export function databasePath(host: Host): string | undefined {
  return below(host, 'local.db')
}

/** The directory of the journals of imports. */
export function requireJournalsDirectory(host: Host): string {
  return join(requireConfigDirectory(host), 'journals')
}

/** The same, created if it is missing. */
export async function makeJournalsDirectory(host: Host): Promise<string> {
  const directory = requireJournalsDirectory(host)
  const { makePrivateDirectory } = await import('../platform/private-file.ts')
  try {
    makePrivateDirectory(directory)
  } catch (error) {
    if (error instanceof Failure) throw error.withHint(anotherDirectory)
    if (systemErrorCode(error) === undefined) throw error
    const problem = describeSystemError(error)
    throw new Failure('local', `the journal can't be written: there can be no ${directory}: ${problem}`, {
      hint: anotherDirectory,
      cause: error,
    })
  }
  return directory
}

function below(host: Host, name: string): string | undefined {
  const directory = configDirectory(host)
  return directory === undefined ? undefined : join(directory, name)
}
