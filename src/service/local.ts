import { accessSync, constants, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { Failure } from '../failure.ts'
import type { Send } from '../model/exchange.ts'
import { isUnwritablePlace, placeFailure } from '../platform/errno.ts'
import { requireOwnLinks, requireWritable } from '../platform/file-access.ts'
import { makePrivateDirectories } from '../platform/private-file.ts'
import { PetDatabase } from './database.ts'
import { createHandler } from './router.ts'

// Exported here, so that the bundle has everything that uses the database in one chunk.
export { type Deletion, deleteDatabase } from './deletion.ts'

/**
 * The service in this process, for `--env local`. Its requests never leave the program, so it
 * accepts any key. A Failure instead of a path says why there is none.
 */
export function openLocalService(place: string | Failure, now: () => Date) {
  const { path, problem } = localStorageAt(place)
  const database = new PetDatabase({ path, samples: true, refusal: problem })
  const answer = createHandler({
    database,
    now,
    acceptsKey: () => true,
    // A caller in the same program gets the Failure itself, which says more than a 500.
    onFailure: failure => {
      throw failure
    }
  })
  const send: Send = ({ body = '', ...request }) =>
    answer({ ...request, readBody: async () => Buffer.from(body) })
  return {
    send,
    close: () => database.close(),
    /** False if the data is in memory only, because this machine has no place for the file. */
    isOnDisk: path !== ':memory:',
    /** Why nothing can be saved, in memory or because the file is read-only. */
    problem,
    identity: () => database.identity()
  }
}

/**
 * Where the local environment has its database, and why nothing can be saved. If the database cannot
 * be written, it is read; if there is none, everything is in memory.
 */
export function localStorageAt(place: string | Failure) {
  if (place instanceof Failure) return { path: ':memory:', problem: place }
  const problem = storageProblem(place)
  const isUsed = problem === undefined || existsSync(place)
  return { path: isUsed ? place : ':memory:', problem }
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
