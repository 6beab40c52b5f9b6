import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { orAborted, pause, settledOrAborted } from '../../src/platform/promises.ts'

const never = () => new Promise<never>(() => {})
const reason = new Error('stopped')

describe('work or abort', () => {
  test('the work settles first', async () => {
    const { signal } = new AbortController()
    expect(await orAborted(Promise.resolve(1), signal)).toBe(1)
    await expect(orAborted(Promise.reject(new Error('failed')), signal)).rejects.toThrow('failed')
    await settledOrAborted(Promise.resolve(1), signal)
    await expect(settledOrAborted(Promise.reject(new Error('failed')), signal)).rejects.toThrow(
      'failed'
    )
  })

  test('the signal aborts first', async () => {
    const controller = new AbortController()
    const waiting = [
      orAborted(never(), controller.signal),
      settledOrAborted(never(), controller.signal),
      pause(1_000_000, controller.signal)
    ]
    controller.abort(reason)
    expect(await Promise.allSettled(waiting)).toEqual([
      { status: 'rejected', reason },
      { status: 'fulfilled', value: undefined },
      { status: 'rejected', reason }
    ])
  })

  test('the signal has already aborted', async () => {
    const signal = AbortSignal.abort(reason)
    await expect(orAborted(never(), signal)).rejects.toBe(reason)
    await settledOrAborted(never(), signal)
    await expect(pause(1_000_000, signal)).rejects.toBe(reason)
  })

  test('work that fails after the abort causes no unhandled rejection', async () => {
    const late = Promise.reject(new Error('late'))
    await expect(orAborted(late, AbortSignal.abort(reason))).rejects.toBe(reason)
  })
})

test('a pause lasts as long as requested', async () => {
  const start = performance.now()
  await pause(30)
  expect(performance.now() - start).toBeGreaterThanOrEqual(29)
})

test('a settled promise leaves no listener on the signal', async () => {
  const { signal } = new AbortController()
  await orAborted(Promise.resolve(), signal)
  await orAborted(Promise.reject(new Error('failed')), signal).catch(() => {})
  await pause(1, signal)
  expect(getEventListeners(signal, 'abort')).toEqual([])
})
