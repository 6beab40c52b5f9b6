import type { Socket } from 'node:net'
import type { TlsOptions } from 'node:tls'
import { fileURLToPath } from 'node:url'
import type { Certificates } from '../certificates.ts'
import { rawServer, refusingAddress } from '../raw-server.ts'
import { type End, ends, type Fault } from './fault.ts'

const never: End = [6, 0]
const unstarted = (what: string, open: Fault['open']): Fault => ({
  what,
  list: never,
  add: never,
  open
})
const at = (url: string) => ({ env: { PETSTORE_BASE_URL: `${url}/v1` }, requests: () => 0 })

const resolver = fileURLToPath(new URL('resolver.cjs', import.meta.url))
/** Tests have no name server, so the program gets a fixed answer to its lookup. */
const lookedUp = (what: string, answer: string) =>
  unstarted(what, async () => ({
    env: { PETSTORE_BASE_URL: 'https://pets.example/v1', PETSTORE_TEST_LOOKUP: answer },
    requests: () => 0,
    nodeArguments: ['--require', resolver]
  }))

/** Faults before there is a connection. */
export const connectingFaults: readonly Fault[] = [
  unstarted('nothing listens', async () => at(await refusingAddress())),
  unstarted('no route to the address', async () => at('https://255.255.255.255')),
  lookedUp('the name does not exist', 'ENOTFOUND'),
  lookedUp('the name server fails', 'EAI_AGAIN'),
  lookedUp('the name server is silent', 'silence')
]

const badTls = (what: string, choose: (certificates: Certificates) => TlsOptions) =>
  unstarted(what, async certificates => {
    const server = await rawServer(ends(''), { tls: choose(certificates) })
    const { authorityPath } = certificates
    const env = { PETSTORE_BASE_URL: `${server.url}/v1`, NODE_EXTRA_CA_CERTS: authorityPath }
    return { env, requests: server.requests }
  })
const inHandshake = (what: string, onHello: (socket: Socket) => void) =>
  unstarted(what, async () => {
    const onConnection = (socket: Socket) => {
      socket.once('data', () => onHello(socket))
      return 'taken' as const
    }
    const { port } = await rawServer(() => {}, { onConnection })
    return at(`https://127.0.0.1:${port}`)
  })

export const tlsFaults: readonly Fault[] = [
  badTls('a self-signed certificate', ({ selfSigned }) => selfSigned),
  badTls('a certificate of an unknown authority', ({ unknownAuthority }) => unknownAuthority),
  badTls('an expired certificate', ({ expired }) => expired),
  badTls('a certificate for another host', ({ wrongName }) => wrongName),
  {
    ...badTls('a client certificate is required, by TLS 1.3', ({ good }) => ({
      ...good,
      minVersion: 'TLSv1.3',
      requestCert: true,
      rejectUnauthorized: true
    })),
    // The refusal comes after the request.
    add: [10, 0]
  },
  inHandshake('https leads to plain http', socket =>
    socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
  ),
  inHandshake('reset during the handshake', socket => socket.resetAndDestroy()),
  inHandshake('silent during the handshake', () => {})
]
