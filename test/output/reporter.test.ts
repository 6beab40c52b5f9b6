import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/failure.ts'
import type { OutputSettings } from '../../src/output/formats.ts'
import { createReporter, type Reporter } from '../../src/output/reporter.ts'
import { keepingHost } from './hosts.ts'

interface Case extends Partial<OutputSettings> {
  readonly isTerminal?: boolean
  readonly isQuiet?: boolean
}

function reporterOf({ isTerminal = false, isQuiet = false, format = 'table', color = 'auto' }: Case) {
  const { host, read } = keepingHost({ isTerminal })
  const reporter: Reporter = createReporter({
    host,
    presentation: async () => {
      // As in a run: the saved key becomes known with the settings.
      reporter.addSecret('sk_kept')
      return { output: format, color, quiet: isQuiet, verbose: false }
    },
  })
  for (const secret of ['', 'sk_1']) reporter.addSecret(secret)
  return { reporter, host, read }
}

describe('createReporter', () => {
  test.each([
    ['words for a table', { format: 'table' }, 'notice: n ***\nerror: e ***\n'],
    ['words for csv', { format: 'csv' }, 'notice: n ***\nerror: e ***\n'],
    ['words in a terminal', { format: 'json', color: 'never', isTerminal: true }, 'notice: n ***\nerror: e ***\n'],
    [
      'JSON lines',
      { format: 'ndjson' },
      '{"notice":{"code":"more","message":"n ***"}}\n{"error":{"code":"auth","message":"e ***","exitCode":4,"retryable":false}}\n',
    ],
    ['errors alone where it is quiet', { isQuiet: true }, 'error: e ***\n'],
  ] as const)('writes %s on stderr, secrets covered', async (_what, wanted, stderr) => {
    const { reporter, read } = reporterOf(wanted)
    await reporter.notice('more', 'n sk_kept')
    await reporter.error(new Failure('auth', 'e sk_1'))
    expect(await read()).toEqual({ stdout: '', stderr })
  })

  test.each([
    ['lines that stand alone', { format: 'table' }, 'GET /*** 200\n'],
    ['JSON', { format: 'json' }, '{"notice":{"code":"request","message":"GET /*** 200"}}\n'],
    ['nothing where it is quiet', { isQuiet: true }, ''],
  ] as const)('logs %s, whichever secret there is and whenever it came', async (_what, wanted, line) => {
    const { reporter, read } = reporterOf(wanted)
    for (const secret of ['sk_1', 'sk_kept', 'sk_late']) {
      reporter.addSecret(secret)
      await reporter.log('request', `GET /${secret} 200`)
    }
    expect((await read()).stderr).toBe(line.repeat(3))
  })

  test('colours in a terminal', async () => {
    const { reporter, read } = reporterOf({ isTerminal: true })
    await reporter.notice('more', 'there is more')
    expect((await read()).stderr).toBe('\u001b[33mnotice:\u001b[39m there is more\n')
  })

  test('says nothing, and fails nothing, where stderr is closed', async () => {
    const { reporter, host } = reporterOf({})
    host.stderr.destroy()
    await expect(reporter.error(new Failure('auth', 'no'))).resolves.toBeUndefined()
  })
})
