import { dirname, join } from 'node:path'
import { Failure } from '../failure.ts'
import { anotherDirectory, placeFailure } from '../platform/errno.ts'
import { resolveVariable } from './settings.ts'
import { type Machine, settingTable } from './table.ts'

export function configPath(host: Machine): string | undefined {
  return below(host, 'config.json')
}

/** The same, or a failure if there is no place for it. */
export function requireConfigPath(host: Machine): string {
  const path = configPath(host)
  if (path !== undefined) return path
  throw noHome()
}

/** Why nothing can be saved if there is no path. */
export function noHome(): Failure {
  const problem = 'this user has no home directory, so nothing can be saved'
  return new Failure('local', problem, { hint: anotherDirectory })
}

/** The data of the local service. */
export function databasePath(host: Machine): string | undefined {
  return below(host, 'local.db')
}

/** The same, in a directory that is created if it is missing. */
export async function makeDatabasePlace(host: Machine): Promise<string> {
  const path = databasePath(host) ?? requireConfigPath(host)
  await makeDirectory(dirname(path), 'the local data cannot be written')
  return path
}

/** The directory of the journals of imports, created if it is missing. */
export async function makeJournalsDirectory(host: Machine): Promise<string> {
  const directory = join(dirname(requireConfigPath(host)), 'journals')
  await makeDirectory(directory, `the journal cannot be written: ${directory}`)
  return directory
}

async function makeDirectory(directory: string, problem: string): Promise<void> {
  const { makePrivateDirectories } = await import('../platform/private-file.ts')
  try {
    makePrivateDirectories(directory)
  } catch (error) {
    throw placeFailure(error, directory, problem)
  }
}

/**
 * In the directory for everything that is saved; undefined if this user has no home and sets no
 * directory.
 */
function below(machine: Machine, name: string): string | undefined {
  const row = settingTable['config-dir']
  const directory = resolveVariable(row, machine.env)?.value ?? row.default?.(machine)
  return directory === undefined ? undefined : join(directory, name)
}
