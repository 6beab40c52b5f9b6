import { EventEmitter } from 'node:events'
import { connect } from 'node:net'
import type { TlsOptions } from 'node:tls'
import type { FaultKind } from '../../../src/client/transport-fault.ts'
import type { Certificates } from '../certificates.ts'
import { rawServer } from '../raw-server.ts'
import { atServer, endsWith, type Fault, type OpenFault } from './fault.ts'

const neverRequested = endsWith('HTTP/1.1 500 Must Not Be Requested\r\ncontent-length: 0\r\n\r\n')

/** Faults before TLS is set up; no request is sent. */
export const tlsFaults: readonly Fault[] = [
  badTls('self-signed', 'the certificate is self-signed', ({ selfSigned }) => selfSigned),
  badTls(
    'unknown-authority',
    'the certificate is from an unknown authority',
    ({ unknownAuthority }) => unknownAuthority
  ),
  badTls('expired', 'the certificate has expired', ({ expired }) => expired),
  badTls('wrong-name', 'the certificate is for another host', ({ wrongName }) => wrongName),
  badTls('old-protocol', 'the server supports only TLS 1.0', ({ good }) => ({
    ...good,
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1',
    ciphers: 'ALL:@SECLEVEL=0'
  })),
  ...(['TLSv1.2', 'TLSv1.3'] as const).map(version => ({
    ...badTls(
      `client-certificate-${version}`,
      `the server requires a client certificate, by ${version}`,
      ({ good }) => ({
        ...good,
        minVersion: version,
        maxVersion: version,
        requestCert: true,
        rejectUnauthorized: true
      })
    ),
    result: { problem: 'client-certificate', isStarted: false } as const
  })),
  unstarted(
    'plain-behind-https',
    'an https URL leads to a server that speaks plain http',
    'no-tls',
    async () => {
      const { port, requests } = await rawServer(() => {}, {
        onConnection: socket => {
          socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
          return 'taken'
        }
      })
      return { env: { PETSTORE_BASE_URL: `https://127.0.0.1:${port}/v1` }, requests }
    }
  ),
  unstarted(
    'reset-in-handshake',
    'the connection is reset during the handshake',
    'reset',
    async () => {
      const { port, requests } = await rawServer(() => {}, {
        onConnection: socket => {
          socket.once('data', () => socket.resetAndDestroy())
          return 'taken'
        }
      })
      return { env: { PETSTORE_BASE_URL: `https://127.0.0.1:${port}/v1` }, requests }
    }
  ),
  unstarted(
    'closed-in-handshake',
    'the connection is closed during the handshake',
    'reset',
    async () => {
      const { port, requests } = await rawServer(() => {}, {
        onConnection: socket => {
          socket.once('data', () => socket.end())
          return 'taken'
        }
      })
      return { env: { PETSTORE_BASE_URL: `https://127.0.0.1:${port}/v1` }, requests }
    }
  ),
  {
    ...unstarted(
      'silent-handshake',
      'the server does not answer the handshake',
      'timeout',
      async () => {
        const { port, requests } = await rawServer(() => {}, { onConnection: () => 'taken' })
        return { env: { PETSTORE_BASE_URL: `https://127.0.0.1:${port}/v1` }, requests }
      }
    ),
    needsDeadline: true
  },
  {
    name: 'broken-record',
    what: 'the server sends a corrupt TLS record after the request',
    result: { problem: 'tls', isStarted: true },
    list: [6, 1],
    add: [10, 1],
    open: async certificates => {
      const breakRecords = new EventEmitter()
      const service = await rawServer(() => breakRecords.emit('request'), {
        tls: certificates?.good
      })
      const front = await rawServer(() => {}, {
        onConnection: socket => {
          const behind = connect(service.port, '127.0.0.1')
          behind.on('error', () => {})
          socket.pipe(behind).pipe(socket)
          // A record of 32 bytes that cannot be decrypted.
          breakRecords.once('request', () =>
            socket.write(Buffer.from(`1703030020${'00'.repeat(32)}`, 'hex'))
          )
          return 'taken'
        }
      })
      const env = { PETSTORE_BASE_URL: `https://127.0.0.1:${front.port}/v1` }
      return { env: withAuthority(env, certificates), requests: service.requests }
    }
  },
  {
    name: 'tls-behind-http',
    what: 'an http URL leads to a server that speaks TLS',
    result: { problem: 'lost', isStarted: true },
    list: [6, 0],
    add: [10, 0],
    open: async certificates => {
      const { port, requests } = await rawServer(neverRequested, { tls: certificates?.good })
      return { env: { PETSTORE_BASE_URL: `http://127.0.0.1:${port}/v1` }, requests }
    }
  }
]

function badTls(
  name: string,
  what: string,
  choose: (certificates: Certificates) => TlsOptions
): Fault {
  return unstarted(name, what, 'tls', async certificates => {
    if (certificates === undefined) throw new Error('there are no certificates without openssl')
    const { env, requests } = await atServer(neverRequested, { tls: choose(certificates) })
    return { env: withAuthority(env, certificates), requests }
  })
}

function withAuthority(
  env: OpenFault['env'],
  certificates: Certificates | undefined
): OpenFault['env'] {
  return certificates === undefined
    ? env
    : { ...env, NODE_EXTRA_CA_CERTS: certificates.authorityPath }
}

function unstarted(name: string, what: string, fault: FaultKind, open: Fault['open']): Fault {
  return {
    name,
    what,
    result: { problem: fault, isStarted: false },
    list: [6, 0],
    add: [6, 0],
    open
  }
}
