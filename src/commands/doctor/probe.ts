import type { LookupAddress } from 'node:dns'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { createNameLookup, lookupAll } from '../../platform/name-lookup.ts'
import { orAborted } from '../../platform/promises.ts'
import { errorCode } from '../../platform/system-error.ts'

/** One step of a connection, tested separately. */
export interface Step {
  readonly name: 'dns' | 'tcp' | 'tls'
  readonly milliseconds: number
  /** The result of the step, or the error. */
  readonly detail: string
  readonly isDone: boolean
}

/** Tests the steps before a request, one after the other, until one fails. Each has the same time limit. */
export async function reach(url: string, timeoutSeconds: number, signal: AbortSignal): Promise<Step[]> {
  const target = new URL(url)
  const isSecure = target.protocol === 'https:'
  const port = Number(target.port) || (isSecure ? 443 : 80)
  const hostname = target.hostname.replace(/^\[(.*)\]$/, '$1')
  const steps: Step[] = []
  const take = async <Value>(name: Step['name'], work: () => Promise<Value>, describe: (value: Value) => string) => {
    const start = performance.now()
    const record = (isDone: boolean, detail: string) => {
      steps.push({ name, isDone, detail, milliseconds: Math.round(performance.now() - start) })
    }
    const deadline = AbortSignal.timeout(Math.ceil(timeoutSeconds * 1000))
    try {
      // A name lookup cannot be aborted.
      const value = await orAborted(work(), AbortSignal.any([deadline, signal]))
      record(true, describe(value))
      return value
    } catch (error) {
      if (signal.aborted) throw signal.reason
      record(false, deadline.aborted ? `no reply within ${timeoutSeconds} s` : codeOf(error))
      return undefined
    }
  }

  const { connect } = await import('node:net')
  // Loaded before connecting: a TLS socket on a connection that has ended in the meantime reports nothing.
  const tls = await import('node:tls')
  const found = await take('dns', () => lookupAll(hostname, timeoutSeconds), describeAddresses)
  if (found === undefined) return steps

  const sockets: Socket[] = []
  try {
    const plain = await take(
      'tcp',
      () =>
        opened(keep(connect({ host: hostname, port, lookup: createNameLookup(timeoutSeconds) }), sockets), 'connect'),
      describePeer,
    )
    if (plain === undefined || !isSecure) return steps
    const servername = /^[\d.]+$|:/.test(hostname) ? '' : hostname
    await take(
      'tls',
      () => opened(keep(tls.connect({ socket: plain, host: hostname, servername }), sockets), 'secureConnect'),
      describeSession,
    )
    return steps
  } finally {
    // The TLS socket first: Node 20 crashes if the socket below it is destroyed before it.
    for (const socket of sockets.reverse()) socket.destroy()
  }
}

function keep<Kept extends Socket>(socket: Kept, sockets: Socket[]): Kept {
  sockets.push(socket)
  // It may fail again later, when nothing waits for it.
  socket.on('error', () => {})
  return socket
}

function opened<Opened extends Socket>(socket: Opened, event: 'connect' | 'secureConnect'): Promise<Opened> {
  return new Promise((resolve, reject) => {
    socket.once(event, () => resolve(socket))
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('closed')))
  })
}

const describeAddresses = (addresses: readonly LookupAddress[]) => addresses.map(({ address }) => address).join(', ')

const describePeer = ({ remoteAddress, remotePort }: Socket) => `connected to ${remoteAddress} port ${remotePort}`

function describeSession(socket: TLSSocket): string {
  const { valid_to: end, issuer } = socket.getPeerCertificate()
  return `${socket.getProtocol()}, certificate from ${issuer?.O ?? issuer?.CN ?? 'an unnamed issuer'}, valid until ${end}`
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // If a name has several addresses, there is an error for each.
  const [first] = error instanceof AggregateError ? error.errors : [error]
  return errorCode(first) ?? error.message
}
