import { dirname, join } from 'node:path'
import { Failure } from '../failure.ts'
import { anotherDirectory, placeFailure } from '../platform/errno.ts'
import { resolveVariable } from './settings.ts'
import { type Machine, settingTable } from './table.ts'

/** The notice if there is no place for the data of the local service. */
export const dataInMemory = 'the local data is in memory and is lost when this command ends'

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

/** The directory of the journals of imports, created if it is missing. */
export async function makeJournalsDirectory(host: Machine): Promise<string> {
  const directory = join(dirname(requireConfigPath(host)), 'journals')
  const { makePrivateDirectories } = await import('../platform/private-file.ts')
  try {
    makePrivateDirectories(directory)
  } catch (error) {
    throw placeFailure(error, directory, `the journal cannot be written: ${directory}`)
  }
  return directory
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
