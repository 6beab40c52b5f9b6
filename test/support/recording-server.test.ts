import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { recordingServer } from './recording-server.ts'

describe('the recording server', () => {
  test('records a request and sends the answer', async () => {
    const server = await recordingServer({ status: 201, headers: { 'x-id': '7' }, json: { id: 7 } })
    const reply = await fetch(`${server.url}/v1/pets?limit=2`, {
      method: 'POST',
      headers: { 'x-api-key': 'k' },
      body: '{"name":"Rex"}',
    })
    expect([reply.status, reply.headers.get('x-id'), await reply.text()]).toEqual([201, '7', '{"id":7}'])
    expect(server.requests).toMatchObject([
      { method: 'POST', path: '/v1/pets?limit=2', headers: { 'x-api-key': 'k' }, body: '{"name":"Rex"}' },
    ])
    expect(server.connections()).toBe(1)
  })

  test('answers each request with the next of a list, and with 599 after the last', async () => {
    const server = await recordingServer([{ body: 'one' }, ({ path }) => ({ status: 404, body: path })])
    const replies: [number, string][] = []
    for (const path of ['/a', '/b', '/c']) {
      const reply = await fetch(server.url + path)
      replies.push([reply.status, await reply.text()])
    }
    expect(replies.slice(0, 2)).toEqual([
      [200, 'one'],
      [404, '/b'],
    ])
    expect(replies[2]?.[0]).toBe(599)
    expect(server.requests.length).toBe(3)
  })

  test('allows a handler to close the connection', async () => {
    const server = await recordingServer((_request, response) => {
      response.destroy()
      return undefined
    })
    await expect(fetch(server.url)).rejects.toThrow()
    expect(server.requests.length).toBe(1)
  })

  test('answers 599 with the error if its handler throws', async () => {
    const server = await recordingServer(() => {
      throw new Error('no pets today')
    })
    const reply = await fetch(server.url)
    expect([reply.status, await reply.text()]).toEqual([599, expect.stringContaining('no pets today')])
  })

  test('reports when requests have arrived, and counts connections without requests', async () => {
    const server = await recordingServer({})
    const socket = connect(server.port, '127.0.0.1')
    const arrived = server.received(2)
    await Promise.all([fetch(server.url), fetch(server.url)])
    await arrived
    expect(server.connections()).toBeGreaterThan(1)
    socket.destroy()
  })

  test('can be closed while connections are open', async () => {
    const server = await recordingServer(() => new Promise(() => {}))
    const hanging = fetch(server.url)
    await server.received(1)
    await server.close()
    await expect(hanging).rejects.toThrow()
    await expect(fetch(server.url)).rejects.toThrow()
  })
})
