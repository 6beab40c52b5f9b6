import { timingSafeEqual } from 'node:crypto'
import type { Failure } from '../failure.ts'
import { errorCode, systemFailure } from '../platform/errno.ts'
import type { HintOptions } from '../platform/shell.ts'
import { openDatabase } from './database.ts'
import { localStorageAt } from './local.ts'
import { delayReplies, type FaultPlan, injectFaults } from './misbehavior.ts'
import { createRequestLog, type WriteLine } from './request-log.ts'
import { createHandler } from './router.ts'
import { startServer } from './server.ts'

interface ServeOptions {
  readonly host: string
  readonly port: number
  readonly key: string
  /**
   * The file from the command line; without it, the local environment's file is used if possible.
   */
  readonly data: string | undefined
  readonly localPlace: string | Failure
  readonly samples: boolean
  readonly faults: FaultPlan | undefined
  now(): Date
  /** Receives one line for each request; the caller masks the API key in it. */
  readonly log: WriteLine | undefined
  /** Receives each failure of the database. */
  onFailure(failure: Failure): void
  /** The command that was typed, with other values for these options. */
  readonly retyped: (change: HintOptions) => string
  /** Ends the wait for a database that another program has locked. */
  readonly signal: AbortSignal
}

/** The local service on a port. */
export interface Serving {
  readonly origin: string
  /** Its file, or `:memory:`. */
  readonly path: string
  /** Lets requests in progress finish. */
  close(): Promise<void>
}

export async function startService(options: ServeOptions): Promise<Serving> {
  const { host, port, key, data, localPlace, samples, faults, now, log, onFailure, signal } =
    options
  const path = data ?? localFile(localPlace)
  const database = await openDatabase({ path, isNamed: data !== undefined, samples }, signal)
  const ending = new AbortController()
  const intercept = faults && injectFaults(faults)
  const handler = createHandler({
    database,
    acceptsKey: acceptOnly(key),
    now,
    intercept,
    onFailure,
  })
  const answer = faults ? delayReplies(handler, faults.latencyMilliseconds, ending.signal) : handler
  try {
    const server = await startServer({
      host,
      port,
      answer,
      onAnswered: log && createRequestLog(log),
    })
    const close = async () => {
      ending.abort()
      await server.close()
      await database.close()
    }
    return { origin: server.origin, path, close }
  } catch (error) {
    await database.close()
    throw explainListening(error, options)
  }
}

/** Accepts one key. The time that a check takes depends only on the length of the other key. */
export function acceptOnly(key: string): (given: string) => boolean {
  const expected = Buffer.from(key)
  return (text) => {
    const given = Buffer.from(text)
    return given.byteLength === expected.byteLength && timingSafeEqual(given, expected)
  }
}

function localFile(place: string | Failure): string {
  const { path, problem } = localStorageAt(place)
  if (path !== ':memory:' && problem !== undefined) throw problem
  return path
}

/** Why the server cannot listen on its port, with the command to run next. */
function explainListening(error: unknown, { host, port, retyped }: ServeOptions): unknown {
  const isAboutPort = ['EADDRINUSE', 'EACCES'].includes(errorCode(error) ?? '')
  const hint = retyped(isAboutPort ? { '--port': '0' } : { '--host': '127.0.0.1' })
  return systemFailure(error, 'local', `cannot listen on ${host}, port ${port}`, hint)
}
