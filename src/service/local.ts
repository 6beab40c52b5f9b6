import { dirname } from 'node:path'
import { Failure } from '../failure.ts'
import type { Send } from '../model/exchange.ts'
import { isUnwritablePlace, placeFailure } from '../platform/errno.ts'
import { makePrivateDirectories } from '../platform/private-file.ts'
import { PetDatabase } from './database.ts'
import { samplePets } from './first-pets.ts'
import { createHandler } from './router.ts'

// Exported here, so that the bundle has everything that uses the database in one chunk.
export { deleteDatabase } from './database-file.ts'

/** The service in this process, for `--env local`: its requests never leave the program. */
export function openLocalService(place: string | Failure, now: () => Date) {
  const { path, problem } = localStorageAt(place)
  const database = new PetDatabase({ path, firstPets: samplePets })
  const answer = createHandler({
    database,
    now,
    acceptsKey: () => true,
    requests: () => [],
    reset: undefined,
    // A caller in the same program gets the Failure itself, which says more than a 500.
    onFailure: failure => {
      throw failure
    }
  })
  const send: Send = ({ url, body = '', ...request }) => {
    const path = url.slice(new URL(url).origin.length)
    return answer({ ...request, path, body: Buffer.from(body) })
  }
  return {
    send,
    close: async () => database.close(),
    isOnDisk: path !== ':memory:',
    /** Why nothing can be saved. */
    problem,
    identity: () => database.read(tables => tables.identity())
  }
}

/** In memory if this machine has no place for the file. */
export function localStorageAt(place: string | Failure) {
  if (place instanceof Failure) return { path: ':memory:', problem: place }
  try {
    makePrivateDirectories(dirname(place))
    return { path: place, problem: undefined }
  } catch (error) {
    const problem = placeFailure(error, dirname(place), 'the local data cannot be written')
    if (problem instanceof Failure && isUnwritablePlace(error)) return { path: ':memory:', problem }
    throw problem
  }
}
