import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Refusal } from '../../src/service/http.ts'
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
  'Transfer-Encoding: chunked'
)
const count = async (service: RunningService) =>
  JSON.parse((await service.send('GET', '/v1/pets')).body).length

/** Sends text on a TCP connection. Returns the reply with its body parsed. */
async function replyTo(
  service: RunningService,
  text: string
): Promise<{ status: number; body: unknown }> {
  const socket = await service.open()
  socket.write(text)
  const reply = await readUntil(socket, /\r\n\r\n[[{].*[\]}]$/s)
  const [, status, body = ''] = /^HTTP\/1.1 (\d+) .*?\r\n\r\n(.*)$/s.exec(reply) ?? []
  return { status: Number(status), body: JSON.parse(body) }
}

describe('broken or unusual HTTP', () => {
  const refused = (status: number) => ({
    status,
    body: { code: expect.any(String), message: expect.any(String), status }
  })

  test.each([
    ['an invalid line', 'pets please\r\n\r\n', 400],
    ['another protocol', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
    ['a header without a colon', 'GET /v1/pets HTTP/1.1\r\nnonsense\r\n\r\n', 400],
    ['two lengths', head('POST /v1/pets HTTP/1.1', 'Content-Length: 1', 'Content-Length: 2'), 400],
    [
      'a length and chunks',
      head('POST /v1/pets HTTP/1.1', 'Content-Length: 1', 'Transfer-Encoding: chunked'),
      400
    ],
    ['a chunk with an invalid size', `${chunkedHead}zz\r\n`, 400],
    ['headers beyond 16 KiB', head('GET /v1/pets HTTP/1.1', `X: ${'x'.repeat(16 * 1024)}`), 431],
    ['a target beyond 16 KiB', head(`GET /v1/pets?${'x'.repeat(16 * 1024)} HTTP/1.1`), 431],
    ['a target that is not a URL', head('OPTIONS * HTTP/1.1', 'Host: x'), 404]
  ])('%s: the reply has an Error body', async (_, text, status) => {
    const service = await start()
    expect(await replyTo(service, text)).toEqual(refused(status))
    expect(await count(service)).toBe(0)
  })

  test.each([
    ['no Host', head('GET /v1/pets HTTP/1.1')],
    ['HTTP/1.0', head('GET /v1/pets HTTP/1.0')],
    [
      'a complete URL as target',
      head('GET http://elsewhere.example/v1/pets HTTP/1.1', 'Host: elsewhere.example')
    ]
  ])('%s is accepted', async (_, text) => {
    expect(await replyTo(await start(), text)).toEqual({ status: 200, body: [] })
  })
})

describe('a body', () => {
  test('that arrives byte by byte is read whole', async () => {
    const service = await start()
    const socket = await service.open()
    socket.setNoDelay(true)
    for (const character of add) await new Promise(resolve => socket.write(character, resolve))
    expect(await readUntil(socket, '}')).toContain('201 Created')
  })

  test('without an end is refused when it becomes too large', async () => {
    const service = await start()
    const socket = await service.open()
    socket.write(`${chunkedHead}100000\r\n${'x'.repeat(0x100000)}\r\n1\r\nx\r\n`)
    expect(await readUntil(socket, '}')).toContain('413 Payload Too Large')
  })

  test('that ends too early adds nothing, and is refused', async () => {
    const service = await start()
    const socket = await service.open()
    socket.end(add.slice(0, -1))
    await once(socket.resume(), 'close')
    expect(await count(service)).toBe(0)
    await vi.waitFor(() =>
      expect(service.log).toContainEqual(expect.stringMatching(/^POST \/v1\/pets 400 /))
    )
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

  test('a request of HTTP/1.0 with Expect gets only its reply', async () => {
    const socket = await (await start()).open()
    socket.write(
      headOf(json, expecting, `Authorization: Bearer ${key}`).replace('HTTP/1.1', 'HTTP/1.0') + pet
    )
    expect(await readUntil(socket, '}')).toMatch(/^HTTP\/1.1 201 /)
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
    expect((await readUntil(socket, ']')).match(/HTTP\/1.1 \d+/g)).toEqual([
      'HTTP/1.1 401',
      'HTTP/1.1 200'
    ])
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

describe('a connection', () => {
  test('gets its replies in the order of its requests', async () => {
    const service = await start()
    const socket = await service.open()
    socket.write(add + list + add + head('GET /v1/pets/9 HTTP/1.1', 'Host: x', 'Connection: close'))
    const replies = (await readUntil(socket, /$^/)).match(/HTTP\/1.1 \d+/g)
    expect(replies).toEqual(['HTTP/1.1 201', 'HTTP/1.1 200', 'HTTP/1.1 201', 'HTTP/1.1 404'])
  })

  test('gets a reply to each of 100 requests that were sent at once', async () => {
    const service = await start()
    const socket = await service.open()
    socket.write(add.repeat(100) + head('GET /v1/pets/9 HTTP/1.1', 'Host: x', 'Connection: close'))
    const replies = (await readUntil(socket, /$^/)).match(/HTTP\/1.1 \d+/g) ?? []
    expect(replies.filter(reply => reply === 'HTTP/1.1 201')).toHaveLength(100)
  })

  test('is closed if more than 100 requests wait, and those are not carried out', async () => {
    const service = await start({
      faults: { latencyMilliseconds: 50, share: 0, failWith: 503, seed: 1 }
    })
    const socket = await service.open()
    socket.on('error', () => {}).write(add.repeat(300))
    await once(socket, 'close')
    expect(await count(service)).toBeLessThanOrEqual(1)
  })

  test('that ends leaves the requests that wait for their turn undone', async () => {
    const service = await start({
      faults: { latencyMilliseconds: 50, share: 0, failWith: 503, seed: 1 }
    })
    const socket = await service.open()
    socket.write(add.repeat(100))
    await readUntil(socket, '201 Created')
    socket.destroy()
    await new Promise(resolve => setTimeout(resolve, 300))
    expect(await count(service)).toBeLessThanOrEqual(3)
  })

  test('with garbage after a request gets no reply that could be taken for its own', async () => {
    const service = await start({
      faults: { latencyMilliseconds: 100, share: 0, failWith: 503, seed: 1 }
    })
    const socket = await service.open()
    socket.write(`${add}nonsense\r\n\r\n`)
    const replies = await readUntil(socket, /$^/)
    expect(replies).toBe('')
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
    const service = await start({ faults: { ...faults, failWith: 'dropped' } })
    for (let number = 0; number < 20; number += 1) {
      await expect(service.send('POST', '/v1/pets', { body: pet })).rejects.toMatchObject({
        code: 'ECONNRESET'
      })
    }
    expect(service.log.every(line => line.startsWith('POST /v1/pets dropped '))).toBe(true)
    expect(service.log).toHaveLength(20)
  })

  test('stalls, and can still be closed', async () => {
    const service = await start({ faults: { ...faults, failWith: 'stalled' } })
    const socket = await service.open()
    socket.write(list)
    const read = readUntil(socket, /$^/)
    while (service.log.length === 0) await new Promise(resolve => setImmediate(resolve))
    expect(service.log[0]).toContain('stalled')
    await service.close()
    expect(await read).toBe('')
  })

  test('replies with the requested status', async () => {
    const service = await start({ faults: { ...faults, failWith: 503 } })
    const { status, headers } = await service.send('GET', '/v1/pets')
    expect({ status, retryAfter: headers['retry-after'] }).toEqual({ status: 503, retryAfter: '1' })
    expect((await service.send('GET', '/health')).status).toBe(200)
    expect((await service.send('GET', '/v1/pets', { authorization: 'Bearer other' })).status).toBe(
      401
    )
  })
})

describe('slow readers', () => {
  /** A server whose replies are larger than what the system keeps for a client. */
  async function startLarge(limits?: { readonly readingTimeout: number }) {
    const server = await startServer({
      host: '127.0.0.1',
      port: 0,
      ...(limits && { limits }),
      answer: async () => ({ status: 200, headers: {}, body: new Uint8Array(30 * 1024 * 1024) }),
      onAnswered: undefined
    })
    onTestFinished(() => server.close())
    return Number(new URL(server.origin).port)
  }
  const connectTo = (port: number) => {
    const socket = connect({ port, host: '127.0.0.1' })
    onTestFinished(() => void socket.destroy())
    return socket.on('error', () => {}).setEncoding('latin1')
  }
  const statusOf = async (port: number, request: string) => {
    const socket = connectTo(port)
    socket.write(request)
    const [start] = await once(socket, 'data')
    socket.pause()
    return String(start).slice(9, 12)
  }

  test('are disconnected', async () => {
    const socket = connectTo(await startLarge({ readingTimeout: 200 }))
    socket.pause()
    socket.write(list)
    // Only writing shows that the other side has closed the connection.
    await vi.waitFor(() => {
      socket.write('x')
      expect(socket.destroyed).toBe(true)
    }, 5_000)
  })

  test('leave 64 MiB of replies waiting; then a list gets 503, and a change its reply', async () => {
    const port = await startLarge()
    const statuses: string[] = []
    for (let reader = 0; reader < 3; reader += 1) statuses.push(await statusOf(port, list))
    expect(statuses).toEqual(['200', '200', '503'])
    expect(await statusOf(port, add)).toBe('200')
  })
})

describe('a client that stops in the middle', () => {
  const limits = { headersTimeout: 200, requestTimeout: 300, connectionsCheckingInterval: 50 }
  const startWithLimits = async () => {
    const lines: (string | undefined)[] = []
    const server = await startServer({
      host: '127.0.0.1',
      port: 0,
      limits,
      answer: async ({ readBody }) => {
        try {
          await readBody()
          return { status: 200, headers: {}, body: new Uint8Array() }
        } catch (error) {
          return (error as Refusal).reply
        }
      },
      onAnswered: ({ request, result }) => lines.push(`${request} ${result}`)
    })
    onTestFinished(() => server.close())
    return { port: Number(new URL(server.origin).port), lines }
  }

  test.each([
    ['before its request', '', 'unreadable request 408'],
    ['in the headers', 'GET /health HTTP/1.1\r\nX', 'unreadable request 408'],
    [
      'in a body with a length',
      'POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{',
      'POST /x 408'
    ],
    [
      'in a chunked body',
      'POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{',
      'POST /x 408'
    ]
  ])(
    '%s gets 408, and its connection is closed even if it does not close it',
    async (_, text, line) => {
      const { port, lines } = await startWithLimits()
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).setEncoding('utf8')
      onTestFinished(() => void socket.destroy())
      socket.on('error', () => {}).write(text)
      expect(await readUntil(socket, /$^/)).toMatch(/^HTTP\/1.1 408 /)
      expect(lines).toEqual([line])
      // Half closed by now: writing shows that nothing is left of the connection on the other side.
      await vi.waitFor(async () => {
        socket.write('x')
        expect(socket.destroyed).toBe(true)
      }, 5_000)
    }
  )
})

describe('the log has a line for', () => {
  test.each([['a malformed request', 'nonsense\r\n\r\n', /^unreadable request 400 /]])(
    '%s',
    async (_, text, line) => {
      const service = await start()
      const socket = await service.open()
      socket.write(text)
      await readUntil(socket, '}')
      expect(service.log).toEqual([expect.stringMatching(line)])
    }
  )
})

test('a delay applies to every reply', async () => {
  const service = await start({
    faults: { latencyMilliseconds: 100, share: 0, failWith: 503, seed: 1 }
  })
  for (const [path, authorization] of [
    ['/health', undefined],
    ['/v1/pets', 'Bearer other'],
    ['/v1/pets', `Bearer ${key}`]
  ] as const) {
    const begin = performance.now()
    await service.send('GET', path, { authorization })
    expect(performance.now() - begin).toBeGreaterThan(95)
  }
})

describe('closing', () => {
  test('refuses new connections, finishes requests in progress, and sends Connection: close', async () => {
    const service = await startService({
      faults: { latencyMilliseconds: 3_600_000, share: 0, failWith: 503, seed: 1 }
    })
    const socket = await service.open()
    socket.write(add)
    await new Promise(resolve => setTimeout(resolve, 200))
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
    for (const socket of [idle, silent, halfOpen, tunnel])
      if (!socket.closed) await once(socket.resume(), 'close')
  })
})
