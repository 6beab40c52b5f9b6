import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { progressText, showProgress, showSpinner } from '../../src/output/progress.ts'
import { recordingHost } from './hosts.ts'

test.each([
  [
    { done: 12345, total: 24690, sent: 12345, toSend: 24690 },
    1020.4,
    '━━━━━━━━━━━━╌╌╌╌╌╌╌╌╌╌╌╌  50%  12,345 of 24,690 rows  1,020/s  13 s left'
  ],
  [{ done: 0, total: 9, sent: 0, toSend: 9 }, 0, `${'╌'.repeat(24)}   0%  0 of 9 rows  0/s`],
  // Rows that were added before take no time.
  [
    { done: 90, total: 100, sent: 0, toSend: 10 },
    1,
    `${'━'.repeat(22)}╌╌  90%  90 of 100 rows  1/s  10 s left`
  ],
  [{ done: 7, total: undefined, sent: 7, toSend: undefined }, 3, '7 rows  3/s']
])('%j at %j', (progress, rate, expected) => {
  expect(progressText(progress, rate, true)).toBe(expected)
})

describe('the line', () => {
  test('is redrawn in place, truncated to the terminal, and removed at the end', async () => {
    const { host, read } = recordingHost({ isTerminal: true, columns: 20 })
    const line = showProgress(host, () => ({ done: 1, total: 4, sent: 1, toSend: 4 }))
    await new Promise(resolve => setTimeout(resolve, 350))
    await line.clear()
    await line.clear()
    await line.end()
    const frames = (await read()).stderr.split('\r\u001b[K')
    expect(frames.length).toBeGreaterThan(2)
    expect(frames.at(-1)).toBe('')
    expect(frames[1]).toBe('━━━━━━╌╌╌╌╌╌╌╌╌╌╌╌╌')
    expect(frames.every(frame => frame.length < 20)).toBe(true)
  })

  test('is a new line every ten seconds where the cursor cannot move', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { host, read } = recordingHost({ isTerminal: true, env: { TERM: 'dumb' } })
    let done = 0
    const progress = showProgress(host, () => {
      done += 1
      return { done, total: 4, sent: done, toSend: 4 }
    })
    await vi.advanceTimersByTimeAsync(20_000)
    await progress.end()
    await vi.advanceTimersByTimeAsync(20_000)
    vi.useRealTimers()
    expect((await read()).stderr).toMatch(
      /^ 25% {2}1 of 4 rows {2}0\/s.*\n 50% {2}2 of 4 rows {2}0\/s.*\n$/
    )
  })

  test('of a spinner names the host', async () => {
    const { host, read } = recordingHost({ isTerminal: true })
    const spinner = showSpinner(host, 'pets.example')
    await new Promise(resolve => setTimeout(resolve, 1350))
    await spinner.end()
    const frames = (await read()).stderr.split('\r\u001b[K').filter(frame => frame !== '')
    expect(frames[0]).toMatch(/^[⠋-⠿] waiting for pets\.example \(\d s\)$/)
    expect(new Set(frames.map(([character]) => character)).size).toBeGreaterThan(1)
  })
})
