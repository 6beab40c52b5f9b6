import { createHash, timingSafeEqual } from 'node:crypto'
import type { Failure } from '../failure.ts'
import { errorCode, systemFailure } from '../platform/errno.ts'
import type { HintOptions } from '../platform/shell.ts'
import { type DatabaseOptions, PetDatabase } from './database.ts'
import { localStorageAt } from './local.ts'
import { delayReplies, type FaultPlan, injectFaults } from './misbehavior.ts'
import { createHandler } from './router.ts'
import { startServer } from './server.ts'

interface ServeOptions {
  readonly host: string
  readonly port: number
  readonly key: string
  readonly database: DatabaseOptions
  readonly faults: FaultPlan
  now(): Date
  /** Receives one line for each request; the caller masks the API key in it. */
  readonly log: ((line: string) => Promise<void>) | undefined
  /** Receives each failure of the database. */
  onFailure(failure: Failure): void
  /** The command that was typed, with other values for these options. */
  readonly retyped: (change: HintOptions) => string
}

/** The local service on a port. */
export async function startService({
  host,
  port,
  key,
  database: options,
  faults,
  now,
  log,
  onFailure,
  retyped
}: ServeOptions) {
  const database = new PetDatabase(options)
  const handler = createHandler({
    database,
    acceptsKey: acceptOnly(key),
    now,
    intercept: injectFaults(faults),
    onFailure
  })
  const ending = new AbortController()
  const answer = delayReplies(handler, faults.latencyMilliseconds, ending.signal)
  try {
    const server = await startServer({ host, port, answer, log })
    return {
      origin: server.origin,
      /** Lets requests in progress finish. */
      close: async () => {
        ending.abort()
        await server.close()
        database.close()
      }
    }
  } catch (error) {
    database.close()
    const isAboutPort = ['EADDRINUSE', 'EACCES'].includes(errorCode(error) ?? '')
    const hint = retyped(isAboutPort ? { '--port': '0' } : { '--host': '127.0.0.1' })
    throw systemFailure(error, 'local', `cannot listen on ${host}, port ${port}`, hint)
  }
}

/** Accepts one key. The time that a check takes depends only on the length of the other key. */
export function acceptOnly(key: string): (given: string) => boolean {
  const digestOf = (text: string) => createHash('sha256').update(text).digest()
  const expected = digestOf(key)
  return given => timingSafeEqual(digestOf(given), expected)
}

/** The local environment's file, or `:memory:` if there can be none. */
export function localFile(place: string | Failure): string {
  const { path, problem } = localStorageAt(place)
  if (path !== ':memory:' && problem !== undefined) throw problem
  return path
}
