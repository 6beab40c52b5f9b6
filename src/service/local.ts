import { accessSync, constants } from 'node:fs'
import { dirname } from 'node:path'
import { Failure } from '../failure.ts'
import type { Transport } from '../model/exchange.ts'
import { makePrivateDirectories } from '../platform/private-file.ts'
import { describeSystemError, systemErrorCode } from '../platform/system-error.ts'
import { openDatabase, type PetDatabase } from './database.ts'
import { createHandler } from './handler.ts'

// From here, so that the bundle has all that knows the database in one chunk.
export { deleteDatabase } from './deletion.ts'

export interface LocalService {
  transport: Transport
  /** False where nothing can be kept on this machine: the animals are gone when the program ends. */
  isKept: boolean
}

interface LocalServiceOptions {
  /** The database file; undefined where there is no home for it. */
  path: string | undefined
  now: () => Date
}

/** The service in this process. Its requests never leave the program, so any key is good. */
export async function openLocalService({ path, now }: LocalServiceOptions): Promise<LocalService> {
  const { database, isKept } = await openLocalDatabase(path, { samples: true })
  const transport: Transport = {
    send: createHandler({ database, now, acceptsKey: () => true, throwsFailures: true }),
    close: async () => database.close(),
  }
  return { transport, isKept }
}

/** The database of the local environment; in memory where its directory can't be had. */
export async function openLocalDatabase(
  path: string | undefined,
  options: { samples: boolean },
): Promise<{ database: PetDatabase; isKept: boolean }> {
  const keptPath = path !== undefined && canKeepFilesIn(dirname(path)) ? path : undefined
  return { database: await openDatabase(keptPath ?? ':memory:', options), isKept: keptPath !== undefined }
}

const noPlaceCodes = new Set(['EROFS', 'EACCES', 'EPERM', 'ENOENT', 'ENOTDIR'])

/** Makes the directory at need. A home that is absent or read-only is no fault; anything else, a full disk say, is. */
function canKeepFilesIn(directory: string): boolean {
  try {
    makePrivateDirectories(directory)
    accessSync(directory, constants.W_OK | constants.X_OK)
    return true
  } catch (error) {
    if (noPlaceCodes.has(systemErrorCode(error) ?? '')) return false
    throw new Failure('local', `the directory ${directory} can't be made: ${describeSystemError(error)}`, {
      cause: error,
    })
  }
}
