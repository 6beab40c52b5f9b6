import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { activeCharacter } from '../output/hostile.ts'
import { recordingServer } from '../support/recording-server.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

const key = 'sk_test_12345678'

async function service(answer: Parameters<typeof recordingServer>[0] = { body: 'ok' }) {
  const server = await recordingServer(answer)
  const env = {
    PETSTORE_API_KEY: key,
    PETSTORE_BASE_URL: `${server.url}/v1`,
    PETSTORE_MESSAGES_URL: `${server.url}/m`
  }
  return { server, env }
}

const errorOf = (stderr: string) => JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error

describe('what is sent', () => {
  test.each<[argv: string[], line: string, body: string]>([
    [['GET', '/pets'], 'GET /v1/pets', ''],
    [
      ['get', '/pets', '-f', 'status=sold', '-F', 'limit=5'],
      'GET /v1/pets?status=sold&limit=5',
      ''
    ],
    [['HEAD', '/pets?a=b', '-f', 'c=d'], 'HEAD /v1/pets?a=b&c=d', ''],
    [['POST', '/pets'], 'POST /v1/pets', ''],
    [
      ['POST', '/pets?x=1', '-f', 'name=7', '-F', 'id=9007199254740993'],
      'POST /v1/pets?x=1',
      '{"name":"7","id":9007199254740993}'
    ],
    [['PATCH', '/pets/1', '-F', 'tags=["a"]'], 'PATCH /v1/pets/1', '{"tags":["a"]}'],
    [['DELETE', '/pets/1'], 'DELETE /v1/pets/1', ''],
    [['POST', '/x', '--messages', '-f', 'message=hello'], 'POST /m/x', '{"message":"hello"}'],
    [['POST', '/x', '--file', '-'], 'POST /v1/x', 'from standard input\n'],
    [['PROPFIND', '/x'], 'PROPFIND /v1/x', '']
  ])('%j', async (argv, line, body) => {
    const { server, env } = await service()
    const run = await runCli(['api', ...argv], { env, stdin: 'from standard input\n' })
    expect(run).toMatchObject({ code: 0, stderr: '' })
    const [request] = server.requests
    expect(`${request?.method} ${request?.path}`).toBe(line)
    expect(request?.body).toBe(body)
    expect(request?.headers.authorization).toBe(`Bearer ${key}`)
    expect(request?.headers['content-type']).toBe(body === '' ? undefined : 'application/json')
  })

  test.each([
    [200, 0, 'gzip', gzipSync('{"compressed":true}'), '{"compressed":true}'],
    [404, 5, 'gzip', gzipSync('nothing here'), 'nothing here'],
    [200, 0, 'x-own', Buffer.from('unchanged'), 'unchanged']
  ])(
    '%i, exit code %i: a reply with content-encoding %s is printed',
    async (status, code, encoding, body, printed) => {
      const { env } = await service({ status, headers: { 'content-encoding': encoding }, body })
      const run = await runCli(['api', 'GET', '/x'], { env })
      expect(run).toMatchObject({ code, stdout: printed })
      const withHead = await runCli(['api', 'GET', '/x', '-i'], { env })
      expect(withHead.stdout).toMatch(
        new RegExp(`^HTTP/1.1 ${status}\r\n[^]*content-encoding: ${encoding}\r\n`)
      )
      expect(withHead.stdout.endsWith(`\r\n\r\n${printed}`)).toBe(true)
    }
  )

  test('headers are added, and Content-Type can be replaced', async () => {
    const { server, env } = await service()
    const argv = [
      'api',
      'POST',
      '/x',
      '-f',
      'a=b',
      '-H',
      'X-One: 1',
      '-H',
      'Content-Type: text/plain',
      '-H',
      'accept: a/b'
    ]
    await runCli(argv, { env })
    expect(server.requests[0]?.headers).toMatchObject({
      'x-one': '1',
      'content-type': 'text/plain',
      accept: 'a/b'
    })
  })

  test('a file is sent byte for byte', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
    const path = join(temporaryDirectory(), 'body')
    writeFileSync(path, bytes)
    const { server, env } = await service()
    await runCli(['api', 'PUT', '/x', '--file', path], { env })
    expect(server.requests[0]?.bytes).toEqual(bytes)
  })

  test.each<[argv: string[], words: string]>([
    [['GET', 'pets'], 'use a path that starts with /'],
    [['GET', '//evil.example/pets'], 'would name a host'],
    [['GET', 'http://evil.example/'], 'use a path that starts with /'],
    [['GET', '/pets/../admin'], '. or ..'],
    [['GET', '/\\evil.example'], 'backslashes'],
    [['GET', '/pets#x'], '%23'],
    [['GET'], 'is missing'],
    [['GET', '/x', '--file', '-'], 'has no body'],
    [['HEAD', '/x', '--file', '-'], 'has no body'],
    [['POST', '/x', '--file', '-', '-f', 'a=b'], 'cannot be used together'],
    [['POST', '/x', '--file', '/does/not/exist'], 'cannot be read'],
    [['POST', '/x', '-F', 'a=[1'], 'is not JSON'],
    [['POST', '/x', '-f', 'a'], 'key=value'],
    [['POST', '/x', '-f', 'a=1', '-F', 'a=1'], 'given twice'],
    [['POST', '/x', '-H', 'nothing'], "'Name: value'"],
    [['POST', '/x', '-H', `Authorization: Bearer ${key}`], 'PETSTORE_API_KEY'],
    [['CONNECT', '/x'], 'HTTP method'],
    [['G T', '/x'], 'HTTP method'],
    [['GET', '/x', '--jq', '.['], 'syntax error'],
    [['GET', '/x', '--fields', 'id'], '--fields has no effect']
  ])('%j is a usage error, and nothing is sent', async (argv, words) => {
    const { server, env } = await service()
    const run = await runCli(['api', ...argv], { env })
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(errorOf(run.stderr).message).toContain(words)
    expect(run.stderr).not.toContain(key)
    expect(server.connections()).toBe(0)
  })
})

test.each([
  ['-H', 'X-Api-Key=sk_live_abc123'],
  ['-H', 'sk_live_abc123'],
  ['-f', 'sk_live_abc123'],
  ['-F', 'sk_live_abc123'],
  ['-F', 'key=["sk_live_abc123'],
  ['sk_live_abc123']
])('no error repeats what may be a misplaced secret: %j', async (...words) => {
  const argv = words.length === 1 ? words : ['/pets', ...words]
  const run = await runCli(['api', 'GET', ...argv])
  expect(run).toMatchObject({ code: 2, stdout: '' })
  expect(run.stderr).not.toContain('sk_live')
})

test('a field can be given thousands of times', async () => {
  const { server, env } = await service()
  const fields = Array.from({ length: 8000 }, () => ['-f', 'a=1']).flat()
  // It took longer than a test may take.
  const run = await runCli(['api', 'GET', '/pets', ...fields, '--dry-run', '--json'], { env })
  expect(run.code).toBe(0)
  expect(JSON.parse(run.stdout).url).toBe(
    `${server.url}/v1/pets?${'a=1&'.repeat(8000).slice(0, -1)}`
  )
})

describe('the output', () => {
  test.each<[method: string, status: number, code: number]>([
    ['GET', 200, 0],
    ['GET', 204, 0],
    ['GET', 302, 7],
    ['GET', 400, 3],
    ['GET', 401, 4],
    ['GET', 403, 4],
    ['GET', 404, 5],
    ['GET', 405, 3],
    ['GET', 410, 5],
    ['GET', 418, 3],
    ['GET', 429, 7],
    ['GET', 500, 7],
    ['GET', 501, 7],
    ['GET', 503, 7],
    ['POST', 201, 0],
    ['POST', 409, 3],
    ['POST', 500, 10],
    ['POST', 501, 7],
    ['DELETE', 404, 5],
    ['DELETE', 502, 10],
    ['PUT', 504, 10]
  ])('for a %s with a %i reply: the body, and exit code %i', async (method, status, code) => {
    const body = status === 204 ? '' : '{"code":"made_up","message":"made up","status":0}'
    const { server, env } = await service({ status, body })
    const run = await runCli(['api', method, '/x', '--retries', '0'], { env })
    expect(run).toMatchObject({ code, stdout: body })
    if (code !== 0) expect(errorOf(run.stderr)).toMatchObject({ exitCode: code, status })
    else expect(run.stderr).toBe('')
    expect(server.requests).toHaveLength(1)
  })

  test('the error names the refused request, or mentions a possible change', async () => {
    const json = { code: 'no', message: 'not like this', status: 422 }
    const refused = await runCli(['api', 'PATCH', '/pets/1'], {
      env: (await service({ status: 422, json })).env
    })
    expect(errorOf(refused.stderr).message).toMatch(
      /refused to accept this PATCH request at http.*\/v1\/pets\/1 \(422\): not like this/
    )
    const doubtful = await runCli(['api', 'DELETE', '/pets/1'], {
      env: (await service({ status: 500 })).env
    })
    expect(errorOf(doubtful.stderr).message).toContain('the request may have been carried out')
  })

  test('a lost connection exits with 6 for a GET and with 10 for a DELETE', async () => {
    const { env } = await service((_request, response) => {
      response.destroy()
      return undefined
    })
    expect((await runCli(['api', 'GET', '/x', '--retries', '0'], { env })).code).toBe(6)
    expect((await runCli(['api', 'DELETE', '/x'], { env })).code).toBe(10)
  })

  test('-i shows the status and every header first', async () => {
    const headers = { 'x-one': '1', 'set-cookie': ['a=1', 'b=2'] }
    const { env } = await service({ status: 404, body: 'gone', headers })
    const { code, stdout } = await runCli(['api', 'GET', '/x', '-i'], { env })
    expect(code).toBe(5)
    expect(stdout).toMatch(/^HTTP\/1\.1 404\r\n/)
    expect(stdout).toMatch(/\r\nx-one: 1\r\n/)
    expect(stdout).toMatch(/\r\nset-cookie: a=1\r\nset-cookie: b=2\r\n/)
    expect(stdout).toMatch(/\r\n\r\ngone$/)
  })

  test('-i shows headers byte for byte in a pipe', async () => {
    const { env } = await service({
      body: '',
      headers: { 'x-hi': Buffer.from('café').toString('latin1') }
    })
    const { stdout } = await runCli(['api', 'GET', '/x', '-i'], { env })
    expect(stdout).toContain('\r\nx-hi: café\r\n')
  })

  test('is harmless in a terminal, headers too', async () => {
    const { env } = await service({
      body: '\u001b[2J\u009b31m\u202egnp\r\nx\u0007',
      headers: { 'x-evil': '\u0080a' }
    })
    const { stdout } = await runCli(['api', 'GET', '/x', '-i'], { env, terminal: { stdout: true } })
    expect(stdout).toContain('␛[2J')
    expect(stdout.replaceAll(/[\r\n]/g, '')).not.toMatch(activeCharacter)
  })

  test('is the reply as it is with --json, and indented and colored in a terminal', async () => {
    const { env } = await service({ body: '{"id":9007199254740993}' })
    expect((await runCli(['api', 'GET', '/x', '--json'], { env })).stdout).toBe(
      '{"id":9007199254740993}'
    )
    const run = (...options: string[]) =>
      runCli(['api', 'GET', '/x', ...options], { env, terminal: true })
    expect((await run('--no-color')).stdout).toBe('{\n  "id": 9007199254740993\n}\n')
    expect((await run()).stdout).toContain('\u001b[33m9007199254740993')
  })

  test('is nothing if the reply is empty, with --jq too', async () => {
    const { env } = await service({ status: 204 })
    expect(await runCli(['api', 'DELETE', '/x', '--jq', '.'], { env })).toEqual({
      code: 0,
      stdout: '',
      stderr: ''
    })
  })

  test('is filtered by --jq, but not if the status is an error', async () => {
    const json = { pets: [{ id: 1 }] }
    const { env } = await service({ body: '{"id":9007199254740993}' })
    expect((await runCli(['api', 'GET', '/x', '--jq', '.id'], { env })).stdout).toBe(
      '9007199254740993\n'
    )
    const refused = await service({ status: 400, json })
    const run = await runCli(['api', 'GET', '/x', '--jq', '.id'], { env: refused.env })
    expect(run).toMatchObject({ code: 3, stdout: JSON.stringify(json) })
    const page = await service({ body: '<html>' })
    const failed = await runCli(['api', 'GET', '/x', '--jq', '.id'], { env: page.env })
    expect(failed).toMatchObject({ code: 9, stdout: '' })
    expect(errorOf(failed.stderr).message).toContain('the reply is not JSON')
  })

  test('of --jq is an error for a reply that is too large, unless the status is one', async () => {
    const body = `[${' '.repeat(2 ** 23)}]`
    const { env } = await service({ status: 201, body })
    const made = await runCli(['api', 'POST', '/x', '--jq', '.'], { env })
    expect(made).toMatchObject({ code: 9, stdout: '' })
    expect(errorOf(made.stderr)).toMatchObject({
      changed: true,
      message: expect.stringMatching(/^the POST request succeeded, but .* larger than 8 MiB$/)
    })
    const failing = await service({ status: 404, body })
    const failed = await runCli(['api', 'GET', '/x', '--jq', '.'], { env: failing.env })
    expect(failed.code).toBe(5)
    expect(failed.stdout === body).toBe(true)
  })

  test('comes from the local service too, including messages', async () => {
    const home = temporaryDirectory()
    const api = (...argv: string[]) => runCli(['api', ...argv, '--env', 'local'], { home })
    expect(JSON.parse((await api('GET', '/pets', '-F', 'limit=2')).stdout)).toHaveLength(2)
    const added = await api('POST', '/pets', '-f', 'name=Rex', '-F', 'categoryId=9007199254740993')
    expect(added.stdout).toContain('"categoryId":9007199254740993')
    expect(await api('POST', '/pets', '-f', 'name=Rex')).toMatchObject({ code: 3 })
    expect(
      JSON.parse((await api('POST', '/messages', '--messages', '-f', 'message=hi')).stdout)
    ).toMatchObject({
      message: 'hi'
    })
    expect(await api('GET', '/store/orders')).toMatchObject({ code: 7 })
    expect(await api('HEAD', '/pets')).toMatchObject({ code: 0, stdout: '' })
  })
})
