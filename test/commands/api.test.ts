import { describe, expect, test } from 'vitest'
import { rowsOf, wordsOf } from '../cli/typing.ts'
import { activeCharacter } from '../output/hostile.ts'
import type { Answer } from '../support/recording-server.ts'
import { runCli } from '../support/run-cli.ts'
import { errorOf, key, service } from './service.ts'

/** Runs `petstore api` against a service with this answer. */
async function serving(answer: Answer = { body: 'ok' }) {
  const { server, env } = await service(answer)
  const api = (...argv: string[]) =>
    runCli(['api', ...argv, '--retries', '0'], { env, stdin: 'from standard input\n' })
  return { server, env, api }
}

describe('what is sent', () => {
  test.each<[argv: string[], line: string, body?: string]>([
    [['/pets'], 'GET /v1/pets'],
    [['get', '/pets', '-f', 'status=sold', '-F', 'limit=5'], 'GET /v1/pets?status=sold&limit=5'],
    [['HEAD', '/pets?a=b', '-f', 'c=d e'], 'HEAD /v1/pets?a=b&c=d+e'],
    [['POST', '/pets'], 'POST /v1/pets'],
    [
      ['POST', '/pets?x=1', '-f', 'name=7', '-F', 'id=9007199254740993', '-F', 'word=bare'],
      'POST /v1/pets?x=1',
      '{"name":"7","id":9007199254740993,"word":"bare"}'
    ],
    [['PATCH', '/pets/1', '-F', 'tags=["a"]'], 'PATCH /v1/pets/1', '{"tags":["a"]}'],
    [['POST', '/x', '--messages', '-f', 'message=hello'], 'POST /x', '{"message":"hello"}'],
    [['POST', '/x', '--file', '-'], 'POST /v1/x', 'from standard input\n'],
    [['PROPFIND', '/x y'], 'PROPFIND /v1/x%20y']
  ])('%j', async (argv, line, body = '') => {
    const { server, api } = await serving()
    expect(await api(...argv)).toMatchObject({ code: 0, stderr: '' })
    const [request] = server.requests
    expect([`${request?.method} ${request?.path}`, request?.body]).toEqual([line, body])
    expect(request?.headers.authorization).toBe(`Bearer ${key}`)
    expect(request?.headers['content-type']).toBe(body === '' ? undefined : 'application/json')
    expect(request?.headers['idempotency-key']).toBeUndefined()
  })

  test('headers are added, and some replace those of the program', async () => {
    const { server, api } = await serving()
    const headers = ['X-One: 1', 'X-One: 2', 'Content-Type: text/plain', 'accept: a/b']
    await api('POST', '/x', '-f', 'a=b', ...headers.flatMap(header => ['-H', header]))
    const expected = { 'x-one': '2', 'content-type': 'text/plain', accept: 'a/b' }
    expect(server.requests[0]?.headers).toMatchObject(expected)
  })
})

const misuses = rowsOf(`
GET //evil.example/pets => one slash
GET /pets/../admin => .. parts
GET /../admin => .. parts
GET /pets/%2E./admin => .. parts
GET '/\\evil.example' => \\
GET /pets#x => #
GET /x --file - => has no body
/x -f a=b => need the method
POST /x --file - -f a=b => cannot be used
POST /x -f sk_live => key=value
POST /x -H X-Key=sk_live => 'Name: value'
POST /x -H 'X Key: sk_live' => 'Name: value'
POST /x -H 'Authorization: Bearer sk_live' => PETSTORE_API_KEY
POST /x -H 'Host: other.example' => header 'host'
CONNECT /x => give a method
GET /x --jq .[ => syntax error
`)

test.each(misuses)('api %s is a usage error, and repeats no secret', async (line, words) => {
  const { server, api } = await serving()
  const run = await api(...wordsOf(line))
  expect(run).toMatchObject({ code: 2, stdout: '' })
  expect(errorOf(run.stderr).message).toContain(words)
  expect(run.stderr).not.toMatch(/sk_/)
  expect(server.connections()).toBe(0)
})

test('standard input is not a body by itself, which the hint of a rejected POST says', async () => {
  const { api } = await serving({ status: 400, json: { code: 'invalid_request', message: 'no' } })
  expect(errorOf((await api('POST', '/pets')).stderr)).toMatchObject({
    exitCode: 3,
    hint: 'petstore api POST /pets --retries 0 --file=-'
  })
  expect(errorOf((await api('POST', '/pets', '-f', 'a=b')).stderr)).toMatchObject({
    hint: 'petstore api --help'
  })
})

describe('the output', () => {
  test.each<[method: string, status: number, code: number]>([
    ['GET', 204, 0],
    ['GET', 302, 7],
    ['GET', 404, 5],
    ['GET', 503, 7],
    ['POST', 409, 3],
    ['DELETE', 502, 10]
  ])('for a %s with a %i reply: the body, and exit code %i', async (method, status, code) => {
    const body = status === 204 ? '' : '{"code":"made_up","message":"made up","status":0}'
    const { server, api } = await serving({ status, body })
    const run = await api(method, '/x')
    expect(run).toMatchObject({ code, stdout: body })
    if (code !== 0) expect(errorOf(run.stderr)).toMatchObject({ exitCode: code, status })
    expect(server.requests).toHaveLength(1)
  })

  test('with -i has the status and every header first, byte for byte', async () => {
    const latin1 = Buffer.from('café').toString('latin1')
    const headers = { 'x-hi': latin1, 'set-cookie': ['a=1', 'b=2'] }
    const { api } = await serving({ status: 404, body: 'gone', headers })
    const { code, stdout } = await api('GET', '/x', '-i')
    expect(code).toBe(5)
    expect(stdout).toMatch(/^HTTP\/1\.1 404\r\n.*set-cookie: a=1\r\nset-cookie: b=2\r\n/s)
    expect(stdout).toMatch(/\r\nx-hi: café\r\n.*\r\n\r\ngone$/s)
  })

  test('is harmless in a terminal, headers too', async () => {
    const body = '\u001b[2J\u009b31m\u202egnp\r\nx\u0007'
    const { env } = await serving({ body, headers: { 'x-evil': '\u0080a' } })
    const { stdout } = await runCli(['api', 'GET', '/x', '-i'], { env, terminal: true })
    expect(stdout).toContain('␛[2J')
    expect(stdout.replaceAll(/[\r\n]/g, '')).not.toMatch(activeCharacter)
  })

  test('is filtered by --jq, but not if the status is an error', async () => {
    const { api } = await serving({ body: '{"id":9007199254740993}' })
    expect((await api('GET', '/x', '--jq', '.id')).stdout).toBe('9007199254740993\n')
    const { api: refuse } = await serving({ status: 400, body: '{"id":1}' })
    expect(await refuse('GET', '/x', '--jq', '.id')).toMatchObject({ code: 3, stdout: '{"id":1}' })
    const { api: page } = await serving({ body: '<html>' })
    expect(await page('GET', '/x', '--jq', '.id')).toMatchObject({ code: 9, stdout: '' })
  })
})
