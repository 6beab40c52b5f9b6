import { expect, test } from 'vitest'
import type { Signal } from '../../src/system/host.ts'
import { listenForInterruption } from '../../src/system/interruption.ts'
import { pause } from '../../src/system/promises.ts'
import { hostWith } from '../settings/host.ts'

function interruptible() {
  const listeners = new Set<(signal: Signal) => void>()
  const crashListeners = new Set<(error: unknown) => void>()
  const listenIn =
    <Listener>(set: Set<Listener>) =>
    (listener: Listener) => {
      set.add(listener)
      return () => void set.delete(listener)
    }
  const onSignal = listenIn(listeners)
  const onCrash = listenIn(crashListeners)
  const interruption = listenForInterruption({ ...hostWith({}), onSignal, onCrash })
  const send = (signal: Signal) => {
    for (const listener of listeners) listener(signal)
  }
  const crash = (error: unknown) => {
    for (const listener of crashListeners) listener(error)
  }
  return { interruption, send, crash, listeners }
}

/** Longer than the time that a command has after a signal to report its result. */
const isEnding = (ending: Promise<never>) =>
  Promise.race([ending.catch((reason: unknown) => reason), pause(250).then(() => 'waiting')])

test.each([
  ['SIGINT', 'interrupted', 130],
  ['SIGTERM', 'terminated', 143]
] as const)('%s ends a command that does not stop, once', async (signal, message, exitCode) => {
  const { interruption, send } = interruptible()
  send(signal)
  send('SIGTERM')
  const { reason } = interruption.signal
  expect(reason).toMatchObject({ code: 'interrupted', message, exitCode })
  expect(await isEnding(interruption.ending)).toBe(reason)
  interruption.stop()
})

test('a command that holds it ends by itself', async () => {
  const { interruption, send } = interruptible()
  send('SIGINT')
  interruption.isHeld = true
  expect(interruption.signal.aborted).toBe(true)
  expect(await isEnding(interruption.ending)).toBe('waiting')
})

test('after stop, no signal has an effect', async () => {
  const { interruption, send } = interruptible()
  interruption.stop()
  send('SIGINT')
  expect(interruption.signal.aborted).toBe(false)
})

test('the system gets the signals while work blocks the program', () => {
  const { interruption, listeners } = interruptible()
  const during = interruption.withoutListening(() => listeners.size)
  expect([during, listeners.size]).toEqual([0, 1])
})

test('a crash ends the run with its error', async () => {
  const { interruption, crash } = interruptible()
  const error = new Error('bug')
  crash(error)
  await expect(interruption.ending).rejects.toBe(error)
})
