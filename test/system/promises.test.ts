import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { orAborted, pause, settledOrAborted } from '../../src/system/promises.ts'

const never = new Promise<never>(() => {})
const reason = new Error('stopped')

test('work that settles first counts, and leaves no listener on the signal', async () => {
  const { signal } = new AbortController()
  const failed = new Error('failed')
  expect(await orAborted(Promise.resolve(1), signal)).toBe(1)
  await expect(orAborted(Promise.reject(failed), signal)).rejects.toBe(failed)
  await expect(settledOrAborted(Promise.reject(failed), signal)).rejects.toBe(failed)
  await pause(1, signal)
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test.each(['before', 'meanwhile'])('a signal that aborts %s ends the wait', async when => {
  const controller = new AbortController()
  const { signal } = controller
  if (when === 'before') controller.abort(reason)
  const waiting = [
    orAborted(never, signal),
    settledOrAborted(never, signal),
    pause(1_000_000, signal)
  ]
  controller.abort(reason)
  expect(await Promise.allSettled(waiting)).toEqual([
    { status: 'rejected', reason },
    { status: 'fulfilled', value: undefined },
    { status: 'rejected', reason }
  ])
})
