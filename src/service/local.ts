import { accessSync, constants, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { Failure, ignoreFailure } from '../failure.ts'
import type { Transport } from '../model/exchange.ts'
import { isUnwritablePlace, placeFailure } from '../platform/errno.ts'
import { requireOwnLinks, requireWritable } from '../platform/file-access.ts'
import { makePrivateDirectories } from '../platform/private-file.ts'
import { sqliteErrorKind } from '../platform/sqlite.ts'
import { openDatabase, openForReading, type PetDatabase, patienceMilliseconds } from './database.ts'
import { errorReply } from './http.ts'
import { createHandler } from './router.ts'

// Exported here, so that the bundle has everything that uses the database in one chunk.
export { type Deletion, deleteDatabase } from './deletion.ts'

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
 * accepts any key. A Failure instead of a path says why there is none.
 */
export async function openLocalService(
  place: string | Failure,
  now: () => Date,
): Promise<LocalService> {
  const storage = localStorageAt(place)
  const open = async () => {
    const database = await openStored(storage)
    const answer = createHandler({
      database,
      now,
      acceptsKey: () => true,
      // A caller in the same program gets the Failure itself, which says more than a 500.
      onFailure: (failure) => {
        throw failure
      },
    })
    return { database, answer }
  }
  let opening: ReturnType<typeof open> | undefined = open()
  await opening.catch(requireLocked)
  /** A failure answers the first request, which thus waits only once; the next one tries again. */
  const opened = async () => {
    const current = opening ?? open()
    opening = current
    try {
      return await current
    } catch (error) {
      opening = undefined
      throw error
    }
  }
  return {
    send: async ({ body = '', ...request }) => {
      try {
        const { answer } = await opened()
        return await answer({ ...request, readBody: async () => Buffer.from(body) })
      } catch (error) {
        return errorReply(requireLocked(error))
      }
    },
    close: async () => {
      // A locked file was not opened.
      const open = await opening?.catch(ignoreFailure)
      await open?.database.close()
    },
    isOnDisk: storage.path !== undefined,
    problem: storage.problem,
    identity: async () => (await opened()).database.identity(),
  }
}

/** The cause, if another program has locked the file; throws any other error. */
function requireLocked(error: unknown): unknown {
  const cause = error instanceof Failure ? error.cause : undefined
  if (sqliteErrorKind(cause) !== 'busy') throw error
  return cause
}

/** Where the local environment has its database. */
interface LocalStorage {
  /** Undefined if everything is in memory. */
  readonly path: string | undefined
  /** Why nothing can be saved; undefined if it can. */
  readonly problem: Failure | undefined
}

/** If the database cannot be written, it is read; if there is none, everything is in memory. */
export function localStorageAt(place: string | Failure): LocalStorage {
  if (place instanceof Failure) return { path: undefined, problem: place }
  const problem = storageProblem(place)
  const isUsed = problem === undefined || existsSync(place)
  return { path: isUsed ? place : undefined, problem }
}

async function openStored({ path, problem }: LocalStorage): Promise<PetDatabase> {
  if (path !== undefined && problem !== undefined) return openForReading(path, problem)
  return openDatabase(path ?? ':memory:', {
    samples: true,
    openingMilliseconds: patienceMilliseconds,
    refusal: problem,
  })
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
    const failure = placeFailure(error, directory, problem)
    if (failure instanceof Failure && isUnwritablePlace(error)) return failure
    throw failure
  }
}
