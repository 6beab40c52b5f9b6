import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { processHost, writeAtOnce } from '../../src/platform/host.ts'
import { temporaryDirectory } from '../support/temp.ts'

test('the API key is removed from process.env, and only the host has it', () => {
  process.env.PETSTORE_API_KEY = 'sk_live_1'
  const { env } = processHost()
  expect(env.PETSTORE_API_KEY).toBe('sk_live_1')
  expect(process.env.PETSTORE_API_KEY).toBeUndefined()
})

test('the home directory comes from HOME, or from the user account', () => {
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
  expect(runtime).toEqual({
    node: process.versions.node,
    system: `${process.platform} ${process.arch}`
  })
})

test('the streams are those of the process', () => {
  const host = processHost()
  expect([host.stdin, host.stdout, host.stderr]).toEqual([
    process.stdin,
    process.stdout,
    process.stderr
  ])
})

test('a new size of the terminal reaches the listener until it is removed', () => {
  let calls = 0
  const remove = processHost().onResize(() => {
    calls += 1
  })
  process.stdout.emit('resize')
  remove()
  process.stdout.emit('resize')
  expect(calls).toBe(1)
})

test('signals reach the listener until it is removed', () => {
  const received: string[] = []
  const remove = processHost().onSignal(signal => received.push(signal))
  process.emit('SIGINT', 'SIGINT')
  process.emit('SIGTERM', 'SIGTERM')
  remove()
  expect(received).toEqual(['SIGINT', 'SIGTERM'])
  expect(process.listenerCount('SIGTERM')).toBe(0)
})

test("Node's warnings reach this listener and no other", () => {
  const before = process.listeners('warning')
  onTestFinished(() => {
    process.removeAllListeners('warning')
    for (const listener of before) process.on('warning', listener)
  })
  const others: unknown[] = []
  const messages: string[] = []
  process.on('warning', warning => others.push(warning))
  processHost().onWarning(message => messages.push(message))
  process.emit('warning', new Error('old'))
  expect([messages, others]).toEqual([['old'], []])

  process.removeAllListeners('warning')
  processHost().onWarning(message => messages.push(message))
  expect(process.listenerCount('warning')).toBe(0)
})

describe('writing immediately', () => {
  const pipeAt = (mode: number) => {
    const path = join(temporaryDirectory(), 'pipe')
    execFileSync('mkfifo', [path])
    return openSync(path, mode)
  }

  test('to a file takes everything', () => {
    const path = join(temporaryDirectory(), 'file')
    const file = openSync(path, 'w')
    expect(writeAtOnce(file, Buffer.alloc(100_000, 'x'))).toBe(100_000)
    closeSync(file)
    expect(statSync(path).size).toBe(100_000)
  })

  test('to a pipe takes what fits, and nothing if the pipe is full, without waiting', () => {
    const pipe = pipeAt(constants.O_RDWR)
    let taken = 0
    for (;;) {
      const count = writeAtOnce(pipe, Buffer.alloc(16 * 1024))
      taken += count
      if (count === 0) break
    }
    expect(taken).toBeGreaterThanOrEqual(16 * 1024)
    closeSync(pipe)
    expect(() => writeAtOnce(pipe, Buffer.from('x'))).toThrow(
      expect.objectContaining({ code: 'EBADF' })
    )
  })

  test('to a device takes nothing', () => {
    const device = openSync('/dev/null', 'w')
    expect(writeAtOnce(device, Buffer.from('x'))).toBe(0)
    closeSync(device)
  })
})
