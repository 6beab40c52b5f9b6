import { once } from 'node:events'
import { type AddressInfo, isIPv6 } from 'node:net'
import type { Failure } from '../failure.ts'
import { errorCode, systemFailure } from '../system/errno.ts'
import { openDatabase } from './database.ts'
import type { ServiceReply, ServiceRequest } from './http.ts'
import { type Faults, misbehaveAsPlanned } from './misbehavior.ts'
import { createHandler } from './router.ts'
import { createHttpServer } from './server.ts'
import type { FirstPet } from './tables.ts'

interface ServeOptions extends Faults {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  /** The command line to try if the port is in use. */
  readonly otherPort: string
  readonly key: string
  /** The path of the database. */
  readonly path: string
  readonly firstPets: readonly FirstPet[]
  /** Whether the data may be put back to the start. */
  readonly isResettable: boolean
  now(): Date
  /** Receives one line for each request; the caller masks the API key in it. */
  log(line: string): void
  /** Receives each failure of the database. */
  onFailure(failure: Failure): void
}

/** How long a client may take to send the rest of its request when the service is closed. */
const closingMilliseconds = 5000

/** Of the list of requests. */
const mostRequests = 1000
const mostBytes = 16 * 1024

/** The local service on a port. */
export async function startService(options: ServeOptions) {
  const { host, port, key, path, firstPets, isResettable } = options
  const database = openDatabase(path, firstPets)
  const ending = new AbortController()
  const { signal } = ending
  let requests: object[] = []
  const reset = async () => {
    await database.write(tables => tables.reset(firstPets))
    requests = []
  }
  const answer = createHandler({
    ...options,
    database,
    requests: () => requests,
    reset: isResettable ? reset : undefined,
    misbehave: misbehaveAsPlanned(options, signal)
  })
  const onAnswered = (request: ServiceRequest, { fault, status }: ServiceReply, time: Date) => {
    const { method, path, body } = request
    options.log(`${method} ${path} ${fault ?? status} ${Date.now() - Number(time)} ms`)
    if (path.startsWith('/_local')) return
    const text = body.toString('utf8', 0, mostBytes)
    // A reply that was lost has no status.
    requests.push({ time, method, path, status: fault ? null : status, body: text })
    if (requests.length > mostRequests) requests.shift()
  }
  const server = createHttpServer({ key, ending: signal, answer, onAnswered })
  try {
    await once(server.listen(port, host), 'listening')
  } catch (error) {
    database.close()
    const hint = errorCode(error) === 'EADDRINUSE' ? options.otherPort : undefined
    throw systemFailure(error, 'local', `cannot listen on ${host}, port ${port}`, hint)
  }
  return {
    origin: originOf(server.address() as AddressInfo),
    /** Lets requests in progress finish. */
    close: async () => {
      ending.abort()
      // Not all connections keep the process alive until they are closed.
      const limit = setTimeout(() => server.closeAllConnections(), closingMilliseconds)
      await once(server.close(), 'close')
      clearTimeout(limit)
      database.close()
    }
  }
}

/** `http://127.0.0.1:4010`: for all addresses, one at which this machine reaches the service. */
function originOf({ address, port }: AddressInfo) {
  if (address === '0.0.0.0') return `http://127.0.0.1:${port}`
  if (address === '::') return `http://[::1]:${port}`
  return `http://${isIPv6(address) ? `[${address}]` : address}:${port}`
}
