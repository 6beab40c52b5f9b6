import dns from 'node:dns'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { proxyFor } from '../../src/client/proxies.ts'
import { createNetworkTransport } from '../../src/client/transport.ts'
import { TransportFault } from '../../src/client/transport-fault.ts'
import type { Reply, Request, Transport } from '../../src/model/exchange.ts'
import { rawServer } from '../support/raw-server.ts'
import { recordingServer } from '../support/recording-server.ts'

type Options = Partial<Parameters<typeof createNetworkTransport>[1]>

function transport(url: string, options: Options = {}): Promise<Transport> {
  return createNetworkTransport(url, {
    timeoutSeconds: 20,
    userAgent: 'petstore-cli/test',
    signal: new AbortController().signal,
    env: {},
    ...options
  })
}

const get = (url: string): Request => ({ method: 'GET', url: new URL(url).href, headers: {} })

async function faultOf(reply: Promise<Reply>) {
  const end: unknown = await reply.catch((error: unknown) => error)
  if (!(end instanceof TransportFault)) throw new Error('there was no fault', { cause: end })
  return { kind: end.kind, isStarted: end.details.isStarted, cause: end.cause }
}

// How each fault ends a run is in spawned/faults.test.ts.
describe('a request', () => {
  test('arrives unchanged, and its reply has status, headers and body', async () => {
    const server = await recordingServer({ status: 418, headers: { 'x-a': ['1', '2'] }, body: 'é' })
    const reply = await (await transport(server.url)).send({
      method: 'POST',
      url: `${server.url}/a%20b?c=d`,
      headers: { authorization: 'Bearer k' },
      body: '{"é":1}'
    })
    expect(reply).toMatchObject({ status: 418, headers: { 'x-a': ['1', '2'] } })
    expect(Buffer.from(reply.body).toString()).toBe('é')
    const headers = {
      authorization: 'Bearer k',
      'accept-encoding': 'identity',
      'user-agent': 'petstore-cli/test',
      'content-length': '8'
    }
    expect(server.requests).toMatchObject([{ path: '/a%20b?c=d', body: '{"é":1}', headers }])
  })

  test('uses the connection of the one before, and is not redirected', async () => {
    const server = await recordingServer({ status: 302, headers: { location: '/elsewhere' } })
    const { send } = await transport(server.url)
    for (let round = 0; round < 10; round += 1) await send(get(server.url))
    // The second may come before undici sees that the first connection is free.
    expect(server.connections()).toBeLessThanOrEqual(2)
    expect(server.requests).toHaveLength(10)
  })

  test.each([
    ['HEAD', '404 Not Found'],
    ['GET', '304 Not Modified']
  ])('by %s with %s has no body, whatever its headers say', async (method, status) => {
    const head = `HTTP/1.1 ${status}\r\ncontent-length: ${2 ** 24 - 1}\r\n\r\n`
    const server = await rawServer(socket => socket.end(head))
    const reply = await (await transport(server.url)).send({ ...get(server.url), method })
    expect([reply.status, reply.body.length]).toEqual([Number.parseInt(status, 10), 0])
  })

  test('is judged by the status of a refusal, even if its body breaks off', async () => {
    const head = 'HTTP/1.1 422 No\r\ncontent-length: 99\r\n\r\n{'
    const server = await rawServer(socket => socket.end(head))
    expect(await (await transport(server.url)).send(get(server.url))).toMatchObject({ status: 422 })
  })

  test('is not sent after an abort, and ends at once if it was', async () => {
    const controller = new AbortController()
    const server = await rawServer(() => controller.abort('SIGINT'))
    const { send } = await transport(server.url, { signal: controller.signal })
    const aborted = { kind: 'aborted', cause: 'SIGINT' }
    expect(await faultOf(send(get(server.url)))).toEqual({ ...aborted, isStarted: true })
    expect(await faultOf(send(get(server.url)))).toEqual({ ...aborted, isStarted: false })
    expect(server.requests()).toBe(1)
  })

  test('is not sent after its deadline, which a paused process finds when it continues', async () => {
    const server = await recordingServer({ body: 'x' })
    const { send } = await transport(server.url, { timeoutSeconds: 0.2 })
    const sending = faultOf(send(get(server.url)))
    // It asks for a connection, which is made meanwhile.
    for (let step = 0; step < 9; step += 1) await undefined
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400)
    expect(await sending).toMatchObject({ kind: 'timeout', isStarted: false })
    expect(server.requests).toEqual([])
  })

  test.each(['127.0.0.1', '::1'])(
    'to localhost goes to %s, and nothing is looked up',
    async host => {
      const server = createServer((_, response) => response.end('x')).listen(0, host)
      await once(server, 'listening')
      onTestFinished(() => void server.close())
      const lookups = vi.spyOn(dns, 'lookup')
      onTestFinished(() => lookups.mockRestore())
      const { port } = server.address() as AddressInfo
      expect(
        await (await transport(`http://localhost:${port}`)).send(get(`http://localhost:${port}`))
      ).toMatchObject({ status: 200 })
      expect(lookups).not.toHaveBeenCalled()
    }
  )
})

describe('a proxy', () => {
  const both = { HTTPS_PROXY: 'http://secure:1', HTTP_PROXY: 'http://plain:1' }
  test.each<[url: string, env: Record<string, string>, variable: string | undefined]>([
    ['https://a.example', both, 'HTTPS_PROXY'],
    ['http://a.example', both, 'HTTP_PROXY'],
    ['http://a.example', { http_proxy: 'http://lower:1', ...both }, 'http_proxy'],
    ['http://127.0.0.9', both, undefined],
    ['http://localhost', both, undefined],
    ['http://b.localhost', both, 'HTTP_PROXY'],
    ['https://[::1]', both, undefined],
    ['https://a.example', { ...both, NO_PROXY: 'b.example, A.example' }, undefined],
    ['https://x.a.example', { ...both, no_proxy: '.a.example' }, undefined],
    ['https://xa.example', { ...both, NO_PROXY: 'a.example' }, 'HTTPS_PROXY'],
    ['https://a.example', { ...both, NO_PROXY: '*' }, undefined],
    ['https://10.1.2.3', { ...both, NO_PROXY: '10.1.2.3' }, undefined],
    ['https://10.1.2.3', { ...both, NO_PROXY: '2.3, 10.1.2, .3' }, 'HTTPS_PROXY'],
    ['https://10.1.2.3', { ...both, NO_PROXY: '10.0.0.0/8' }, undefined],
    [
      'https://11.1.2.3',
      { ...both, NO_PROXY: '10.0.0.0/8, 11.0.0.0/33, 11.1.2.3/' },
      'HTTPS_PROXY'
    ],
    ['https://[fd12::1]', { ...both, NO_PROXY: '[FD12:0::1]' }, undefined],
    ['https://[fd12::1]', { ...both, NO_PROXY: 'fd00::/8' }, undefined],
    ['https://[fd12::1]', { ...both, NO_PROXY: '10.0.0.0/8, ::/x' }, 'HTTPS_PROXY']
  ])('for %s with %j is that of %s', (url, env, variable) => {
    expect(proxyFor(new URL(url), env)?.variable).toBe(variable)
  })

  test('that closes each connection is asked once: undici 7 would ask without end', async () => {
    const proxy = await rawServer(socket => socket.end())
    const { send } = await transport('https://pets.example', { env: { HTTPS_PROXY: proxy.url } })
    const fault = await faultOf(send(get('https://pets.example')))
    expect(fault).toMatchObject({ kind: 'lost', isStarted: false })
    expect(proxy.requests()).toBe(1)
  })

  test('gets requests for plain http itself, and its login', async () => {
    const proxy = await recordingServer({ body: 'x' })
    const env = { HTTP_PROXY: proxy.url.replace('://', '://me:p%40ss@') }
    const request = { ...get('http://pets.example/v1?a=b'), headers: { authorization: 'Bearer k' } }
    await (await transport('http://pets.example', { env })).send(request)
    const login = `Basic ${Buffer.from('me:p@ss').toString('base64')}`
    const headers = { authorization: 'Bearer k', 'proxy-authorization': login }
    expect(proxy.requests).toMatchObject([{ path: 'http://pets.example/v1?a=b', headers }])
  })

  test('opens a tunnel for https, and does not get the key', async () => {
    const service = await rawServer(() => {}, { onConnection: () => 'taken' })
    const heads: string[] = []
    const proxy = await rawServer((socket, { head }) => {
      heads.push(head)
      const tunnel = connect(service.port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        socket.once('data', hello => {
          heads.push(hello.toString('latin1'))
          socket.destroy(tunnel.destroy().errored ?? undefined)
        })
      })
    })
    const env = { HTTPS_PROXY: proxy.url.replace('://', '://me:secret@') }
    const request = { ...get('https://pets.example'), headers: { authorization: 'Bearer k' } }
    const { send } = await transport('https://pets.example', { env })
    await faultOf(send(request))
    expect(heads[0]).toMatch(/^CONNECT pets\.example:443 .*proxy-authorization: Basic/s)
    // The first byte of a handshake.
    expect(heads[1]?.charCodeAt(0)).toBe(0x16)
    expect(heads.join('')).not.toContain('Bearer')
  })
})
