import { EventEmitter, once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createNetworkTransport } from '../../src/client/transport.ts'
import { TransportFault } from '../../src/client/transport-fault.ts'
import type { Reply, Transport } from '../../src/model/exchange.ts'
import { rawServer, refusingAddress } from '../support/raw-server.ts'
import { recordingServer } from '../support/recording-server.ts'

const megabyte = 1024 * 1024

function transport(options: Partial<Parameters<typeof createNetworkTransport>[0]> = {}): Transport {
  const made = createNetworkTransport({
    timeoutSeconds: 20,
    userAgent: 'petstore-cli/test',
    ...options
  })
  onTestFinished(() => made.close())
  return made
}

const get = (url: string) => ({ method: 'GET', url, headers: {} })

async function faultOf(reply: Promise<Reply>): Promise<TransportFault> {
  const end: unknown = await reply.catch((error: unknown) => error)
  if (!(end instanceof TransportFault)) throw new Error('there was no fault', { cause: end })
  return end
}

describe('a reply', () => {
  it('with 407 is the reply of the service if there is no proxy', async () => {
    const server = await recordingServer({ status: 407 })
    expect(await transport().send(get(server.url))).toMatchObject({ status: 407 })
  })

  it('has its status, headers and body, and the request arrives unchanged', async () => {
    const server = await recordingServer({ status: 418, headers: { 'x-a': ['1', '2'] }, body: 'é' })
    const reply = await transport().send({
      method: 'POST',
      url: `${server.url}/a%20b?c=d`,
      headers: { authorization: 'Bearer k' },
      body: '{"é":1}'
    })
    expect(reply.status).toBe(418)
    expect(reply.headers['x-a']).toEqual(['1', '2'])
    expect(Buffer.from(reply.body).toString()).toBe('é')
    expect(server.requests).toMatchObject([
      {
        method: 'POST',
        path: '/a%20b?c=d',
        body: '{"é":1}',
        headers: {
          authorization: 'Bearer k',
          'accept-encoding': 'identity',
          'user-agent': 'petstore-cli/test',
          'content-length': '8'
        }
      }
    ])
  })

  it('that redirects is not followed', async () => {
    const server = await recordingServer({ status: 302, headers: { location: '/elsewhere' } })
    expect((await transport().send(get(server.url))).status).toBe(302)
    expect(server.requests).toHaveLength(1)
  })

  it.each([
    ['HEAD', '200 OK'],
    ['HEAD', '404 Not Found'],
    ['GET', '204 No Content'],
    ['GET', '304 Not Modified']
  ])('to %s with %s may have headers of a body that it does not have', async (method, status) => {
    for (const header of ['content-encoding: gzip', `content-length: ${32 * megabyte + 1}`]) {
      const server = await rawServer(socket =>
        socket.end(`HTTP/1.1 ${status}\r\n${header}\r\n\r\n`)
      )
      const reply = await transport().send({ ...get(server.url), method })
      expect(reply).toMatchObject({ status: Number.parseInt(status, 10), body: new Uint8Array() })
    }
  })

  it('leaves its connection open for the next request', async () => {
    const server = await recordingServer({ body: 'x' })
    const { send } = transport()
    for (let round = 0; round < 10; round += 1) await send(get(server.url))
    // The second request may come before undici sees that the first connection is free.
    expect(server.connections()).toBeLessThanOrEqual(2)
  })
})

describe('a reply compressed without a request for it', () => {
  const compressions: [string, (body: Uint8Array) => Uint8Array][] = [
    ['gzip', gzipSync],
    ['X-GZip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['identity, gzip', gzipSync],
    ['br, gzip', body => gzipSync(brotliCompressSync(body))]
  ]
  const text = Buffer.from('{"é":1}'.repeat(10_000))
  const one: typeof compressions = [
    ['gzip', gzipSync],
    ['br', body => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ['deflate', deflateSync]
  ]

  it.each(compressions)('is decompressed: %s', async (encoding, compress) => {
    for (const status of [200, 404]) {
      const server = await recordingServer({
        status,
        headers: { 'content-encoding': encoding },
        body: compress(text)
      })
      const reply = await transport().send(get(server.url))
      expect(reply).toMatchObject({ status, headers: { 'content-encoding': encoding } })
      expect(Buffer.from(reply.body).equals(text)).toBe(true)
    }
  })

  it.each(one)('is cut off at 32 MiB: %s', async (encoding, compress) => {
    const bomb = compress(Buffer.alloc(32 * megabyte + 1))
    const server = await recordingServer({ headers: { 'content-encoding': encoding }, body: bomb })
    const fault = await faultOf(transport().send(get(server.url)))
    expect(fault).toMatchObject({ kind: 'too-large', head: { status: 200 } })
  })

  it.each(compressions)('that breaks off is lost: %s', async (encoding, compress) => {
    const server = await rawServer(socket => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: ${encoding}\r\n\r\n`)
      socket.end(compress(text).subarray(0, -20))
    })
    expect(await faultOf(transport().send(get(server.url)))).toMatchObject({
      kind: 'lost',
      head: { status: 200 }
    })
  })

  it('has at most five encodings', async () => {
    const serverWith = (encodings: number) => {
      let body: Uint8Array = text
      for (let number = 0; number < encodings; number += 1) body = gzipSync(body)
      const encoding = Array.from({ length: encodings }, () => 'gzip').join(', ')
      return recordingServer({ headers: { 'content-encoding': encoding }, body })
    }
    const { url } = await serverWith(5)
    expect(Buffer.from((await transport().send(get(url))).body).equals(text)).toBe(true)
    const fault = await faultOf(transport().send(get((await serverWith(6)).url)))
    expect(fault).toMatchObject({ kind: 'encodings', head: { status: 200 } })
  })

  it('is decompressed within the time limit', async () => {
    const body = gzipSync(Buffer.alloc(31 * megabyte))
    const server = await recordingServer({ headers: { 'content-encoding': 'gzip' }, body })
    const fault = await faultOf(transport({ timeoutSeconds: 0.01 }).send(get(server.url)))
    expect(fault).toMatchObject({ kind: 'timeout' })
  })

  it('may be empty', async () => {
    const server = await recordingServer({ headers: { 'content-encoding': 'gzip' }, body: '' })
    expect((await transport().send(get(server.url))).body).toHaveLength(0)
  })

  it.each([
    ['gzip', 'no gzip'],
    ['br', '{}'],
    ['zstd, gzip', 'no gzip'],
    ['zstd', 'anything'],
    ['constructor', 'anything']
  ])('that is not what its header says stays as it is: %s', async (encoding, body) => {
    const server = await recordingServer({ headers: { 'content-encoding': encoding }, body })
    const reply = await transport().send(get(server.url))
    expect(Buffer.from(reply.body).toString()).toBe(body)
  })
})

describe('informational replies before the final one', () => {
  const informational = 'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'

  it('are ignored', async () => {
    const server = await rawServer(socket => {
      socket.end(`${informational}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok`)
    })
    const reply = await transport().send({ ...get(server.url), method: 'POST', body: '{}' })
    expect(reply.status).toBe(200)
    expect(Buffer.from(reply.body).toString()).toBe('ok')
  })

  it('do not count as a reply', async () => {
    const server = await rawServer(socket => socket.end(informational))
    expect(await faultOf(transport().send(get(server.url)))).toMatchObject({
      kind: 'lost',
      phase: 'waiting'
    })
  })
})

describe('a fault before the request starts', () => {
  it('refused', async () => {
    expect(await faultOf(transport().send(get(await refusingAddress())))).toMatchObject({
      kind: 'refused',
      phase: 'connecting',
      isStarted: false
    })
  })

  it.each([
    ['not a URL', 'http://', {}],
    ['a header with a line break', 'http://127.0.0.1:9', { authorization: 'Bearer a\nb' }]
  ])('unsendable: %s', async (_, url, headers) => {
    const fault = await faultOf(transport().send({ method: 'GET', url, headers }))
    expect(fault).toMatchObject({ kind: 'unsendable', isStarted: false })
  })

  it('TLS to a server without TLS', async () => {
    const server = createServer(socket => {
      socket.on('error', () => {})
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as { port: number }
    const fault = await faultOf(transport().send(get(`https://127.0.0.1:${port}`)))
    expect(fault).toMatchObject({ kind: 'no-tls', isStarted: false })
  })

  it('a silent TLS handshake ends at the deadline', async () => {
    const server = createServer(socket => {
      onTestFinished(() => void socket.destroy())
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as { port: number }
    const fault = await faultOf(
      transport({ timeoutSeconds: 0.2 }).send(get(`https://127.0.0.1:${port}`))
    )
    expect(fault).toMatchObject({ kind: 'timeout', phase: 'connecting', isStarted: false })
  })

  it('aborted: nothing is sent, and the fault has the reason', async () => {
    const server = await recordingServer({ body: 'x' })
    const signal = AbortSignal.abort('SIGTERM')
    expect(await faultOf(transport({ signal }).send(get(server.url)))).toMatchObject({
      kind: 'aborted',
      isStarted: false,
      cause: 'SIGTERM'
    })
    expect(server.connections()).toBe(0)
  })
})

describe('a fault after the request started', () => {
  const head = 'HTTP/1.1 200 OK\r\n'
  it.each<[string, (socket: Socket) => void, object]>([
    ['reset', socket => socket.resetAndDestroy(), { kind: 'lost', phase: 'waiting' }],
    ['closed without a reply', socket => socket.end(), { kind: 'lost', phase: 'waiting' }],
    [
      'a truncated head',
      socket => socket.end(`${head}content-le`),
      { kind: 'lost', phase: 'waiting' }
    ],
    [
      'not HTTP',
      socket => socket.end('SSH-2.0-OpenSSH_9.9\r\n'),
      { kind: 'not-http', phase: 'waiting' }
    ],
    [
      'a body shorter than its length',
      socket => socket.end(`${head}content-length: 9\r\n\r\nabc`),
      { kind: 'lost', phase: 'receiving', head: { status: 200 } }
    ],
    [
      'a body that ends between chunks',
      socket => socket.end(`${head}transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n`),
      { kind: 'lost', phase: 'receiving', head: { status: 200 } }
    ],
    [
      'an invalid chunk',
      socket => socket.write(`${head}transfer-encoding: chunked\r\n\r\nzzz\r\n`),
      { kind: 'not-http', head: { status: 200 } }
    ],
    [
      'a head that is too long',
      socket => socket.write(`${head}x: ${'y'.repeat(40_000)}`),
      { kind: 'too-large' }
    ],
    [
      'a length over 32 MiB',
      socket => socket.write(`${head}content-length: ${32 * megabyte + 1}\r\n\r\n`),
      { kind: 'too-large', head: { status: 200 } }
    ]
  ])('%s', async (_, answer, expected) => {
    const server = await rawServer(answer)
    expect(await faultOf(transport().send(get(server.url)))).toMatchObject({
      ...expected,
      isStarted: true
    })
    expect(server.requests()).toBe(1)
  })

  it('a body that never ends is cut off at 32 MiB', async () => {
    let sent = 0
    const server = await rawServer(socket => {
      const piece = Buffer.alloc(megabyte, 'a')
      socket.write(`${head}\r\n`)
      const pour = () => {
        while (!socket.destroyed && sent < 1000) {
          sent += 1
          if (!socket.write(piece)) return void socket.once('drain', pour)
        }
      }
      pour()
    })
    expect(await faultOf(transport().send(get(server.url)))).toMatchObject({
      kind: 'too-large',
      head: { status: 200 }
    })
    expect(sent).toBeLessThan(100)
  })

  it('silence ends at the deadline', async () => {
    const server = await rawServer(() => {})
    const fault = await faultOf(transport({ timeoutSeconds: 0.3 }).send(get(server.url)))
    expect(fault).toMatchObject({ kind: 'timeout', phase: 'waiting', isStarted: true })
  })

  it('a body that arrives too slowly ends at the deadline', async () => {
    const server = await rawServer(socket => {
      socket.write(`${head}\r\n`)
      const timer = setInterval(() => socket.write('.'), 20)
      socket.on('close', () => clearInterval(timer))
    })
    const fault = await faultOf(transport({ timeoutSeconds: 0.5 }).send(get(server.url)))
    expect(fault).toMatchObject({ kind: 'timeout', phase: 'receiving', head: { status: 200 } })
  })

  it('a deadline ends only its own attempt, and closes its connection', async () => {
    const gone = new EventEmitter()
    const isGone = once(gone, 'gone')
    const server = await recordingServer(async ({ path }, response) => {
      if (path === '/never') {
        response.on('close', () => gone.emit('gone'))
        return undefined
      }
      await isGone
      return { body: path }
    })
    const { send } = transport({ timeoutSeconds: 2 })
    const never = faultOf(send(get(`${server.url}/never`)))
    await server.received(1)
    // These get their replies after the first connection is closed. One starts every 0.1 s: on a
    // slow machine, the early ones may reach their own deadlines before that, but the last one
    // cannot.
    const others: Promise<unknown>[] = []
    const timer = setInterval(
      () => others.push(send(get(`${server.url}/late`)).catch(() => undefined)),
      100
    )
    expect((await never).kind).toBe('timeout')
    clearInterval(timer)
    await isGone
    const late = (await Promise.all(others)).filter(reply => reply !== undefined)
    expect(late.length).toBeGreaterThan(0)
  })

  it('an abort while waiting ends the request immediately', async () => {
    const controller = new AbortController()
    const server = await rawServer(() => controller.abort('SIGINT'))
    const fault = await faultOf(transport({ signal: controller.signal }).send(get(server.url)))
    expect(fault).toMatchObject({
      kind: 'aborted',
      phase: 'waiting',
      isStarted: true,
      cause: 'SIGINT'
    })
  })

  it('closing the transport ends the requests in flight', async () => {
    const made = createNetworkTransport({ timeoutSeconds: 20, userAgent: 'petstore-cli/test' })
    const server = await rawServer(() => void made.close())
    expect(await faultOf(made.send(get(server.url)))).toMatchObject({
      kind: 'lost',
      isStarted: true
    })
  })
})
