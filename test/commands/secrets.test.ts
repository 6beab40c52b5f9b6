import { describe, expect, test } from 'vitest'
import { recordingServer } from '../support/recording-server.ts'
import { runCli } from '../support/run-cli.ts'

/** A key in Base64, because many services create such keys. */
const key = 'c2Vjcm+V0K2tleS8xMjM/Zm9vYmFyMTIzNA'

async function environmentWith(answer: Parameters<typeof recordingServer>[0]) {
  const server = await recordingServer(answer)
  return { PETSTORE_API_KEY: key, PETSTORE_BASE_URL: server.url, PETSTORE_MESSAGES_URL: server.url }
}

/** Fails if the text contains 12 consecutive characters of the key. */
function expectNoPart(text: string) {
  const parts = Array.from({ length: key.length - 11 }, (_, start) => key.slice(start, start + 12))
  expect(parts.filter(part => text.includes(part))).toEqual([])
}

describe('a service that sends the key back', () => {
  test.each([
    ['as PHP writes it', key.replaceAll('/', '\\/')],
    ['as .NET writes it', key.replace('+', '\\u002B').replace('/', '\\u002F')],
    ['in HTML', key.replace('+', '&#43;').replace('/', '&#x2F;')],
    ['percent-encoded', encodeURIComponent(key)],
    ['in hexadecimal digits', Buffer.from(key).toString('hex')],
    ['in Base64', Buffer.from(`user:${key}`).toString('base64')]
  ])('%s: the key is masked with --verbose and in the error', async (_, written) => {
    const env = await environmentWith({
      status: 403,
      body: `{"code":"x","message":"key ${written} refused","status":403}`
    })
    for (const terminal of [true, false]) {
      const { code, stderr } = await runCli(['pets', 'list', '-v', '--no-color'], { env, terminal })
      expect(code).toBe(4)
      expect(stderr).toContain('***')
      expect(stderr).not.toContain(written)
      expectNoPart(stderr)
    }
  })

  test('shows no part of the key in the result of an import', async () => {
    const env = await environmentWith({
      status: 400,
      json: { code: 'x', message: `key ${key} refused`, status: 400 }
    })
    const stdin = '{"name":"Rex","categoryId":1}\n'
    for (const format of ['ndjson', 'csv', 'table']) {
      const { code, stdout } = await runCli(['pets', 'import', '-', '-o', format], { env, stdin })
      expect([code, stdout]).toEqual([8, expect.stringContaining('key *** refused')])
    }
  })

  test('shows no part of the key in a message that jq truncates', async () => {
    const env = await environmentWith({
      json: [{ id: 1, name: `the key is ${key}`, categoryId: 2 }]
    })
    for (const expression of [
      '.[0].name + 1',
      '.[0].name | tonumber',
      'error',
      '.[0] | error',
      '.[0].name | debug | error'
    ]) {
      const { code, stderr } = await runCli(['pets', 'list', '--jq', expression], { env })
      expect(code).toBe(9)
      expectNoPart(stderr)
    }
  })

  test('shows no part of the key where a long body is truncated', async () => {
    for (const cut of [12, 20, key.length - 1]) {
      const env = await environmentWith({ body: `${'x'.repeat(20_000 - cut)}${key}` })
      expectNoPart((await runCli(['api', 'GET', '/', '-v'], { env })).stderr)
    }
  })
})

test('a message of the service is masked before it is shortened', async () => {
  const json = { code: 'x', message: `${'x'.repeat(989)}${key}`, status: 400 }
  const { stderr } = await runCli(['pets', 'list'], {
    env: await environmentWith({ status: 400, json })
  })
  expect(JSON.parse(stderr).error.message).toMatch(/x\*\*\*$/)
})

test("a key in a header's name or in a saved URL is masked", async () => {
  const plain = 'sk_live_0123456789'
  const env = { PETSTORE_API_KEY: plain, PETSTORE_BASE_URL: `https://${plain}.example/v1` }
  const shown = await runCli(['api', 'GET', '/pets', '-H', `X-${plain}: 1`, '--dry-run'], { env })
  expect(shown.stdout).toContain("'x-***: 1'")
  expect(shown.stdout).toContain("'https://***.example/v1/pets'")
  for (const argv of [
    ['env', 'list'],
    ['auth', 'status', '--no-verify']
  ]) {
    expect(JSON.parse((await runCli(argv, { env })).stdout)[0].baseUrl).toBe(
      'https://***.example/v1'
    )
  }
  const settings: Record<string, unknown>[] = JSON.parse(
    (await runCli(['config', 'list'], { env })).stdout
  )
  expect(settings.find(({ setting }) => setting === 'base-url')?.value).toBe(
    'https://***.example/v1'
  )
})

test('a password in a URL at the wrong place of a command line is masked', async () => {
  for (const argv of [
    ['env', 'set', 'dev', 'http://u:pw@h.io'],
    ['messages', 'send', 'hello', 'http://u:pw@h.io', '--bogus'],
    ['api', 'GET', 'http://u:pw@h.io']
  ]) {
    const { code, stderr } = await runCli(argv)
    expect(code).toBe(2)
    expect(stderr).not.toContain('u:pw')
  }
})

test('a password in a URL that is a variable of this program is masked', async () => {
  const { code, stderr } = await runCli(['pets', 'list'], {
    env: { PETSTORE_ENV: 'https://u:pw@h.io' }
  })
  expect(code).toBe(2)
  expect(stderr).not.toContain('u:pw')
})

describe("the password in a proxy's URL", () => {
  const passwords = [
    'p4ss/w0rd',
    'p4ss#w0rd',
    'p4ss?w0rd',
    'p4ss@w0rd',
    'p4ss:w0rd',
    '1234/w0rd',
    'p4ss%2Fw0rd',
    'p4 ssw0rd',
    '%zz/w0rd'
  ]

  test.each(passwords)('%s is never shown', async password => {
    for (const name of ['https_proxy', 'HTTP_PROXY']) {
      const env = {
        PETSTORE_API_KEY: key,
        PETSTORE_ALLOW_HTTP: '1',
        PETSTORE_BASE_URL:
          name === 'HTTP_PROXY' ? 'http://pets.invalid/v1' : 'https://pets.invalid/v1',
        [name]: `http://bob:${password}@127.0.0.1:9`
      }
      for (const argv of [
        ['doctor', '--json'],
        ['config', 'list', '--json'],
        ['pets', 'list', '-v', '--retries', '0']
      ]) {
        const { stdout, stderr } = await runCli([...argv, '--timeout', '1'], { env })
        for (const part of password.split(/[/#?@:%]/).filter(({ length }) => length > 3)) {
          expect(stdout + stderr).not.toContain(part)
        }
      }
    }
  })
})

test.each([
  [['pets', 'import', 'https://user:Hunter22winter=x9@h/v1', '--env', 'local']],
  [['pets', 'add', '--file=https://user:Hunter22winter=x9@h/v1', '--env', 'local']],
  [['serve', '--data', 'https:/user:Hunter22winter@h/x/y', '--port', '0']]
])('%j: the password in the URL is masked', async argv => {
  const { code, stdout, stderr } = await runCli(argv)
  expect(code).not.toBe(0)
  expect(stderr).toContain('***@h/')
  expect(stdout + stderr).not.toContain('Hunter22winter')
})
