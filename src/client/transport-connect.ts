import type { LookupFunction, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { buildConnector } from 'undici'
import { createNameLookup } from '../platform/name-lookup.ts'
import { isCertificateAlert, TransportFault } from './fault.ts'

/** A name lookup that knows whether it is waiting for an answer: undici does not say what a connection waits for. */
export interface WatchedLookup {
  readonly lookUp: LookupFunction
  isWaiting(): boolean
}

export function watchLookups(timeout: number): WatchedLookup {
  const lookUp = createNameLookup(timeout / 1000)
  let waiting = 0
  return {
    lookUp: (hostname, options, callback) => {
      waiting += 1
      lookUp(hostname, options, (...answer) => {
        waiting -= 1
        callback(...answer)
      })
    },
    isWaiting: () => waiting > 0,
  }
}

/** Creates the function with which undici connects to the service and to proxies. */
export function createConnector(timeout: number, { lookUp }: WatchedLookup): buildConnector.connector {
  const connect = buildConnector({ timeout, lookup: lookUp })
  return (target, callback) => {
    // It returns the socket, although its type does not say so.
    const socket = connect(target, (error, connected) => {
      if (error === null) {
        // After the handshake Node emits an alert as an error and leaves the socket open. Then undici would report only
        // the end of the stream that follows.
        connected.on('error', (alert) => connected.destroy(alert))
        callback(null, connected)
      } else if (isCertificateAlert(error) && hasCipher(socket)) {
        callback(new TransportFault('client-certificate', { phase: 'connecting', cause: error }), null)
      } else callback(error, null)
    }) as unknown as Socket | TLSSocket
  }
}

/** If no cipher was agreed on, the server refused something other than the certificate. */
function hasCipher(socket: Socket | TLSSocket): boolean {
  return 'getCipher' in socket && socket.getCipher() !== undefined
}
