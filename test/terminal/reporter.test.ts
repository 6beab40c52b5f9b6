import { beforeEach, describe, expect, test, vi } from 'vitest'
import { Failure } from '../../src/failure.ts'
import { progressText } from '../../src/terminal/progress.ts'
import { activeCharacter, hostileNames } from '../output/hostile.ts'
import { type Case, outputOf } from '../output/hosts.ts'

type Reporter = ReturnType<typeof outputOf>['report']

/** What the work leaves on stderr. */
async function stderrOf(wanted: Case, work: (report: Reporter) => Promise<unknown>) {
  const { report, read } = outputOf({ format: 'table', ...wanted })
  await work(report)
  return (await read()).stderr
}

const errorOf = (failure: Failure, wanted: Case = {}, secrets: readonly string[] = []) =>
  stderrOf(wanted, report => {
    for (const secret of secrets) report.addSecret(secret)
    return report.error(failure)
  })

const refused = new Failure('auth', 'the key was refused', {
  hint: 'petstore auth login',
  status: 401,
  serviceCode: 'unauthorized'
})

describe('an error', () => {
  test.each<[string, Failure, Case, string]>([
    ['is a line', new Failure('usage', 'no such command'), {}, 'error: no such command\n'],
    ['has a hint', refused, {}, 'error: the key was refused\nhint: petstore auth login\n'],
    [
      'is a line for a person who reads JSON',
      new Failure('usage', 'no'),
      { format: 'json', isTerminal: true },
      'error: no\n'
    ],
    [
      'has color for its labels',
      refused,
      { color: 'always' },
      '\u001b[31merror:\u001b[39m the key was refused\n\u001b[2mhint:\u001b[22m petstore auth login\n'
    ],
    [
      'is JSON',
      refused,
      { format: 'ndjson' },
      '{"error":{"code":"auth","message":"the key was refused","exitCode":4,"hint":"petstore auth login","status":401,"serviceCode":"unauthorized","retryable":false}}\n'
    ],
    [
      'says when to try again',
      new Failure('service', 'busy', { isRetryable: true, waitSeconds: 29.2 }),
      { format: 'json' },
      '{"error":{"code":"service","message":"busy","exitCode":7,"retryable":true,"retryAfter":30}}\n'
    ],
    [
      'has the exact id of what was changed',
      new Failure('local', 'full', { change: { id: 9007199254740993n } }),
      { format: 'json' },
      '{"error":{"code":"local","message":"full","exitCode":9,"retryable":false,"changed":true,"id":9007199254740993}}\n'
    ]
  ])('%s', async (_, failure, wanted, text) => {
    expect(await errorOf(failure, wanted)).toBe(text)
  })

  test.each(hostileNames)('is two harmless lines, or one of JSON: %s', async (_what, text) => {
    const failure = new Failure('rejected', `no: ${text}`, { hint: text, serviceCode: text })
    const lines = await errorOf(failure)
    expect(lines.split('\n')).toHaveLength(3)
    expect(lines.replaceAll('\n', '')).not.toMatch(activeCharacter)
    const line = await errorOf(failure, { format: 'json' })
    expect(line.slice(0, -1)).not.toMatch(activeCharacter)
    expect(JSON.parse(line).error).toMatchObject({ message: `no: ${text}`, hint: text })
  })

  test.each([40, 80])('breaks between words at %i columns, but not its hint', async columns => {
    const words = 'the service has no way to list the pets at this path, which may be wrong; '
    const hint = `petstore ${'pets list '.repeat(20)}`
    const failure = new Failure('service', words.repeat(3), { hint })
    const lines = (await errorOf(failure, { isTerminal: true, columns })).split('\n').slice(0, -1)
    expect(lines.pop()).toBe(`hint: ${hint}`)
    expect(lines.join(' ')).toBe(`error: ${words.repeat(3)}`)
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns)
  })

  test('shows the stack of a bug', async () => {
    const failure = new Failure('unexpected', 'a fault', { cause: new TypeError('x\u001b[2J') })
    expect(await errorOf(failure)).toMatch(/^error: a fault\nTypeError: x␛\[2J\n.*reporter\.test/s)
  })
})

describe('a secret', () => {
  // In which forms, is in text/secrets.test.ts.
  test.each([
    ['sk_1', 'no: sk_1 and sk_1', 'no: *** and ***'],
    ['', 'abc', 'abc']
  ])('%j is masked', async (secret, text, masked) => {
    expect(await errorOf(new Failure('auth', text), {}, [secret])).toBe(`error: ${masked}\n`)
  })

  test.each(['sk_live_123', 'error', 'auth', '""""', '::::'])(
    '%s is in no part of JSON, which stays valid',
    async secret => {
      const details = { serviceCode: secret, change: { id: secret }, hint: `petstore ${secret}` }
      const failure = new Failure('service', `no: ${secret}`, details)
      const { error } = JSON.parse(await errorOf(failure, { format: 'json' }, [secret]))
      expect(error).toMatchObject({
        message: 'no: ***',
        serviceCode: '***',
        id: '***',
        exitCode: 7
      })
      // A shell would read what is masked as a pattern.
      expect(error).not.toHaveProperty('hint')
    }
  )

  test.each<[Case, string]>([
    [{}, 'GET /*** 200\n'],
    [{ format: 'json' }, '{"notice":{"code":"request","message":"GET /*** 200"}}\n']
  ])('that becomes known late is masked in a log: %j', async (wanted, line) => {
    const text = await stderrOf(wanted, async report => {
      for (const secret of ['sk_kept', 'sk_late']) {
        report.addSecret(secret)
        await report.log('request', `GET /${secret} 200`)
      }
    })
    expect(text).toBe(line.repeat(2))
  })
})

test.each<[string, Case, string]>([
  ['a line', {}, 'notice: more\n'],
  ['JSON', { format: 'json' }, '{"notice":{"code":"more","message":"more"}}\n'],
  ['nothing with --quiet', { quiet: true }, '']
])('a notice is %s', async (_, wanted, text) => {
  expect(await stderrOf(wanted, report => report.notice('more', 'more'))).toBe(text)
})

test('a notice may be shown also with --quiet', async () => {
  const notice = (report: Reporter) => report.notice('more', 'more', { evenIfQuiet: true })
  expect(await stderrOf({ quiet: true }, notice)).toBe('notice: more\n')
})

test.each<[Case, string]>([
  [{ isTerminal: true }, 'added pet 1 to local\n'],
  [{}, ''],
  [{ isTerminal: true, quiet: true }, '']
])('a confirmation with %j is %j', async (wanted, text) => {
  expect(await stderrOf(wanted, report => report.confirm('added pet 1 to local'))).toBe(text)
})

test('a stderr that is closed does not fail the run', async () => {
  const { report, host } = outputOf()
  host.stderr.destroy()
  await expect(report.error(refused)).resolves.toBeUndefined()
})

const removeLine = '\r\u001b[K'

describe('a wait', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    return vi.useRealTimers
  })
  const reply = async () => 'reply'
  const slowReply = async () => {
    await vi.advanceTimersByTimeAsync(1500)
    return 'reply'
  }

  test('of more than a second says for what, and leaves nothing behind', async () => {
    const text = await stderrOf({ isTerminal: true, columns: 30 }, report => {
      report.addSecret('sk_1234')
      return report.whileWaiting('pets.example\u001b[2J', slowReply)
    })
    expect(text.split(removeLine)[1]).toBe('waiting for pets.example␛[2J')
    expect(text.endsWith(removeLine)).toBe(true)
  })

  test.each<[string, Case, () => Promise<string>]>([
    ['of less than a second', { isTerminal: true }, reply],
    ['with --quiet', { isTerminal: true, quiet: true }, slowReply],
    ['without a terminal', {}, slowReply],
    ['in a dumb terminal', { isTerminal: true, env: { TERM: 'dumb' } }, slowReply]
  ])('%s shows nothing', async (_, wanted, work) => {
    expect(await stderrOf(wanted, report => report.whileWaiting('pets.example', work))).toBe('')
  })
})

describe('progress', () => {
  test.each([
    [
      { done: 50, total: 100 },
      10,
      80,
      '━━━━━━━━━━━━╌╌╌╌╌╌╌╌╌╌╌╌  50%  50 of 100 rows  5/s  10 s left'
    ],
    [{ done: 12345, total: 24690 }, 12, 40, '50%  12,345 of 24,690 rows  1,029/s  12 s left'],
    [{ done: 0, total: 100 }, 1, 40, '0%  0 of 100 rows  0/s'],
    [{ done: 0, total: 1, sent: 0, toSend: 1 }, 1, 40, '0%  0 of 1 row  0/s'],
    [{ done: 0, total: 0 }, 1, 40, '100%  0 of 0 rows  0/s']
  ])('of %j after %i s in %i columns', (progress, seconds, columns, text) => {
    expect(progressText(progress, seconds, columns)).toBe(text)
  })

  test.each<[string, Case, boolean]>([
    ['in a terminal', { isTerminal: true }, true],
    ['beside JSON in the same terminal', { isTerminal: true, format: 'ndjson' }, false],
    ['with --quiet', { isTerminal: true, quiet: true }, false],
    ['without a terminal', {}, false]
  ])('%s: shown %s', async (_, wanted, isShown) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    try {
      const text = await stderrOf(wanted, async report => {
        const shown = await report.progress(() => ({ done: 1, total: 2 }))
        vi.advanceTimersByTime(300)
        await shown?.end()
        vi.advanceTimersByTime(300)
      })
      expect(text.split('1 of 2 rows').length - 1).toBe(isShown ? 1 : 0)
      expect(text.endsWith(isShown ? removeLine : '')).toBe(true)
    } finally {
      vi.useRealTimers()
    }
  })
})
