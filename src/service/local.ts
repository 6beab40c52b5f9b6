import type { Send } from '../model/exchange.ts'
import { openDatabase } from './database.ts'
import { samplePets } from './first-pets.ts'
import { createHandler } from './router.ts'

// Exported here, so that the bundle has everything that uses the database in one chunk.
export { deleteDatabase } from './database-file.ts'

/** The service in this process, for `--env local`: its requests never leave the program. */
export function openLocalService(path: string, now: () => Date) {
  const database = openDatabase(path, samplePets)
  const answer = createHandler({
    database,
    now,
    // A caller in the same program gets the Failure itself, which says more than a 500.
    onFailure: failure => {
      throw failure
    }
  })
  const send: Send = ({ url, body = '', ...request }) => {
    const path = url.slice(new URL(url).origin.length)
    return answer({ ...request, path, isAuthorized: true, body: Buffer.from(body) })
  }
  return {
    send,
    close: async () => database.close(),
    identity: () => database.read(tables => tables.identity())
  }
}
