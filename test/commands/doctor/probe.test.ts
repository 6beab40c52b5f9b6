import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { reach } from '../../../src/commands/doctor/probe.ts'
import { rawServer } from '../../support/raw-server.ts'

/** Runs the steps of https against a server that handles each connection in this way. */
async function stepsTo(
  hostname: string,
  onConnection: (socket: Socket) => void,
  signal: AbortSignal = new AbortController().signal,
) {
  const { port } = await rawServer(() => {}, {
    onConnection: (socket) => {
      onConnection(socket)
      return 'taken'
    },
  })
  return reach(`https://${hostname}:${port}`, 20, signal)
}

test.each([
  ['localhost', true],
  ['localhost.', true],
  ['127.0.0.1', false],
])('for https://%s/, the TLS handshake contains the host name: %s', async (hostname, isSent) => {
  let hello = Buffer.alloc(0)
  await stepsTo(hostname, (socket) => {
    socket.on('data', (chunk) => {
      hello = Buffer.concat([hello, chunk])
      socket.end()
    })
  })
  expect(hello.length).toBeGreaterThan(0)
  expect(hello.includes(hostname)).toBe(isSent)
})

test.each(['resetAndDestroy', 'destroy'] as const)(
  'a connection that ends immediately fails a step: %s',
  async (end) => {
    const steps = await stepsTo('127.0.0.1', (socket) => socket[end]())
    expect(steps.at(-1)).toMatchObject({ isDone: false, detail: expect.stringMatching(/^E[A-Z]+$/) })
  },
)

test('an interruption ends the steps, and is not reported as a failed step', async () => {
  const interruption = new AbortController()
  const reason = new Error('Ctrl-C')
  const interrupt = () => interruption.abort(reason)
  await expect(stepsTo('127.0.0.1', interrupt, interruption.signal)).rejects.toBe(reason)
})
