import type { PassThrough } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { Failure } from '../../src/failure.ts'
import type { OutputSettings } from '../../src/output/formats.ts'
import { createReporter, type Reporter } from '../../src/output/reporter.ts'
import { recordingHost, undisturbed } from './hosts.ts'

interface Case extends Partial<OutputSettings> {
  readonly isTerminal?: boolean
  /** Whether stdout is a terminal, if it differs from stderr. */
  readonly isOutputTerminal?: boolean
  readonly isQuiet?: boolean
}

function reporterOf({
  isTerminal = false,
  isOutputTerminal,
  isQuiet = false,
  format = 'table',
  color = 'auto'
}: Case) {
  const recording = recordingHost({ isTerminal })
  const { read } = recording
  const terminal = { ...recording.host.terminal, stdout: isOutputTerminal ?? isTerminal }
  const host = { ...recording.host, terminal }
  const reporter: Reporter = createReporter(
    host,
    async () => {
      // As in a run: the saved key becomes known with the settings.
      reporter.addSecret('sk_kept')
      return { output: format, color, quiet: isQuiet, verbose: false }
    },
    undisturbed.interruption
  )
  for (const secret of ['', 'sk_1']) reporter.addSecret(secret)
  return { reporter, host, read }
}

describe('createReporter', () => {
  test.each([
    ['lines for a table', { format: 'table' }, 'notice: n ***\nerror: e ***\n'],
    ['lines for csv', { format: 'csv' }, 'notice: n ***\nerror: e ***\n'],
    [
      'lines in a terminal',
      { format: 'json', color: 'never', isTerminal: true },
      'notice: n ***\nerror: e ***\n'
    ],
    [
      'JSON lines',
      { format: 'ndjson' },
      '{"notice":{"code":"more","message":"n ***"}}\n{"error":{"code":"auth","message":"e ***","exitCode":4,"retryable":false}}\n'
    ],
    ['only errors with --quiet', { isQuiet: true }, 'error: e ***\n']
  ] as const)('writes %s on stderr, without secrets', async (_what, wanted, stderr) => {
    const { reporter, read } = reporterOf(wanted)
    await reporter.notice('more', 'n sk_kept')
    await reporter.error(new Failure('auth', 'e sk_1'))
    expect(await read()).toEqual({ stdout: '', stderr })
  })

  test.each([
    ['lines without a label', { format: 'table' }, 'GET /*** 200\n'],
    ['JSON', { format: 'json' }, '{"notice":{"code":"request","message":"GET /*** 200"}}\n']
  ] as const)(
    'logs %s without any secret, including those added later',
    async (_what, wanted, line) => {
      const { reporter, read } = reporterOf(wanted)
      for (const secret of ['sk_1', 'sk_kept', 'sk_late']) {
        reporter.addSecret(secret)
        await reporter.log('request', () => `GET /${secret} 200`)
      }
      expect((await read()).stderr).toBe(line.repeat(3))
    }
  )

  test('has colors in a terminal', async () => {
    const { reporter, read } = reporterOf({ isTerminal: true })
    await reporter.notice('more', 'there is more')
    expect((await read()).stderr).toBe('\u001b[33mnotice:\u001b[39m there is more\n')
  })

  describe('a wait', () => {
    const removeLine = '\r\u001b[K'
    const work = async (): Promise<string> => {
      await delay(1300)
      return 'reply'
    }

    test('of more than a second shows its reason and removes it at the end', async () => {
      const { reporter, host, read } = reporterOf({ isTerminal: true })
      const untilShown = async () => {
        await vi.waitUntil(() => (host.stderr as PassThrough).readableLength > 0, {
          timeout: 20_000
        })
        return 'reply'
      }
      expect(await reporter.whileWaiting('sk_1.example\u001b[2J', untilShown)).toBe('reply')
      const { stderr } = await read()
      const lines = stderr.split(removeLine)
      expect(lines.length).toBeGreaterThan(2)
      expect([lines[0], lines.at(-1)]).toEqual(['', ''])
      for (const line of lines.slice(1, -1))
        expect(line).toMatch(/^. waiting for \*\*\*\.example␛\[2J \(\d+ s\)$/)
    })

    test.each([
      ['of less than a second', { isTerminal: true }, async (): Promise<string> => 'reply'],
      ['with --quiet', { isTerminal: true, isQuiet: true }, work],
      ['without a terminal', {}, work]
    ])('%s shows nothing', async (_, options, quickly) => {
      const { reporter, read } = reporterOf(options)
      expect(await reporter.whileWaiting('pets.example', quickly)).toBe('reply')
      expect((await read()).stderr).toBe('')
    })

    test('is removed for a notice, and rethrows a failure', async () => {
      const { reporter, read } = reporterOf({ isTerminal: true, color: 'never' })
      const failing = async () => {
        await delay(1300)
        await reporter.notice('retrying', 'trying again')
        throw new Failure('service', 'it failed')
      }
      await expect(reporter.whileWaiting('pets.example', failing)).rejects.toThrow('it failed')
      const { stderr } = await read()
      expect(stderr).toContain(`${removeLine}notice: trying again\n`)
      expect(stderr.endsWith('\n') || stderr.endsWith(removeLine)).toBe(true)
    })
  })

  describe('a progress bar', () => {
    const removeLine = '\r\u001b[K'
    const frame = `${removeLine}${'━'.repeat(12)}${'╌'.repeat(12)}  50%  7 of 14 rows  SPEED`

    async function framesOf(wanted: Case) {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
      try {
        const { reporter, read } = reporterOf(wanted)
        const progress = await reporter.progress(() => ({
          done: 7,
          total: 14,
          sent: 7,
          toSend: 14
        }))
        vi.advanceTimersByTime(300)
        await progress?.end()
        vi.advanceTimersByTime(300)
        await reporter.notice('done', 'done')
        const stderr = (await read()).stderr.replace(/[\d,]+\/s {2}\d+ s left/g, 'SPEED')
        return { count: stderr.split(frame).length - 1, rest: stderr.replaceAll(frame, '') }
      } finally {
        vi.useRealTimers()
      }
    }

    test.each([
      ['with a table in the same terminal', { isTerminal: true }],
      ['with JSON in a file', { isTerminal: true, isOutputTerminal: false, format: 'json' }]
    ] as const)('%s is redrawn until its end, then removed', async (_, wanted) => {
      expect(await framesOf({ ...wanted, color: 'never' })).toEqual({
        count: 3,
        rest: `${removeLine}notice: done\n`
      })
    })

    test.each([
      ['with JSON in the same terminal', { isTerminal: true, format: 'ndjson' }, 'notice: done\n'],
      ['with --quiet', { isTerminal: true, isQuiet: true }, ''],
      ['without a terminal', { isOutputTerminal: true }, 'notice: done\n']
    ] as const)('%s does not appear', async (_, wanted, rest) => {
      expect(await framesOf({ ...wanted, color: 'never' })).toEqual({ count: 0, rest })
    })
  })

  describe('a screen that shows notices itself', () => {
    const report = async (wanted: Case) => {
      const { reporter, read } = reporterOf(wanted)
      const shown: string[] = []
      reporter.divertNotices(message => shown.push(message))
      await reporter.notice('more', 'n sk_1')
      await reporter.log('request', () => 'GET / 200')
      await reporter.log('trace', () => '> GET /')
      return { shown, stderr: (await read()).stderr }
    }

    test('gets notices without secrets, and nothing else is written to the terminal', async () => {
      expect(await report({ isTerminal: true })).toEqual({ shown: ['n ***'], stderr: '' })
    })

    test('gets no notices if stderr is not a terminal', async () => {
      const stderr = 'notice: n ***\nGET / 200\n> GET /\n'
      expect(await report({ isOutputTerminal: true })).toEqual({ shown: [], stderr })
    })
  })

  test('ignores a stderr that is closed', async () => {
    const { reporter, host } = reporterOf({})
    host.stderr.destroy()
    await expect(reporter.error(new Failure('auth', 'no'))).resolves.toBeUndefined()
  })
})
