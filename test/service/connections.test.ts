import { once } from 'node:events'
import type { Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { key, type RunningService, readUntil, startService } from './running-service.ts'

const health = 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n'
const list = `GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`

async function openAnswered(service: RunningService, request: string): Promise<Socket> {
  const socket = await service.open()
  socket.write(request)
  expect(await readUntil(socket, /[\]}]$/)).toMatch(/^HTTP\/1.1 200 /)
  return socket
}

/** As many connections as the service holds: the first ones show the key, and no other does. */
async function fill(service: RunningService, withKey: number): Promise<Socket[]> {
  const sockets: Socket[] = []
  for (let number = 0; number < 500; number += 1) {
    sockets.push(await openAnswered(service, number < withKey ? list : health))
  }
  return sockets
}

test('beyond 500 connections, the oldest without the key makes room for a new one', async () => {
  const service = await startService()
  onTestFinished(() => service.close())
  const [withKey, oldest, next] = await fill(service, 1)
  const closed = once((oldest as Socket).resume(), 'close')
  const late = await openAnswered(service, list)
  await closed
  expect([withKey, next, late].map(socket => socket?.destroyed)).toEqual([false, false, false])
  expect(oldest?.destroyed).toBe(true)
})

test('with 500 connections that showed the key, a new one is closed', async () => {
  const service = await startService()
  onTestFinished(() => service.close())
  const sockets = await fill(service, 500)
  const late = await service.open()
  await once(late.resume(), 'close')
  expect(sockets.filter(({ destroyed }) => destroyed)).toEqual([])
})
