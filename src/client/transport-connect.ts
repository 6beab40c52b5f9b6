import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { buildConnector } from 'undici'
import { createNameLookup } from '../platform/name-lookup.ts'
import { isCertificateAlert, TransportFault } from './fault.ts'

/** Creates the function with which undici connects to the service and to proxies. */
export function createConnector(timeout: number): buildConnector.connector {
  const connect = buildConnector({ timeout, lookup: createNameLookup(timeout / 1000) })
  return (target, callback) => {
    // It returns the socket, although its type does not say so.
    const socket = connect(target, (error, connected) => {
      if (error === null) {
        // After the handshake Node emits an alert as an error and leaves the socket open. Then undici would report only
        // the end of the stream that follows.
        connected.on('error', (alert) => connected.destroy(alert))
        callback(null, connected)
      } else if (isCertificateAlert(error) && hasCipher(socket)) {
        callback(new TransportFault('client-certificate', { stage: 'connecting', cause: error }), null)
      } else callback(error, null)
    }) as unknown as Socket | TLSSocket
  }
}

/** If no cipher was agreed on, the server refused something other than the certificate. */
function hasCipher(socket: Socket | TLSSocket): boolean {
  return 'getCipher' in socket && socket.getCipher() !== undefined
}

/**
 * undici's parser for the replies on a connection. It is reachable only from inside undici, so this part can change.
 */
interface ReplyParser {
  statusCode: number
  headers: unknown[]
  headersSize: number
  /** The result tells the parser what follows. */
  onHeadersComplete(status: number, isUpgrade: boolean, keepsAlive: boolean): number
}

/** For the parser: no body follows. */
const noBody = 1

const connectedChannel = 'undici:client:connected'

/**
 * Makes every connection ignore informational replies (1xx) until the returned function is called. HTTP lets a server
 * send `100 Continue` at any time (RFC 9110, 15.2), but undici closes the connection on one, which would leave a POST
 * in doubt that the server carried out. The parser now treats all of them as undici treats 102 and 103.
 */
export function ignoreInformationalReplies(): () => void {
  const onConnected = (message: unknown) => {
    const { socket } = message as { socket: Socket & Record<symbol, ReplyParser | undefined> }
    const symbol = Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'parser')
    const parser = symbol && socket[symbol]
    if (parser === undefined) return
    const onHeadersComplete = parser.onHeadersComplete
    parser.onHeadersComplete = (status, isUpgrade, keepsAlive) => {
      // After 101 the connection speaks another protocol, which cannot be ignored.
      if (status >= 200 || isUpgrade) return onHeadersComplete.call(parser, status, isUpgrade, keepsAlive)
      parser.statusCode = status
      parser.headers = []
      parser.headersSize = 0
      return noBody
    }
  }
  subscribe(connectedChannel, onConnected)
  return () => unsubscribe(connectedChannel, onConnected)
}
