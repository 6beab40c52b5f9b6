import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ctrlC, runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

const noticesIn = (stderr: string) =>
  stderr
    .trim()
    .split('\n')
    .filter(line => line.startsWith('{"notice"'))
    .map(line => JSON.parse(line).notice)

/** Serves on a free port until the announcement ends with this text. */
const serveUntil = (
  shown: string,
  argv: readonly string[],
  options: Parameters<typeof runCli>[1] = {}
) => runCli(['serve', '--port', '0', ...argv], { ...options, steps: [[shown, ctrlC]] })

describe('serve prints how to reach the service', () => {
  const local = /^http:\/\/127\.0\.0\.1:\d+$/

  test('as one line of JSON, and replies there until a signal', async () => {
    let status: number | undefined
    const { code, stdout } = await runCli(
      ['serve', '--port', '0', '--json', '--data', ':memory:'],
      {
        steps: [
          [
            '\n',
            async output => {
              const { url, apiKey } = JSON.parse(output)
              status = (
                await fetch(`${url}/pets`, { headers: { authorization: `Bearer ${apiKey}` } })
              ).status
              return ctrlC()
            }
          ]
        ]
      }
    )
    const { url, messagesUrl, apiKey, ...rest } = JSON.parse(stdout)
    expect(status).toBe(200)
    expect(code).toBe(0)
    expect(messagesUrl).toMatch(local)
    expect(url).toBe(`${messagesUrl}/v1`)
    expect(apiKey).toMatch(/^\S{16,}$/)
    expect(rest).toEqual({})
  })

  test('as a row with the URLs and the key, in this order', async () => {
    const { stdout } = await serveUntil('\n', ['-o', 'tsv', '--data', ':memory:'])
    const [url, messagesUrl, apiKey, ...rest] = stdout.trim().split('\t')
    expect(messagesUrl).toMatch(local)
    expect(url).toBe(`${messagesUrl}/v1`)
    expect(apiKey).toMatch(/^\S{16,}$/)
    expect(rest).toEqual([])
  })

  test('as lines to paste, with the path of the data', async () => {
    const path = join(temporaryDirectory(), 'pets.db')
    const { stdout } = await serveUntil('PETSTORE_API_KEY=', ['-o', 'table', '--data', path])
    const [, url] = /serving pets at (\S+)\/v1\nand messages at \1\/messages\n/.exec(stdout) ?? []
    expect(url).toMatch(local)
    expect(stdout).toContain(`with the data in ${path}\npress Ctrl-C to stop\n`)
    expect(stdout).toMatch(
      new RegExp(
        `\n  export PETSTORE_BASE_URL=${url}/v1\n  export PETSTORE_MESSAGES_URL=${url}\n  export PETSTORE_API_KEY=\\S{16,}\n$`
      )
    )
  })

  test.each([
    ['json', '}\n'],
    ['table', 'MESSAGES_URL=']
  ])('without the key if PETSTORE_API_KEY is set, as %s', async (format, shown) => {
    const env = { PETSTORE_API_KEY: 'sk_test_12345678' }
    const { stdout } = await serveUntil(shown, ['-o', format, '--data', ':memory:'], { env })
    expect(stdout).toContain('/v1')
    expect(stdout).not.toContain('sk_test')
    if (format === 'table') {
      expect(stdout).toContain('with the data in memory\n')
      expect(stdout).toContain('from another terminal, with the same PETSTORE_API_KEY:\n')
    } else expect(JSON.parse(stdout)).toMatchObject({ apiKeyFrom: 'PETSTORE_API_KEY' })
  })
})

describe('serve prints a notice', () => {
  test('that the data is lost only if no file can be used and :memory: was not requested', async () => {
    const codes = async (argv: readonly string[], env = {}) =>
      noticesIn((await serveUntil('}\n', ['--json', ...argv], { env })).stderr).map(
        ({ code }) => code
      )
    const nowhere = {
      PETSTORE_CONFIG_DIR: join(temporaryDirectory(), 'file', 'below'),
      PETSTORE_API_KEY: 'sk_test_1'
    }
    writeFileSync(dirname(nowhere.PETSTORE_CONFIG_DIR), '')
    expect(await codes([], nowhere)).toEqual(['not-saved'])
    expect(await codes(['--data', ':memory:'], nowhere)).toEqual([])
    expect(await codes([])).toEqual([])
  })

  test('with the seed that repeats its faults', async () => {
    const seeds = async (argv: readonly string[]) =>
      noticesIn((await serveUntil('}\n', ['--json', '--data', ':memory:', ...argv])).stderr)
    expect(await seeds(['--fail', '0.1', '--seed', '7'])).toEqual([
      { code: 'faults', message: 'to fail the same requests again: --seed 7' }
    ])
    expect(await seeds(['--fail', '0.1'])).toMatchObject([
      { message: expect.stringMatching(/--seed \d+$/) }
    ])
    expect(await seeds(['--latency', '1'])).toEqual([])
  })
})

describe('a wrong command line exits with 2', () => {
  test.each([
    [['--port', '-1'], 'port'],
    [['--port', '65536'], '65535'],
    [['--port', 'http'], 'port'],
    [['--host', 'http://127.0.0.1'], 'without a port'],
    [['--host', ''], 'without a port'],
    [['--host', 'fe80::1%eth0'], 'without a zone'],
    [['--data', ''], 'the name of a file'],
    [['--data', '-'], 'the name of a file'],
    [['--latency', '-1'], 'latency'],
    [['--latency', '1.5'], 'latency'],
    [['--fail', '1.01'], '0 to 1'],
    [['--fail', '-0.1'], '0 to 1'],
    [['--fail', '10%'], '0 to 1'],
    [['--fail', '0.1', '--fail-with', '200'], '400 to 599'],
    [['--fail', '0.1', '--fail-with', '600'], '400 to 599'],
    [['--fail', '0.1', '--fail-with', 'explode'], 'drop or stall'],
    [['--fail', '0.1', '--seed', 'x'], 'seed'],
    [['--fail-with', 'drop'], '--fail'],
    [['--seed', '7'], '--fail'],
    [['--env', 'staging'], '--env has no effect'],
    [['--timeout', '1'], '--timeout has no effect'],
    [['now'], 'argument']
  ])('%j', async (argv, message) => {
    const run = await runCli(['serve', ...argv])
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(JSON.parse(run.stderr).error.message).toContain(message)
  })
})

describe('a problem on this machine exits with 9', () => {
  test.each(['0.0.0.0', '::', '192.0.2.1', 'pets.example'])(
    '%s without PETSTORE_API_KEY',
    async host => {
      const run = await runCli(['serve', '--host', host, '--port', '0'])
      expect(run).toMatchObject({ code: 9, stdout: '' })
      expect(JSON.parse(run.stderr).error).toMatchObject({
        message: expect.stringContaining('PETSTORE_API_KEY'),
        hint: expect.stringContaining('export PETSTORE_API_KEY=')
      })
    }
  )

  test('an address of another machine', async () => {
    const run = await runCli(
      ['serve', '--host', '192.0.2.1', '--port', '0', '--data', ':memory:'],
      {
        env: { PETSTORE_API_KEY: 'sk_test_12345678' }
      }
    )
    expect(run).toMatchObject({ code: 9, stdout: '' })
    expect(JSON.parse(run.stderr).error.hint).toBe(
      'petstore serve --host 127.0.0.1 --port 0 --data :memory:'
    )
  })

  test('a port that is in use; the hint keeps every other option', async () => {
    const first = await runCli(['serve', '--port', '0', '--json', '--data', ':memory:'], {
      steps: [
        [
          '\n',
          async output => {
            const { port } = new URL(JSON.parse(output).url)
            const options = [
              '--empty',
              '--latency',
              '5',
              '--fail',
              '0.5',
              '--fail-with',
              'drop',
              '--seed',
              '7',
              '--json'
            ]
            const run = await runCli(['serve', '--port', port, '--data', ':memory:', ...options])
            expect(run).toMatchObject({ code: 9, stdout: '' })
            expect(JSON.parse(run.stderr).error.hint).toBe(
              `petstore serve --port 0 --data :memory: ${options.join(' ')}`
            )
            return ctrlC()
          }
        ]
      ]
    })
    expect(first.code).toBe(0)
  })

  test('a file that is not a database, which is left unchanged', async () => {
    const path = join(temporaryDirectory(), 'notes.txt')
    writeFileSync(path, 'notes')
    const run = await runCli(['serve', '--port', '0', '--data', path])
    expect(run).toMatchObject({ code: 9, stdout: '' })
    expect(JSON.parse(run.stderr).error).toMatchObject({
      message: expect.stringContaining('is not an SQLite database'),
      // A pasted hint must not move a file that was named by mistake.
      hint: 'petstore serve --data :memory:'
    })
    expect(readFileSync(path, 'utf8')).toBe('notes')
  })

  test('a file in a directory that does not exist, which is not created', async () => {
    const home = temporaryDirectory()
    const run = await runCli(['serve', '--port', '0', '--data', join(home, 'mistyped', 'pets.db')])
    expect(run).toMatchObject({ code: 9, stdout: '' })
    expect(JSON.parse(run.stderr).error).toMatchObject({
      message: expect.stringContaining('cannot be opened: no such file or directory'),
      hint: 'petstore serve --data :memory:'
    })
    expect(readdirSync(home)).toEqual([])
  })

  test('a broken config file', async () => {
    const home = temporaryDirectory()
    writeFileSync(join(home, 'config.json'), '{')
    const run = await runCli(['serve', '--port', '0'], { home, env: { PETSTORE_CONFIG_DIR: home } })
    expect(run).toMatchObject({ code: 9, stdout: '' })
  })
})

test('a key that cannot be sent exits with 4', async () => {
  const run = await runCli(['serve', '--port', '0'], { env: { PETSTORE_API_KEY: 'two words' } })
  expect(run).toMatchObject({ code: 4, stdout: '' })
  expect(run.stderr).not.toContain('two words')
})

test('the help of serve shows the defaults, and no exit code for an interruption', async () => {
  const { stdout } = await runCli(['help', 'serve'])
  const text = stdout.replace(/\s+/g, ' ')
  expect(text).toMatch(/--port <number> [^-]*\(0: any free port; default: 4010\)/)
  expect(text).toMatch(/--host <host> [^-]*\(default: 127\.0\.0\.1\)/)
  expect(text).toMatch(/--data <file> [^-]*\(:memory: for none; default: the file of --env local\)/)
  expect(text).toMatch(/--fail-with <how> [^-]*\(default: 503\)/)
  expect(text).toContain('0 ok, 1 unexpected, 2 usage, 4 auth, 9 local')
  expect(text).not.toContain('130 interrupted')
})
