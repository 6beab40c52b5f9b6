import { describe, expect, test } from 'vitest'
import { createPaceMeter, progressText, showProgress, showSpinner } from '../../src/output/progress.ts'
import { recordingHost } from './hosts.ts'

test.each([
  [
    { done: 12345, share: 0.5 },
    { rate: 1020.4, shareRate: 0.01 },
    '━━━━━━━━━━━━╌╌╌╌╌╌╌╌╌╌╌╌  50%  12,345 rows  1,020/s  50 s left',
  ],
  [{ done: 0, share: 0 }, { rate: 0, shareRate: 0 }, '╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌   0%  0 rows  0/s'],
  [{ done: 5, share: 0.001 }, { rate: 1, shareRate: 0.0001 }, `${'╌'.repeat(24)}   0%  5 rows  1/s  2 h 46 min left`],
  [{ done: 7, share: undefined }, { rate: 3, shareRate: 0 }, '7 rows  3/s'],
])('%j at %j', (progress, speed, expected) => {
  expect(progressText(progress, speed, 'rows')).toBe(expected)
})

describe('the speed', () => {
  test('is measured over the last five seconds', () => {
    const speed = createPaceMeter()
    expect(speed({ done: 0, share: 0 }, 0)).toEqual({ rate: 0, shareRate: 0 })
    expect(speed({ done: 0, share: 0 }, 0)).toEqual({ rate: 0, shareRate: 0 })
    expect(speed({ done: 1000, share: 0.5 }, 1000)).toEqual({ rate: 1000, shareRate: 0.5 })
    expect(speed({ done: 1010, share: 0.6 }, 6000)).toEqual({ rate: 2, shareRate: expect.closeTo(0.02) })
    expect(speed({ done: 1020, share: undefined }, 8000)).toMatchObject({ rate: 5 })
  })
})

describe('the line', () => {
  test('is redrawn in place, truncated to the terminal, and removed at the end', async () => {
    const { host, read } = recordingHost({ isTerminal: true, columns: 20 })
    const line = showProgress(host, 'rows', () => ({ done: 12_345, share: 0.25 }))
    await new Promise((resolve) => setTimeout(resolve, 350))
    await line.clear()
    await line.clear()
    await line.end()
    const frames = (await read()).stderr.split('\r\u001b[K')
    expect(frames.length).toBeGreaterThan(2)
    expect(frames.at(-1)).toBe('')
    expect(frames[1]).toBe('━━━━━━╌╌╌╌╌╌╌╌╌╌╌╌╌')
    expect(frames.every((frame) => frame.length < 20)).toBe(true)
  })

  test('of a spinner names the host', async () => {
    const { host, read } = recordingHost({ isTerminal: true })
    const spinner = showSpinner(host, 'pets.example', Date.now() - 3000)
    await new Promise((resolve) => setTimeout(resolve, 350))
    await spinner.end()
    const frames = (await read()).stderr.split('\r\u001b[K').filter((frame) => frame !== '')
    expect(frames[0]).toBe('⠋ waiting for pets.example (3 s)')
    expect(new Set(frames.map(([character]) => character)).size).toBe(frames.length)
  })
})
