import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdtempSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Failure } from '../failure.ts'
import type { Transport } from '../model/exchange.ts'
import { anotherDirectory, isUnwritablePlace, systemFailure } from '../platform/errno.ts'
import { requireOwnLinks, requireWritable } from '../platform/file-access.ts'
import { makePrivateDirectories } from '../platform/private-file.ts'
import { type OpeningOptions, openDatabase, type PetDatabase } from './database.ts'
import { createHandler } from './router.ts'

// Exported here, so that the bundle has everything that uses the database in one chunk.
export { deleteDatabase } from './database-file.ts'

/** The service in this process. */
export interface LocalService extends Transport {
  /** False if the data is in memory only, because this machine has no place for the file. */
  readonly isOnDisk: boolean
  /** Why nothing can be saved, in memory or because the file is read-only; undefined if it can. */
  readonly problem: Failure | undefined
  /** Tells databases apart: made at random with the database, and stored in it. */
  identity(): Promise<string>
}

/**
 * The service in this process, for `--env local`. Its requests never leave the program, so it
 * accepts any key. Without a home directory there is no path.
 */
export async function openLocalService(
  path: string | undefined,
  now: () => Date,
): Promise<LocalService> {
  const { database, path: usedPath, problem } = await openLocalDatabase(path, { samples: true })
  const answer = createHandler({
    database,
    now,
    acceptsKey: () => true,
    // A caller in the same program gets the Failure itself, which says more than a 500.
    onFailure: (failure) => {
      throw failure
    },
  })
  return {
    send: ({ body = '', ...request }) =>
      answer({ ...request, readBody: async () => Buffer.from(body) }),
    close: () => database.close(),
    isOnDisk: usedPath !== undefined,
    problem,
    identity: database.identity,
  }
}

interface LocalDatabase {
  readonly database: PetDatabase
  /** Undefined if everything is in memory. */
  readonly path: string | undefined
  /** Why nothing can be saved; undefined if it can. */
  readonly problem?: Failure | undefined
}

/**
 * The database of the local environment. If it cannot be written, it is read; if there is none, it
 * is in memory.
 */
export async function openLocalDatabase(
  path: string | undefined,
  options: OpeningOptions,
): Promise<LocalDatabase> {
  const problem = path === undefined ? undefined : storageProblem(path)
  if (path === undefined || (problem !== undefined && !existsSync(path))) {
    return { database: await openDatabase(':memory:', options), path: undefined, problem }
  }
  if (problem === undefined) return { database: await openDatabase(path, options), path }
  return { database: await openCopy(path, options, problem), path, problem }
}

/**
 * Creates the directory if needed. A missing or read-only home is not an error; anything else is,
 * such as a full disk.
 */
function storageProblem(path: string): Failure | undefined {
  const directory = dirname(path)
  try {
    requireOwnLinks(path)
    makePrivateDirectories(directory)
    for (const place of [directory, path]) requireWritable(place)
    accessSync(directory, constants.W_OK | constants.X_OK)
    if (existsSync(path)) accessSync(path, constants.W_OK)
    return undefined
  } catch (error) {
    if (error instanceof Failure) return error
    const problem = `the local data in ${directory} cannot be written`
    const failure = systemFailure(error, 'local', problem, anotherDirectory)
    if (failure instanceof Failure && isUnwritablePlace(error)) return failure
    throw failure
  }
}

/**
 * Reads a database that cannot be written. SQLite needs files beside a database, so it reads a
 * copy.
 */
async function openCopy(
  path: string,
  options: OpeningOptions,
  refusal: Failure,
): Promise<PetDatabase> {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-'))
  const remove = () => rmSync(directory, { recursive: true, force: true })
  try {
    const copy = join(directory, 'local.db')
    for (const end of ['', '-wal']) if (existsSync(path + end)) copyFileSync(path + end, copy + end)
    chmodSync(copy, 0o600)
    const database = await openDatabase(copy, { ...options, refusal })
    return { ...database, close: () => database.close().finally(remove) }
  } catch (error) {
    remove()
    throw systemFailure(error, 'local', `the database ${path} cannot be read`)
  }
}
