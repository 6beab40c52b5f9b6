import type { Failure } from '../failure.ts'
import { errorCode, systemFailure } from '../system/errno.ts'
import type { HintOptions } from '../text/shell.ts'
import { type DatabaseOptions, openDatabase } from './database.ts'
import { type FaultPlan, misbehaveAsPlanned } from './misbehavior.ts'
import { createRequestLog } from './request-log.ts'
import { createHandler } from './router.ts'
import { type Answered, startServer } from './server.ts'

interface ServeOptions {
  readonly host: string
  readonly port: number
  readonly key: string
  readonly database: DatabaseOptions
  /** Whether the data may be put back to the start. */
  readonly isResettable: boolean
  readonly faults: FaultPlan
  now(): Date
  /** Receives one line for each request; the caller masks the API key in it. */
  log(line: string): void
  /** Receives each failure of the database. */
  onFailure(failure: Failure): void
  /** The command that was typed, with other values for these options. */
  readonly retyped: (change: HintOptions) => string
}

/** The local service on a port. */
export async function startService(options: ServeOptions) {
  const { host, port, key, isResettable, now, log, onFailure, retyped } = options
  const { firstPets } = options.database
  const database = openDatabase(options.database)
  const ending = new AbortController()
  const requests = createRequestLog()
  const reset = async () => {
    await database.write(tables => tables.reset(firstPets))
    requests.clear()
  }
  const answer = createHandler({
    database,
    key,
    now,
    requests: requests.list,
    reset: isResettable ? reset : undefined,
    misbehave: misbehaveAsPlanned(options.faults, ending.signal),
    onFailure
  })
  const onAnswered = (answered: Answered) => {
    const { method, path, result, time } = answered
    requests.add(answered)
    log(`${method} ${path} ${result} ${Date.now() - Number(time)} ms`)
  }
  try {
    const server = await startServer({ host, port, key, answer, onAnswered })
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
    const hint = errorCode(error) === 'EADDRINUSE' ? retyped({ '--port': '0' }) : undefined
    throw systemFailure(error, 'local', `cannot listen on ${host}, port ${port}`, hint)
  }
}
