import { timingSafeEqual } from 'node:crypto'
import { Failure } from '../failure.ts'
import type { HintOptions } from '../platform/shell.ts'
import { openDatabase } from './database.ts'
import { delayReplies, type FaultPlan, injectFaults } from './faults.ts'
import { openLocalDatabase } from './local.ts'
import { createHandler } from './router.ts'
import { type Answered, startServer } from './server.ts'

interface ServeOptions {
  readonly host: string
  readonly port: number
  readonly key: string
  /** The file from the command line; without it, the local environment's file is used if possible. */
  readonly data: string | undefined
  readonly localPath: string | undefined
  readonly samples: boolean
  readonly faults: FaultPlan | undefined
  now(): Date
  /** Receives one line for each request. */
  readonly log: ((line: string) => void) | undefined
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
  /** Its file; undefined if everything is in memory. */
  readonly path: string | undefined
  /** Lets requests in progress finish. */
  close(): Promise<void>
}

export async function serve(options: ServeOptions): Promise<Serving> {
  const { host, port, key, faults, now, log, onFailure, retyped, ...data } = options
  const { database, path } = await openData(data)
  const ending = new AbortController()
  const intercept = faults && injectFaults(faults)
  const handler = createHandler({ database, acceptsKey: acceptOnly(key), now, intercept, onFailure })
  const answer = faults ? delayReplies(handler, faults.latencyMilliseconds, ending.signal) : handler
  try {
    const onAnswered = log && ((answered: Answered) => log(describeAnswered(answered)))
    const server = await startServer({ host, port, answer, onAnswered })
    const close = async () => {
      ending.abort()
      await server.close()
      await database.close()
    }
    return { origin: server.origin, path, close }
  } catch (error) {
    await database.close()
    throw explainListening(error, { host, port, retyped })
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

/** A client gets its answer within a second, even if another program has locked the database. */
export const patienceMilliseconds = 700

type DataOptions = Pick<ServeOptions, 'data' | 'localPath' | 'samples' | 'signal'>

async function openData({ data, localPath, samples, signal }: DataOptions) {
  const opening = { samples, signal, patienceMilliseconds }
  if (data === undefined) {
    const local = await openLocalDatabase(localPath, opening)
    if (local.problem === undefined || local.path === undefined) return local
    await local.database.close()
    throw local.problem
  }
  const isInMemory = data === ':memory:'
  const database = await openDatabase(data, { ...opening, isNamed: !isInMemory })
  return { database, path: isInMemory ? undefined : data }
}

/** Why the server cannot listen on its port, with the command to run next. */
function explainListening(
  error: unknown,
  { host, port, retyped }: Pick<ServeOptions, 'host' | 'port' | 'retyped'>,
): unknown {
  const { code = '', message } = error as NodeJS.ErrnoException
  const failure = (text: string, change: HintOptions) =>
    new Failure('local', text, { hint: retyped(change), cause: error })
  if (code === 'EADDRINUSE') return failure(`port ${port} on ${host} is already in use`, { '--port': '0' })
  if (code === 'EACCES') return failure(`no permission to listen on port ${port}`, { '--port': '0' })
  if (['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'].includes(code)) {
    return failure(`${host} is not an address of this machine: ${message}`, { '--host': '127.0.0.1' })
  }
  return error
}

/** Parameters whose values the log shows; any other may contain a key. */
const knownParameters = ['limit', 'status']
const longestTarget = 200
const masked = '***'

/** The log line of a request: what was requested, the status, the time it took. */
function describeAnswered({ method, target, key, result, milliseconds }: Answered): string {
  const request = method === undefined ? 'unreadable request' : `${method} ${shownTarget(target, key)}`
  return `${request} ${result} ${milliseconds.toFixed(1)} ms`
}

function shownTarget(target: string, key: string | undefined): string {
  const [, path = '', query = ''] = /^([^?]*\??)(.*)$/s.exec(target) ?? []
  const shownQuery = query.replace(/(^|&)([^&=]*)=[^&]*/g, (parameter, before, name) =>
    knownParameters.includes(name) ? parameter : `${before}${name}=${masked}`,
  )
  const shown = path + shownQuery
  const withoutKey = key === undefined ? shown : shown.replaceAll(key, masked)
  return withoutKey.length > longestTarget ? `${withoutKey.slice(0, longestTarget)}…` : withoutKey
}
