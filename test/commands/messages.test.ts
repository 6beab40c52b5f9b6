import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { recordingServer } from '../support/recording-server.ts'
import { runCli } from '../support/run-cli.ts'

const reply = { id: 'm1', message: 'hello', status: 'queued', createdAt: '2026-01-01T00:00:00Z' }

async function service(json: unknown = reply) {
  const server = await recordingServer({ status: 202, json })
  return {
    server,
    env: { PETSTORE_API_KEY: 'sk_test_12345678', PETSTORE_MESSAGES_URL: server.url }
  }
}

describe('messages send', () => {
  test('sends the text to PETSTORE_MESSAGES_URL and needs no other URL', async () => {
    const { server, env } = await service()
    const run = await runCli(['messages', 'send', 'hello'], { env })
    expect(run.code).toBe(0)
    expect(JSON.parse(run.stdout)).toEqual(reply)
    expect(server.requests).toMatchObject([
      { method: 'POST', path: '/messages', body: '{"message":"hello"}' }
    ])
  })

  test.each([
    ['one final newline is removed', 'two\nlines\n\n', 'two\nlines\n'],
    ['one final Windows newline is removed', 'a line\r\n', 'a line'],
    ['spaces are not removed', '  ', '  ']
  ])('%s', async (_, stdin, message) => {
    const { server, env } = await service()
    for (const argv of [
      ['messages', 'send'],
      ['messages', 'send', '-']
    ]) {
      await runCli(argv, { env, stdin })
    }
    expect(server.requests.map(({ body }) => JSON.parse(body))).toEqual([{ message }, { message }])
  })

  test('prints a notice if a message is only queued, and none if it is delivered', async () => {
    const queued = await service()
    const first = await runCli(['messages', 'send', 'hello'], { env: queued.env })
    expect(JSON.parse(first.stderr).notice.code).toBe('queued')
    const delivered = await service({ ...reply, status: 'delivered' })
    const second = await runCli(['messages', 'send', 'hello'], { env: delivered.env })
    expect(second.stderr).toBe('')
  })

  test('prints a notice that it reads standard input if that is a terminal', async () => {
    const { env } = await service()
    const run = await runCli(['messages', 'send'], {
      env,
      stdin: 'hello\n',
      terminal: { stdin: true, stderr: true }
    })
    expect(run.stderr).toContain('Ctrl-D')
  })

  test.each([
    ['is empty', ['messages', 'send', '']],
    ['is missing', ['messages', 'send', '--no-input']]
  ])('is a usage error in a terminal if the message %s', async (problem, argv) => {
    const { server, env } = await service()
    const run = await runCli([...argv, '--json'], {
      env,
      stdin: 'hello\n',
      terminal: { stdin: true }
    })
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(JSON.parse(run.stderr).error).toMatchObject({
      message: `the message ${problem}`,
      hint: 'petstore messages send --help'
    })
    expect(server.requests).toHaveLength(0)
  })

  test('works with the local service', async () => {
    const run = await runCli(['messages', 'send', 'hello', '--env', 'local'])
    expect(JSON.parse(run.stdout)).toMatchObject({ message: 'hello', status: 'queued' })
  })
})

test.each([
  ['a URL', {}],
  ['a key', { PETSTORE_MESSAGES_URL: 'https://pets.example' }]
])('messages send without %s fails before it reads anything', async (_, env) => {
  for (const text of [[], ['-']]) {
    const stdin = new PassThrough()
    const run = await runCli(['messages', 'send', ...text], { env, stdin, terminal: true })
    expect([4, 9]).toContain(run.code)
    expect(run.stderr).not.toContain('reading the message')
  }
})

describe('standard input without data', () => {
  const silent = () => new PassThrough()

  test.each([
    ['messages send without a text', ['messages', 'send', '--env', 'local']],
    ['auth login', ['auth', 'login', '--base-url', 'https://pets.example/v1', '--no-verify']]
  ])('is a usage error for %s', async (_, argv) => {
    const { code, stderr } = await runCli([...argv, '--timeout', '0.1'], { stdin: silent() })
    expect(code).toBe(2)
    expect(JSON.parse(stderr).error.message).toContain(
      'nothing arrived on standard input within 0.1 s'
    )
  })

  test('is awaited without a time limit if - requests it, or after the first byte', async () => {
    for (const [argv, first] of [
      [['messages', 'send', '-'], ''],
      [['messages', 'send'], 'be']
    ] as const) {
      const stdin = silent()
      if (first !== '') stdin.write(first)
      setTimeout(() => stdin.end('gun'), 400)
      const { code, stdout, stderr } = await runCli(
        [...argv, '--env', 'local', '--timeout', '0.1'],
        { stdin }
      )
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('queued') })
      expect(JSON.parse(stdout).message).toBe(`${first}gun`)
    }
  })
})
