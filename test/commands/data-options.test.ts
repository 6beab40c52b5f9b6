import { describe, expect, test } from 'vitest'
import { recordingServer } from '../support/recording-server.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

const big = '9007199254740993'

async function service(
  body = `[{"id":${big},"name":"Rex","categoryId":-${big},"status":"sold","age":7}]`
) {
  const server = await recordingServer({ body })
  return { server, env: { PETSTORE_API_KEY: 'sk_test_12345678', PETSTORE_BASE_URL: server.url } }
}

const errorOf = (stderr: string) => JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error

describe('--fields', () => {
  test('works for one pet, for environments and for messages', async () => {
    const home = temporaryDirectory()
    const stdoutOf = async (...argv: string[]) => (await runCli(argv, { home })).stdout
    expect(
      await stdoutOf('pets', 'get', '1', '--env', 'local', '--fields', 'id', '-o', 'ndjson')
    ).toBe('{"id":1}\n')
    expect(await stdoutOf('env', 'list', '--fields', 'name', '-o', 'tsv')).toBe(
      'production\nstaging\nlocal\n'
    )
    expect(
      await stdoutOf('messages', 'send', 'x', '--env', 'local', '--fields', 'message', '-o', 'tsv')
    ).toBe('x\n')
  })

  test.each([
    [
      'pets list --fields id,colour',
      "unknown field 'colour': the fields are id, name, categoryId, status"
    ],
    ['pets add --name Rex --category-id 2 --fields age', "unknown field 'age'"],
    ['pets list --fields constructor', "unknown field 'constructor'"],
    ['pets list --fields id,id', 'each once'],
    ['pets list --fields id,,name', 'separated by commas'],
    ['pets list --fields=', 'separated by commas'],
    ['auth token --fields id', '--fields has no effect'],
    ['help --fields id', '--fields has no effect'],
    ['commands --fields name', '--fields has no effect'],
    ['serve --fields url', '--fields has no effect']
  ])('%s is a usage error, and nothing is sent', async (line, words) => {
    const { server, env } = await service()
    const { code, stdout, stderr } = await runCli(line.split(' '), { env })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(errorOf(stderr).message).toContain(words)
    expect(server.requests).toHaveLength(0)
  })
})

test('help lists --fields only for commands with fields', async () => {
  expect((await runCli(['pets', 'list', '--help'])).stdout).toContain('--fields')
  expect((await runCli(['commands', '--help'])).stdout).not.toContain('--fields')
})

describe('--jq', () => {
  test.each([
    [['--jq', '.[0].name'], 'Rex\n'],
    [['--jq', '.[]|{id,categoryId}'], `{"id":${big},"categoryId":-${big}}\n`],
    [['--jq=.[].id', '-o', 'json'], `${big}\n`],
    [['--json', '--jq', 'length'], '1\n'],
    [['--jq', '.[]|keys_unsorted|@csv', '--fields', 'status,id'], '"status","id"\n'],
    [['--jq', '.[]|.id,.categoryId,.age', '--int64', 'string'], `${big}\n-${big}\n7\n`],
    [['--jq', '.[].id|type', '--int64', 'string'], 'string\n'],
    [['--jq', '.[0]|{id}', '-o', 'ndjson'], `{"id":${big}}\n`],
    [['--jq', 'empty'], '']
  ])('pets list %j', async (options, text) => {
    const { env } = await service()
    expect(await runCli(['pets', 'list', ...options], { env })).toMatchObject({
      code: 0,
      stdout: text
    })
  })

  test.each([
    [
      ['--jq', '.[0]|{id,tags:[.name]}', '--color', 'never'],
      `{\n  "id": ${big},\n  "tags": [\n    "Rex"\n  ]\n}\n`
    ],
    [['--jq', '.[0]|{age}', '-o', 'ndjson', '--no-color'], '{"age":7}\n'],
    [['--jq', '.[].age'], '\u001b[33m7\u001b[39m\n'],
    [['--jq', '.[0]|{age}', '-o', 'ndjson'], '{\u001b[34m"age"\u001b[39m:\u001b[33m7\u001b[39m}\n'],
    [['--jq', '.[].name'], 'Rex\n']
  ])('in a terminal, results are indented and colored: %j', async (options, text) => {
    const { env } = await service()
    expect((await runCli(['pets', 'list', ...options], { env, terminal: true })).stdout).toBe(text)
  })

  test('overrides a format from a variable or the config file', async () => {
    const { env } = await service()
    const chosen = { ...env, PETSTORE_OUTPUT: 'csv' }
    expect((await runCli(['pets', 'list', '--jq', '.[0].age'], { env: chosen })).stdout).toBe('7\n')
  })

  test.each([
    [['--jq', '.['], 'syntax error'],
    [['--jq', ''], 'Top-level program not given'],
    [['--jq', 'nosuch'], 'nosuch/0 is not defined'],
    [['--jq', '.', '-o', 'csv'], "write CSV in the expression, as in '[.id, .name] | @csv'"],
    [['--jq', '.', '-o', 'tsv'], '| @tsv'],
    [['--jq', '.', '-o', 'table'], 'cannot be used with --output table']
  ])('pets add %j is a usage error in JSON, and nothing is sent', async (options, words) => {
    const { server, env } = await service()
    const argv = ['pets', 'add', '--name', 'Rex', '--category-id', '2', ...options]
    const { code, stdout, stderr } = await runCli(argv, { env, terminal: { stdout: true } })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    if (options.at(-2) === '--jq') expect(errorOf(stderr).message).toContain(words)
    else expect(stderr).toContain(words)
    expect(server.requests).toHaveLength(0)
  })

  test('prints the results before a failure on the reply, and exits with 9', async () => {
    const { server, env } = await service()
    const { code, stdout, stderr } = await runCli(['pets', 'list', '--jq', '.[0].age, .age'], {
      env
    })
    expect({ code, stdout }).toEqual({ code: 9, stdout: '7\n' })
    expect(errorOf(stderr)).toMatchObject({
      code: 'local',
      message: '--jq: Cannot index array with string ("age") (the value is an array of pets)'
    })
    expect(server.requests).toHaveLength(1)
  })

  test.each([
    ['pets list', "as in '.[] | [.id, .name] | @tsv'"],
    ['pets get 3', "as in '[.id, .name] | @tsv'"],
    ['commands', "as in '@tsv'"]
  ])('%s proposes an expression for TSV that fits its shape', async (line, words) => {
    const { code, stderr } = await runCli([...line.split(' '), '--jq', '.', '-o', 'tsv'])
    expect(code).toBe(2)
    expect(errorOf(stderr).message).toContain(words)
  })

  test('selects JSON for errors too', async () => {
    const server = await recordingServer({
      status: 401,
      json: { code: 'x', message: 'y', status: 401 }
    })
    const env = { PETSTORE_API_KEY: 'sk_test_12345678', PETSTORE_BASE_URL: server.url }
    const { code, stderr } = await runCli(['pets', 'list', '--jq', '.'], {
      env,
      terminal: { stdout: true }
    })
    expect(code).toBe(4)
    expect(errorOf(stderr)).toMatchObject({ code: 'auth', status: 401 })
  })

  test('is a usage error for a command without data', async () => {
    const { code, stderr } = await runCli(['auth', 'token', '--jq', '.'])
    expect(code).toBe(2)
    expect(errorOf(stderr).message).toContain("--jq has no effect on 'auth token'")
  })
})

describe('--int64 string', () => {
  test.each([
    [['--int64', 'string', '-o', 'csv'], {}, 'the output format is csv'],
    [['--int64', 'string'], { PETSTORE_OUTPUT: 'tsv' }, 'the output format is tsv'],
    [['--int64', 'number'], {}, "invalid int64 'number': use string"]
  ])(
    'pets list %j with %j is a usage error, and nothing is sent',
    async (options, extra, words) => {
      const { server, env } = await service()
      const run = await runCli(['pets', 'list', ...options], { env: { ...env, ...extra } })
      expect(run).toMatchObject({ code: 2, stdout: '' })
      expect(run.stderr).toContain(words)
      expect(server.requests).toHaveLength(0)
    }
  )
})

/**
 * These commands send requests in a different way, but must check their output options as early as
 * the others.
 */
describe.each(['auth status', 'doctor'])('%s', line => {
  test.each<[options: string[], words: string]>([
    [['--int64', 'string', '-o', 'csv'], 'the output format is csv'],
    [['--int64', 'string', '-o', 'table'], 'the output format is table'],
    [['--jq', '.['], 'syntax error']
  ])('%j is a usage error, and nothing is sent', async (options, words) => {
    const { server, env } = await service('[]')
    const { code, stdout, stderr } = await runCli([...line.split(' '), ...options], { env })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(words)
    expect(server.connections()).toBe(0)
  })
})

test('the output of a jq expression on stderr is a notice', async () => {
  const { env } = await service()
  const { code, stdout, stderr } = await runCli(['pets', 'list', '--jq', '.[0].name | debug'], {
    env
  })
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Rex\n' })
  expect(JSON.parse(stderr)).toEqual({ notice: { code: 'jq', message: '["DEBUG:","Rex"]' } })
})
