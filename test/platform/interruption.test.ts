import { stat } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Failure } from '../../src/failure.ts'
import { processHost, type Signal } from '../../src/platform/host.ts'
import { listenForInterruption } from '../../src/platform/interruption.ts'
import { pause } from '../../src/platform/promises.ts'
import { hostWith } from '../settings/host.ts'

function interruptible() {
  const listeners = new Set<(signal: Signal) => void>()
  const host = {
    ...hostWith({}),
    onSignal: (listener: (signal: Signal) => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    }
  }
  const send = (signal: Signal) => {
    for (const listener of listeners) listener(signal)
  }
  return { interruption: listenForInterruption(host), send, listeners }
}

/** Longer than the time that a command has after a signal to report its result. */
const afterGrace = 250

const settled = (promise: Promise<unknown>) =>
  Promise.race([
    promise.then(
      () => 'resolved',
      (error: Failure) => error
    ),
    pause(afterGrace).then(() => 'waiting')
  ])

describe('a signal', () => {
  test.each([
    ['SIGINT', 'interrupted', 130],
    ['SIGTERM', 'terminated', 143]
  ] as const)(
    '%s aborts, and ends a command that does not stop',
    async (signal, message, exitCode) => {
      const { interruption, send } = interruptible()
      expect(interruption.signal.aborted).toBe(false)
      send(signal)
      expect(interruption.signal.reason).toMatchObject({ code: 'interrupted', message, exitCode })
      expect(await settled(interruption.ending)).toBe(interruption.signal.reason)
      interruption.stop()
    }
  )

  test('after the first has no effect', async () => {
    const { interruption, send } = interruptible()
    send('SIGTERM')
    const { reason } = interruption.signal
    send('SIGINT')
    expect(interruption.signal.reason).toBe(reason)
    expect(await settled(interruption.ending)).toBe(reason)
    interruption.stop()
  })

  test.each(['before', 'after'])(
    'sets no deadline if the command sets isHeld %s it',
    async when => {
      const { interruption, send } = interruptible()
      if (when === 'before') interruption.isHeld = true
      send('SIGINT')
      interruption.isHeld = true
      expect(interruption.signal.aborted).toBe(true)
      expect(await settled(interruption.ending)).toBe('waiting')
      interruption.stop()
    }
  )

  test('has no listener and no deadline after stop is called', async () => {
    const { interruption, send, listeners } = interruptible()
    send('SIGINT')
    interruption.stop()
    expect(listeners.size).toBe(0)
    expect(await settled(interruption.ending)).toBe('waiting')
  })

  test('is expected if the command sets isExpected', () => {
    const { interruption } = interruptible()
    expect(interruption.isExpected).toBe(false)
    interruption.isExpected = true
    expect(interruption.isExpected).toBe(true)
  })
})

describe('work that blocks the program', () => {
  test('removes the signal listener only while it runs', async () => {
    const { interruption, listeners } = interruptible()
    const during = await interruption.released(async () => listeners.size)
    expect([during, listeners.size]).toEqual([0, 1])
    const failing = interruption.released(() => Promise.reject(new Error('failed')))
    await expect(failing).rejects.toThrow('failed')
    expect(listeners.size).toBe(1)
    interruption.stop()
    expect(listeners.size).toBe(0)
  })

  // In a callback of I/O, the event loop has already looked for events: the signal waits for its
  // next turn.
  test.each([
    ['at once', (begin: () => void) => begin()],
    ['in a callback of I/O', (begin: () => void) => stat('.', begin)]
  ])('does not begin if a signal arrives %s and has not reached a listener', async (_, when) => {
    const real = listenForInterruption(processHost())
    let isBegun = false
    const working = new Promise((resolve, reject) => {
      when(() => {
        process.kill(process.pid, 'SIGINT')
        const work = real.released(async () => {
          isBegun = true
        })
        work.then(resolve, reject)
      })
    })
    await expect(working).rejects.toMatchObject({ code: 'interrupted', exitCode: 130 })
    expect(isBegun).toBe(false)
    real.stop()
  })

  test('does not begin after a signal, unless the command sets isHeld', async () => {
    const { interruption, send } = interruptible()
    send('SIGINT')
    await expect(interruption.released(async () => 'begun')).rejects.toBe(
      interruption.signal.reason
    )
    interruption.isHeld = true
    expect(await interruption.released(async () => 'begun')).toBe('begun')
    interruption.stop()
  })
})

test('a crash is reported with its error until it stops catching', async () => {
  const listeners = new Set<(error: unknown) => void>()
  const onCrash = (listener: (error: unknown) => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  const interruption = listenForInterruption({ ...hostWith({}), onCrash })
  const error = new Error('bug')
  for (const listener of listeners) listener(error)
  await expect(interruption.ending).rejects.toBe(error)
  interruption.stopCatching()
  expect(listeners.size).toBe(0)
})

test('any number of requests may wait for a signal, without a warning of Node', async () => {
  const warnings: Error[] = []
  const listen = (warning: Error) => warnings.push(warning)
  process.on('warning', listen)
  const { signal } = interruptible().interruption
  for (let count = 0; count < 20; count += 1) signal.addEventListener('abort', () => {})
  await new Promise(resolve => setImmediate(resolve))
  process.off('warning', listen)
  expect(warnings).toEqual([])
})
