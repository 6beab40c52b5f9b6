import { expect, onTestFinished, test } from 'vitest'
import { processHost } from '../../src/platform/host.ts'

test('the API key leaves the process, and only the host has it', () => {
  process.env.PETSTORE_API_KEY = 'sk_live_1'
  const { env } = processHost()
  expect(env.PETSTORE_API_KEY).toBe('sk_live_1')
  expect(process.env.PETSTORE_API_KEY).toBeUndefined()
})

test('the home is that of the variable, or of the user', () => {
  const { home } = processHost()
  const saved = process.env.HOME
  onTestFinished(() => {
    process.env.HOME = saved
  })
  process.env.HOME = '/home/me'
  expect(home()).toBe('/home/me')
  delete process.env.HOME
  expect(home()).toMatch(/^\/.+/)
})

test('without a terminal the screen has 80 columns and 24 rows', () => {
  const { columns, rows, terminal, runtime } = processHost()
  expect({ ...terminal }).toEqual({ stdin: false, stdout: false, stderr: false })
  expect([columns(), rows()]).toEqual([80, 24])
  expect(runtime).toEqual({ node: process.versions.node, system: `${process.platform} ${process.arch}` })
})

test('signals reach the listener until it is removed', () => {
  const received: string[] = []
  const remove = processHost().onSignal((signal) => received.push(signal))
  process.emit('SIGINT', 'SIGINT')
  process.emit('SIGTERM', 'SIGTERM')
  remove()
  expect(received).toEqual(['SIGINT', 'SIGTERM'])
  expect(process.listenerCount('SIGTERM')).toBe(0)
})

test("Node's warnings reach the listener, and no other", () => {
  const before = process.listeners('warning')
  onTestFinished(() => {
    process.removeAllListeners('warning')
    for (const listener of before) process.on('warning', listener)
  })
  const others: unknown[] = []
  const messages: string[] = []
  process.on('warning', (warning) => others.push(warning))
  processHost().onWarning((message) => messages.push(message))
  process.emit('warning', new Error('old'))
  expect([messages, others]).toEqual([['old'], []])

  process.removeAllListeners('warning')
  processHost().onWarning((message) => messages.push(message))
  expect(process.listenerCount('warning')).toBe(0)
})
