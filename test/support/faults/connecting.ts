import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { TlsOptions } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { Certificates } from '../certificates.ts'
import { rawServer, refusingAddress } from '../raw-server.ts'
import { nodePath } from '../spawn-cli.ts'
import { atServer, type End, ends, type Fault, type OpenFault } from './fault.ts'

const never: End = [6, 0]
const unstarted = (what: string, open: Fault['open']): Fault => ({
  what,
  list: never,
  add: never,
  open
})
const at = (url: string, more: Partial<OpenFault> = {}) => ({
  env: { PETSTORE_BASE_URL: `${url}/v1` },
  requests: () => 0,
  ...more
})

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
  unstarted('the server accepts no more connections', async () => at(await fullServer())),
  unstarted('no route to the address', async () => at('https://255.255.255.255')),
  lookedUp('the name does not exist', 'ENOTFOUND'),
  lookedUp('the name server fails', 'EAI_AGAIN'),
  lookedUp('the name server is silent', 'silence')
]

/** A program that listens and never accepts connections, so that its backlog fills. */
const listener = `
  const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    require('node:fs').writeSync(1, String(server.address().port))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })`

async function fullServer(): Promise<string> {
  const child = spawn(nodePath, ['-e', listener], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [port] = (await once(child.stdout, 'data')) as [Buffer]
  // More than the backlog holds; the rest get no answer.
  for (let index = 0; index < 6; index += 1) {
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
    await Promise.race([once(socket, 'connect'), new Promise(resolve => setTimeout(resolve, 200))])
  }
  return `http://127.0.0.1:${port}`
}

const trusting = (url: string, { authorityPath }: Certificates, requests: () => number) => ({
  env: { PETSTORE_BASE_URL: `${url}/v1`, NODE_EXTRA_CA_CERTS: authorityPath },
  requests
})
const badTls = (what: string, choose: (certificates: Certificates) => TlsOptions) =>
  unstarted(what, async certificates => {
    const server = await rawServer(ends(''), { tls: choose(certificates) })
    return trusting(server.url, certificates, server.requests)
  })
/** In TLS 1.3 the refusal comes after the request. */
const requiring = (version: 'TLSv1.2' | 'TLSv1.3') =>
  badTls(`a client certificate is required, by ${version}`, ({ good }) => ({
    ...good,
    minVersion: version,
    maxVersion: version,
    requestCert: true,
    rejectUnauthorized: true
  }))
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
  badTls('only TLS 1.0', ({ good }) => ({
    ...good,
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1',
    ciphers: 'ALL:@SECLEVEL=0'
  })),
  requiring('TLSv1.2'),
  { ...requiring('TLSv1.3'), add: [10, 0] },
  inHandshake('https leads to plain http', socket =>
    socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
  ),
  inHandshake('reset during the handshake', socket => socket.resetAndDestroy()),
  inHandshake('closed during the handshake', socket => socket.end()),
  inHandshake('silent during the handshake', () => {}),
  {
    what: 'a corrupt TLS record after the request, then silent',
    list: [6, 1],
    add: [10, 1],
    open: openCorrupt
  },
  {
    ...atServer('http leads to TLS', [6, 0], [10, 0], () => {}),
    open: async ({ good }) => {
      const { port } = await rawServer(() => {}, { tls: good })
      return at(`http://127.0.0.1:${port}`)
    }
  }
]

async function openCorrupt(certificates: Certificates): Promise<OpenFault> {
  const requested = new EventEmitter()
  const service = await rawServer(() => requested.emit('request'), { tls: certificates.good })
  const front = await rawServer(() => {}, {
    onConnection: socket => {
      const behind = connect(service.port, '127.0.0.1')
      behind.on('error', () => {})
      socket.pipe(behind).pipe(socket)
      // A record of 32 bytes that cannot be decrypted.
      requested.once('request', () =>
        socket.write(Buffer.from(`1703030020${'00'.repeat(32)}`, 'hex'))
      )
      return 'taken'
    }
  })
  return trusting(`https://127.0.0.1:${front.port}`, certificates, service.requests)
}
