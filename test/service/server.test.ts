import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { startServer } from '../../src/service/server.ts'
import { key, type RunningService, readUntil, startService } from './running-service.ts'

async function start(options: Parameters<typeof startService>[0] = {}): Promise<RunningService> {
  const service = await startService(options)
  onTestFinished(() => service.close())
  return service
}

const head = (...lines: string[]) => [...lines, `Authorization: Bearer ${key}`, '', ''].join('\r\n')
const list = head('GET /v1/pets HTTP/1.1', 'Host: x')
const pet = '{"name":"Rex","categoryId":1}'
const add = `${head('POST /v1/pets HTTP/1.1', 'Host: x', 'Content-Type: application/json', `Content-Length: ${pet.length}`)}${pet}`
const chunkedHead = head(
  'POST /v1/pets HTTP/1.1',
  'Host: x',
  'Content-Type: application/json',
  'Transfer-Encoding: chunked',
)
const count = async (service: RunningService) => JSON.parse((await service.send('GET', '/v1/pets')).body).length

/** Sends text on a TCP connection. Returns the reply with its body parsed. */
async function replyTo(service: RunningService, text: string): Promise<{ status: number; body: unknown }> {
  const socket = await service.open()
  socket.write(text)
  const reply = await readUntil(socket, /\r\n\r\n[[{].*[\]}]$/s)
  const [, status, body = ''] = /^HTTP\/1.1 (\d+) .*?\r\n\r\n(.*)$/s.exec(reply) ?? []
  return { status: Number(status), body: JSON.parse(body) }
}

describe('broken or unusual HTTP', () => {
  const refused = (status: number) => ({
    status,
    body: { code: expect.any(String), message: expect.any(String), status },
  })

  test.each([
    ['an invalid line', 'pets please\r\n\r\n', 400],
    ['another protocol', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
    ['a header without a colon', 'GET /v1/pets HTTP/1.1\r\nnonsense\r\n\r\n', 400],
    ['two lengths', head('POST /v1/pets HTTP/1.1', 'Content-Length: 1', 'Content-Length: 2'), 400],
    ['a length and chunks', head('POST /v1/pets HTTP/1.1', 'Content-Length: 1', 'Transfer-Encoding: chunked'), 400],
    ['a chunk with an invalid size', `${chunkedHead}zz\r\n`, 400],
    ['headers beyond 16 KiB', head('GET /v1/pets HTTP/1.1', `X: ${'x'.repeat(16 * 1024)}`), 431],
    ['a target beyond 16 KiB', head(`GET /v1/pets?${'x'.repeat(16 * 1024)} HTTP/1.1`), 431],
    ['CONNECT', head('CONNECT pets.example:443 HTTP/1.1'), 405],
    ['a target that is not a URL', head('OPTIONS * HTTP/1.1', 'Host: x'), 400],
  ])('%s: the reply has an Error body', async (_, text, status) => {
    const service = await start()
    expect(await replyTo(service, text)).toEqual(refused(status))
    expect(await count(service)).toBe(0)
  })

  test.each([
    ['no Host', head('GET /v1/pets HTTP/1.1')],
    ['HTTP/1.0', head('GET /v1/pets HTTP/1.0')],
    ['a complete URL as target', head('GET http://elsewhere.example/v1/pets HTTP/1.1', 'Host: elsewhere.example')],
    ['an unknown expectation', head('GET /v1/pets HTTP/1.1', 'Host: x', 'Expect: the unexpected')],
  ])('%s is accepted', async (_, text) => {
    expect(await replyTo(await start(), text)).toEqual({ status: 200, body: [] })
  })
})

describe('a body', () => {
  test('that arrives byte by byte is read whole', async () => {
    const service = await start()
    const socket = await service.open()
    socket.setNoDelay(true)
    for (const character of add) await new Promise((resolve) => socket.write(character, resolve))
    expect(await readUntil(socket, '}')).toContain('201 Created')
  })

  test('without an end is refused when it becomes too large', async () => {
    const service = await start()
    const socket = await service.open()
    socket.write(`${chunkedHead}100000\r\n${'x'.repeat(0x100000)}\r\n1\r\nx\r\n`)
    expect(await readUntil(socket, '}')).toContain('413 Payload Too Large')
  })

  test('is cut off if it continues too long after its refusal', async () => {
    const service = await start()
    const socket = await service.open()
    socket.resume().write(chunkedHead)
    const chunk = `100000\r\n${'x'.repeat(0x100000)}\r\n`
    const closed = new Promise((resolve) => socket.once('close', resolve))
    for (let sent = 0; sent < 80 && !socket.closed; sent += 1) {
      await new Promise((resolve) => socket.write(chunk, resolve))
    }
    await closed
    expect(await count(service)).toBe(0)
  })

  test('that ends too early adds nothing, and is logged as gone', async () => {
    const service = await start()
    const socket = await service.open()
    socket.end(add.slice(0, -1))
    await once(socket.resume(), 'close')
    expect(await count(service)).toBe(0)
    await vi.waitFor(() => expect(service.log).toContainEqual(expect.stringMatching(/^POST \/v1\/pets gone /)))
  })
})

describe('the key is checked before the body', () => {
  const headOf = (...lines: string[]) =>
    ['POST /v1/pets HTTP/1.1', 'Host: x', 'Content-Length: 29', ...lines, '', ''].join('\r\n')
  const expecting = 'Expect: 100-continue'
  const json = 'Content-Type: application/json'

  test('a request without the key is refused before any of its body arrives', async () => {
    const socket = await (await start()).open()
    socket.write(headOf(json))
    expect(await readUntil(socket, '}')).toMatch(/^HTTP\/1.1 401 /)
  })

  test('a request with Expect: 100-continue and no key is refused, and its connection closes', async () => {
    const socket = await (await start()).open()
    socket.write(headOf(json, expecting, 'Authorization: Bearer other'))
    const reply = await readUntil(socket, /$^/)
    expect(reply).toMatch(/^HTTP\/1.1 401 /)
    expect(reply.toLowerCase()).toContain('connection: close')
  })

  test('a request with Expect: 100-continue and the key gets 100, then the reply', async () => {
    const service = await start()
    const socket = await service.open()
    socket.write(headOf(json, expecting, `Authorization: Bearer ${key}`))
    expect(await readUntil(socket, '\r\n\r\n')).toBe('HTTP/1.1 100 Continue\r\n\r\n')
    socket.write(pet)
    expect(await readUntil(socket, '}')).toMatch(/^HTTP\/1.1 201 /)
  })

  test('the connection stays usable after the body of a refused request', async () => {
    const socket = await (await start()).open()
    socket.write(headOf(json) + pet + list)
    expect((await readUntil(socket, ']')).match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 200'])
  })

  test('an invalid body of a refused request gets no second reply', async () => {
    const socket = await (await start()).open()
    socket.write('POST /v1/pets HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n')
    const reply = await readUntil(socket, '}')
    expect(reply).toMatch(/^HTTP\/1.1 401 /)
    socket.write('zz\r\n')
    expect(await readUntil(socket, /$^/)).toBe('')
  })
})

describe('memory', () => {
  const large = `{"name":"${'x'.repeat(1024 * 1024 - 30)}","categoryId":1}`
  const largeAdd = `${head('POST /v1/pets HTTP/1.1', 'Host: x', 'Content-Type: application/json', `Content-Length: ${large.length}`)}${large}`

  test('is bounded: large bodies wait for each other, small ones do not wait', async () => {
    const service = await start()
    const sockets = await Promise.all(Array.from({ length: 30 }, () => service.open()))
    for (const socket of sockets) socket.write(largeAdd.slice(0, -1))
    expect((await service.send('POST', '/v1/pets', { body: pet })).status).toBe(201)
    // Clients that disconnect must not block those that wait behind them.
    for (const socket of sockets.slice(0, 10)) socket.destroy()
    const replies = sockets.slice(10).map((socket) => {
      socket.write('}')
      return readUntil(socket, '\r\n\r\n')
    })
    for (const reply of await Promise.all(replies)) expect(reply).toMatch(/^HTTP\/1.1 201 /)
    expect(await count(service)).toBe(20)
  })
})

describe('a connection', () => {
  test('gets its replies in the order of its requests', async () => {
    const service = await start()
    const socket = await service.open()
    socket.write(add + list + add + head('GET /v1/pets/9 HTTP/1.1', 'Host: x', 'Connection: close'))
    const replies = (await readUntil(socket, /$^/)).match(/HTTP\/1.1 \d+/g)
    expect(replies).toEqual(['HTTP/1.1 201', 'HTTP/1.1 200', 'HTTP/1.1 201', 'HTTP/1.1 404'])
  })

  test('is cut off if its client sends too many requests before it reads', async () => {
    const service = await start()
    const socket = await service.open()
    const closed = new Promise((resolve) => socket.once('close', resolve))
    // More than the 64 KiB that arrive at once.
    socket.write('GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(5000))
    socket.resume()
    await closed
    expect(service.log.length).toBeLessThanOrEqual(64)
  })

  test('with garbage after a request still gets the right reply to that request', async () => {
    const service = await start({ faults: { latencyMilliseconds: 100, share: 0, failWith: 503, seed: 1 } })
    const socket = await service.open()
    socket.write(`${add}nonsense\r\n\r\n`)
    const replies = await readUntil(socket, /$^/)
    expect(replies.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 201'])
    expect(replies.toLowerCase()).toContain('connection: close')
  })

  test('that stays silent or never finishes does not block others, even 200 of them', async () => {
    const service = await start()
    const beginnings = ['', 'GET /v1/pe', list.slice(0, -2), add.slice(0, -5)]
    for (let number = 0; number < 200; number += 1) {
      const socket = await service.open()
      socket.write(beginnings[number % beginnings.length] ?? '')
    }
    expect((await service.send('POST', '/v1/pets', { body: pet })).status).toBe(201)
    expect(await count(service)).toBe(1)
  })
})

describe('a service with injected faults', () => {
  const faults = { latencyMilliseconds: 0, share: 1, seed: 3 }

  test('drops connections', async () => {
    const service = await start({ faults: { ...faults, failWith: 'drop' } })
    for (let number = 0; number < 20; number += 1) {
      await expect(service.send('POST', '/v1/pets', { body: pet })).rejects.toMatchObject({ code: 'ECONNRESET' })
    }
    expect(service.log.every((line) => line.startsWith('POST /v1/pets dropped '))).toBe(true)
    expect(service.log).toHaveLength(20)
  })

  test('stalls, and can still be closed', async () => {
    const service = await start({ faults: { ...faults, failWith: 'stall' } })
    const socket = await service.open()
    socket.write(list)
    const read = readUntil(socket, /$^/)
    while (service.log.length === 0) await new Promise((resolve) => setImmediate(resolve))
    expect(service.log[0]).toContain('stalled')
    await service.close()
    expect(await read).toBe('')
  })

  test('replies with the requested status', async () => {
    const service = await start({ faults: { ...faults, failWith: 503 } })
    const { status, headers } = await service.send('GET', '/v1/pets')
    expect({ status, retryAfter: headers['retry-after'] }).toEqual({ status: 503, retryAfter: '1' })
    expect((await service.send('GET', '/health')).status).toBe(200)
    expect((await service.send('GET', '/v1/pets', { authorization: 'Bearer other' })).status).toBe(401)
  })
})

describe('closing', () => {
  test('refuses new connections, finishes requests in progress, and sends Connection: close', async () => {
    const service = await startService({
      faults: { latencyMilliseconds: 3_600_000, share: 0, failWith: 503, seed: 1 },
    })
    const socket = await service.open()
    socket.write(add)
    // This reply comes after the service has read the first request.
    await service.send('GET', '/health')
    const closed = service.close()
    const reply = await readUntil(socket, '}')
    expect(reply).toContain('201 Created')
    expect(reply.toLowerCase()).toContain('connection: close')
    await closed
    const late = connect(service.port, '127.0.0.1')
    await expect(once(late, 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  test('does not wait for connections that are idle, half open or refused', async () => {
    const service = await startService()
    const idle = await service.open()
    idle.write(list)
    await readUntil(idle, ']')
    const silent = await service.open()
    const halfOpen = await service.open()
    halfOpen.write('GET /v1/pe')
    const tunnel = await service.open()
    tunnel.write(head('CONNECT pets.example:443 HTTP/1.1'))
    await service.send('GET', '/health')
    await service.close()
    for (const socket of [idle, silent, halfOpen, tunnel]) if (!socket.closed) await once(socket.resume(), 'close')
  })
})

describe('large replies that their clients do not read', () => {
  const large = Buffer.alloc(33 * 1024 * 1024)

  /** The status of a request after this many clients have requested a large reply and read nothing. */
  async function statusAfter(unread: number, method: string): Promise<string | undefined> {
    const server = await startServer({
      host: '127.0.0.1',
      port: 0,
      onAnswered: undefined,
      answer: async () => ({ status: 200, headers: {}, body: large }),
    })
    const port = Number(new URL(server.origin).port)
    const open = async (line: string) => {
      const socket = connect(port, '127.0.0.1').setEncoding('latin1')
      onTestFinished(() => void socket.destroy())
      socket.write(`${line} / HTTP/1.1\r\nHost: x\r\n\r\n`)
      const [start] = await once(socket, 'data')
      socket.pause()
      return /^HTTP\/1.1 (\d+)/.exec(start)?.[1]
    }
    for (let client = 0; client < unread; client += 1) await open('GET')
    return open(method)
  }

  test.each([
    [0, 'GET', '200'],
    [1, 'GET', '503'],
    [1, 'HEAD', '503'],
    [1, 'POST', '200'],
  ])('after %d of them, %s returns %s: the result of a change is always sent', async (unread, method, status) => {
    expect(await statusAfter(unread, method)).toBe(status)
  })
})
