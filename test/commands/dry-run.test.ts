import { execFile } from 'node:child_process'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { runCli } from '../support/run-cli.ts'
import { key, service } from './service.ts'

const add = (name: string) => ['pets', 'add', `--name=${name}`, '--category-id', '1']

// In a terminal the command has several lines.
test.each<[what: string, argv: string[]]>([
  ['a GET', ['pets', 'list', '--status', 'sold']],
  ['quotes and shell syntax', add(`it's "$HOME" \`id\` $(id) !! \\ %s`)],
  ['other alphabets', add('Zoë 漢字 👩‍👩‍👧')],
  ['what acts on a terminal', add('\u001b[31m\u202e\u2028')],
  ['newlines', ['messages', 'send', '\n a\n\n']],
  ['a long body', ['messages', 'send', 'x'.repeat(120_000)]],
  ['a file', ['api', 'POST', '/x', '--file', '-']],
  ['a HEAD', ['api', 'HEAD', '/pets', '-f', 'a=b c&d[]={1}']],
  ['a method without a body', ['api', 'DELETE', '/pets/7']],
  [
    'headers',
    ['api', 'POST', '/x', '-f', 'a=1', '-H', 'X-A:', '-H', "X-B: it's", '-H', 'accept: a/b']
  ]
])('the printed command sends the same request in bash: %s', async (_, argv) => {
  const { server, urls, env } = await service()
  const stdin = () => Readable.from([Buffer.from('\t{"é": 1}')])
  await runCli(argv, { env, stdin: stdin() })
  for (const stdout of [true, false]) {
    const run = await runCli([...argv, '--dry-run'], {
      env: urls,
      stdin: stdin(),
      terminal: { stdout }
    })
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(run.stdout.split('\n').length > 2).toBe(stdout)
    const variables = { PATH: process.env.PATH, HOME: '/nonexistent', PETSTORE_API_KEY: key }
    const running = promisify(execFile)('bash', ['-u'], { env: variables })
    running.child.stdin?.end(run.stdout)
    await running
  }
  const [real, ...pasted] = server.requests.map(({ method, path, bytes, headers }) => {
    const { 'user-agent': _agent, 'accept-encoding': _encoding, connection: _, ...others } = headers
    return { method, path, bytes, headers: others }
  })
  expect(pasted).toEqual([real, real])
})

describe('--dry-run', () => {
  test('needs a URL but no key, sends nothing and shows no key', async () => {
    const { server, urls, env } = await service()
    expect(await runCli(['pets', 'list', '--dry-run'])).toMatchObject({ code: 9, stdout: '' })
    for (const variables of [urls, env]) {
      const run = await runCli(['pets', 'list', '-v', '--dry-run'], { env: variables })
      expect(run).toMatchObject({ code: 0, stderr: '' })
      expect(run.stdout).toContain('"authorization: Bearer $PETSTORE_API_KEY"')
      expect(run.stdout).not.toContain(key)
    }
    expect(server.connections()).toBe(0)
  })

  test.each([
    ['text', ['messages', 'send', `the key is ${key}`], 'the key is ***'],
    ['a header', ['api', 'GET', '/pets', '-H', `X-Key: ${key}`], 'x-key: ***'],
    ['a query', ['api', 'GET', `/pets?key=${key}`], '/pets?key=***'],
    ['a file', ['api', 'POST', '/x', '--file', '-'], 'the file has ***']
  ])('masks a key in %s', async (_, argv, shown) => {
    const { env } = await service()
    for (const flags of [[], ['--json']]) {
      const run = await runCli([...argv, '--dry-run', ...flags], {
        env,
        stdin: Readable.from([Buffer.from(`the file has ${key}`)])
      })
      expect(run.stdout).toContain(shown)
      expect(run.stdout).not.toContain(key)
    }
  })

  test('with --json is one object', async () => {
    const { server, env } = await service()
    const argv = ['pets', 'add', '--name', 'R', '--category-id', '9007199254740993']
    const { stdout } = await runCli([...argv, '--dry-run', '--json'], { env })
    expect(stdout).toContain('9007199254740993')
    expect(JSON.parse(stdout)).toEqual({
      method: 'POST',
      url: `${server.url}/v1/pets`,
      headers: {
        accept: 'application/json',
        authorization: 'Bearer $PETSTORE_API_KEY',
        'content-type': 'application/json'
      },
      body: { name: 'R', categoryId: expect.anything() },
      curl: expect.stringMatching(/^curl [^\n]*--request POST/)
    })
  })
})
