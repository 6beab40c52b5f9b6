import { accessSync, constants } from 'node:fs'
import { dirname } from 'node:path'
import { Failure } from '../failure.ts'
import type { Transport } from '../model/exchange.ts'
import { requireOwnLinks, requireWritable } from '../platform/file-access.ts'
import { makePrivateDirectories } from '../platform/private-file.ts'
import { isUnwritablePlace, systemFailure } from '../platform/system-error.ts'
import { type OpeningOptions, openDatabase } from './database.ts'
import { createHandler } from './router.ts'

// Exported here, so that the bundle has everything that uses the database in one chunk.
export { deleteDatabase } from './database-file.ts'

/** The service in this process. */
export interface LocalService {
  readonly transport: Transport
  /** False if the data is in memory only, because this machine has no place for the file. */
  readonly isOnDisk: boolean
  /** Tells databases apart: made at random with the database, and stored in it. */
  identity(): Promise<string>
}

/**
 * The service in this process, for `--env local`. Its requests never leave the program, so it accepts any key. Without
 * a home directory there is no path.
 */
export async function openLocalService(path: string | undefined, now: () => Date): Promise<LocalService> {
  const { database, path: usedPath } = await openLocalDatabase(path, { samples: true })
  const answer = createHandler({
    database,
    now,
    acceptsKey: () => true,
    // A caller in the same program gets the Failure itself, which says more than a 500.
    onFailure: (failure) => {
      throw failure
    },
  })
  const transport: Transport = {
    send: ({ body = '', ...request }) => answer({ ...request, readBody: async () => Buffer.from(body) }),
    close: () => database.close(),
  }
  return { transport, isOnDisk: usedPath !== undefined, identity: database.identity }
}

/** The database of the local environment, or one in memory, without a path, if its directory cannot be used. */
export async function openLocalDatabase(preferredPath: string | undefined, options: OpeningOptions) {
  const path = preferredPath !== undefined && canStore(preferredPath) ? preferredPath : undefined
  return { database: await openDatabase(path ?? ':memory:', options), path }
}

/**
 * Creates the directory if needed. A missing or read-only home is not an error; anything else is, such as a full disk.
 */
function canStore(path: string): boolean {
  const directory = dirname(path)
  try {
    requireOwnLinks(path)
    makePrivateDirectories(directory)
    requireWritable(directory)
    accessSync(directory, constants.W_OK | constants.X_OK)
    return true
  } catch (error) {
    if (error instanceof Failure || isUnwritablePlace(error)) return false
    throw systemFailure(error, 'local', `the directory ${directory} cannot be created`)
  }
}
