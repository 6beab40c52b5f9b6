import { dirname, isAbsolute, join, resolve } from 'node:path'
import { Failure } from '../failure.ts'
import { anotherDirectory, placeFailure } from '../system/errno.ts'
import type { Host } from '../system/host.ts'
import { isWindows, setVariable } from '../text/shell.ts'

/** Where everything is saved; undefined if this user has no home and sets no directory. */
function usualDirectory({ env, home }: Host): string | undefined {
  const { PETSTORE_CONFIG_DIR, XDG_CONFIG_HOME = '', APPDATA } = env
  if (PETSTORE_CONFIG_DIR) return resolve(PETSTORE_CONFIG_DIR)
  // The XDG Base Directory Specification says to ignore a relative path here.
  if (isAbsolute(XDG_CONFIG_HOME)) return join(XDG_CONFIG_HOME, 'petstore')
  if (isWindows && APPDATA) return join(APPDATA, 'petstore')
  const place = home()
  return place ? join(place, '.config', 'petstore') : undefined
}

/** Undefined if there is no place for it. */
export function configPath(host: Host): string | undefined {
  const directory = usualDirectory(host)
  return directory && join(directory, 'config.json')
}

/** The path of the config file, or a failure if there is no place for it. */
export function requireConfigPath(host: Host): string {
  const path = configPath(host)
  if (path !== undefined) return path
  const problem = 'this user has no home directory, so nothing can be saved'
  throw new Failure('local', problem, { hint: anotherDirectory })
}

const beside = (host: Host, name: string) => join(dirname(requireConfigPath(host)), name)

/** The data of the local service. */
export const databasePath = (host: Host) => beside(host, 'local.db')

/** The path of that data, in a directory that is created if it is missing. */
export async function makeDatabasePlace(host: Host): Promise<string> {
  const path = databasePath(host)
  await made(dirname(path))
  return path
}

/** The directory of the journals of imports. */
export const journalDirectory = (host: Host) =>
  resolve(host.env.PETSTORE_JOURNAL_DIR || beside(host, 'journals'))

/** The directory of the journals, created if it is missing. */
export function makeJournalDirectory(host: Host) {
  const hint = setVariable('PETSTORE_JOURNAL_DIR', '"$PWD/.petstore"')
  return made(journalDirectory(host), hint)
}

async function made(directory: string, hint?: string) {
  const { makePrivateDirectories } = await import('../system/private-file.ts')
  try {
    makePrivateDirectories(directory)
  } catch (error) {
    throw placeFailure(error, `${directory} cannot be written`, hint)
  }
  return directory
}
