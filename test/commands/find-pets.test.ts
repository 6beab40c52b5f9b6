import { describe, expect, test } from 'vitest'
import { type Handler, recordingServer } from '../support/recording-server.ts'
import { runCli } from '../support/run-cli.ts'

type Json = { id: number; name: string; categoryId: number; status?: string }

const key = 'sk_test_12345678'
const rex: Json = { id: 300, name: 'Rex', categoryId: 2 }

/** Pets that no selection of these tests wants. */
const others = (count: number, first = 1): Json[] =>
  Array.from({ length: count }, (_, index) => ({ id: first + index, name: 'Other', categoryId: 1 }))

interface Lists {
  readonly all?: readonly Json[]
  readonly available?: readonly Json[]
  readonly pending?: readonly Json[]
  readonly sold?: readonly Json[]
}

/** A service whose lists are these. */
async function serviceWith(lists: Lists) {
  const answer: Handler = ({ path }) => {
    const { searchParams } = new URL(path, 'http://x')
    const status = (searchParams.get('status') ?? 'all') as keyof Lists
    return { json: lists[status] ?? [] }
  }
  const server = await recordingServer(answer)
  const env = { PETSTORE_API_KEY: key, PETSTORE_BASE_URL: `${server.url}/v1` }
  const list = (...argv: string[]) => runCli(['pets', 'list', ...argv], { env })
  return { server, env, list }
}

const found = (stdout: string) => JSON.parse(stdout).map(({ id }: Json) => id)
const all = 'GET /v1/pets?limit=100'
const requestsOf = ({ requests }: Awaited<ReturnType<typeof recordingServer>>) =>
  requests.map(({ method, path }) => `${method} ${path}`)

describe('pets list --name and --category-id', () => {
  test.each<[argv: string[], ids: number[]]>([
    [
      ['--name', 'Rex'],
      [2, 5]
    ],
    [['--name', 'rex'], []],
    [
      ['--name=Rex', '--name=Ina'],
      [2, 3, 5]
    ],
    [
      ['--category-id', '7'],
      [3, 5]
    ],
    [['--name', 'Rex', '--category-id', '7'], [5]],
    [['--name', 'Rex', '--limit', '1'], [2]],
    [['--category-id', '9007199254740993'], []]
  ])('%j: the pets with exactly these values, by ascending id', async (argv, ids) => {
    const { server, list } = await serviceWith({
      all: [
        { id: 5, name: 'Rex', categoryId: 7 },
        { id: 2, name: 'Rex', categoryId: 1 },
        { id: 3, name: 'Ina', categoryId: 7 },
        { id: 4, name: 'Rex ', categoryId: 1 }
      ]
    })
    const { code, stdout, stderr } = await list(...argv)
    expect(code).toBe(0)
    expect(found(stdout)).toEqual(ids)
    expect(requestsOf(server)).toEqual([all])
    if (argv.includes('--limit')) {
      expect(JSON.parse(stderr).notice.message).toBe('showing the first 1 of 2 pets')
    } else expect(stderr).toBe('')
  })

  test('a category id beyond 2^53 is exact', async () => {
    const run = (...argv: string[]) => runCli(['pets', 'list', '--env', 'local', ...argv])
    expect(found((await run('--category-id', '9007199254740993')).stdout)).toHaveLength(1)
    expect(found((await run('--category-id', '9007199254740992')).stdout)).toEqual([])
  })

  test('with a status: one request, and a notice if that list is full', async () => {
    const { server, list } = await serviceWith({ sold: [rex, ...others(99)] })
    const { stdout, stderr } = await list('--name', 'Rex', '--status', 'sold', '-q')
    expect(found(stdout)).toEqual([300])
    expect(requestsOf(server)).toEqual(['GET /v1/pets?status=sold&limit=100'])
    expect(JSON.parse(stderr).notice).toMatchObject({
      code: 'more',
      message:
        'more pets may match: a list has at most 100 pets, and pets without a status beyond the first 100 are in no list'
    })
  })

  test('the hint after a list that fails is the whole search, whichever list it is', async () => {
    const server = await recordingServer(({ path }) =>
      path.includes('pending') ? { status: 500, json: {} } : { json: others(100) }
    )
    const env = { PETSTORE_API_KEY: key, PETSTORE_BASE_URL: `${server.url}/v1` }
    const search = ['--name', 'Sir Rex', '--category-id', '7', '--limit', '5']
    const { code, stderr } = await runCli(['pets', 'list', ...search], { env })
    expect(code).toBe(7)
    expect(JSON.parse(stderr).error.hint).toBe(
      "petstore pets list --name='Sir Rex' --category-id 7 --limit 5 --env production"
    )
  })

  test('after a full list of all pets: one list for each status, each pet once', async () => {
    const { server, list } = await serviceWith({
      all: [{ ...rex, id: 400 }, ...others(99)],
      available: [rex, { ...rex, id: 400 }],
      sold: [{ ...rex, id: 200 }]
    })
    const { stdout, stderr } = await list('--name', 'Rex', '-q')
    expect(found(stdout)).toEqual([200, 300, 400])
    expect(requestsOf(server)).toEqual([
      all,
      'GET /v1/pets?status=available&limit=100',
      'GET /v1/pets?status=pending&limit=100',
      'GET /v1/pets?status=sold&limit=100'
    ])
    expect(JSON.parse(stderr).notice.message).toMatch(
      /^more pets may match: .*pets without a status beyond the first 100 are in no list$/
    )
  })

  test('a limit that leaves some out and lists that are full are in one notice', async () => {
    const { list } = await serviceWith({ sold: [rex, { ...rex, id: 301 }, ...others(98)] })
    const { stdout, stderr } = await list('--name', 'Rex', '--status', 'sold', '--limit', '1')
    expect(found(stdout)).toEqual([300])
    expect(JSON.parse(stderr).notice.message).toBe(
      'showing the first 1 of 2 pets; more pets may match: a list has at most 100 pets, and pets without a status beyond the first 100 are in no list'
    )
  })

  test.each<[argv: readonly string[], printed: string]>([
    [['-o', 'csv'], 'id,name,categoryId,status\r\n300,Rex,7,sold\r\n'],
    [['-o', 'tsv', '--fields', 'name,id'], 'Rex\t300\n'],
    [['--fields', 'id', '-o', 'ndjson'], '{"id":300}\n'],
    [['--jq', '.[].id'], '300\n'],
    [['--until', 'length > 0', '--jq', 'length'], '1\n']
  ])('%j work on what was found', async (argv, printed) => {
    const { list } = await serviceWith({
      all: [{ ...rex, categoryId: 7, status: 'sold' }, ...others(5)]
    })
    const { code, stdout } = await list('--name', 'Rex', ...argv)
    expect({ code, stdout }).toEqual({ code: 0, stdout: printed })
  })

  test('a request that fails ends the command', async () => {
    const answers = [{ json: others(100) }, { status: 500 }]
    const { url } = await recordingServer(answers)
    const env = { PETSTORE_API_KEY: key, PETSTORE_BASE_URL: url }
    const { code, stdout } = await runCli(['pets', 'list', '--name', 'Rex'], { env })
    expect({ code, stdout }).toEqual({ code: 7, stdout: '' })
  })

  test('an empty name is a usage error, and a blank one is a name', async () => {
    const { server, list } = await serviceWith({ all: [{ ...rex, name: ' ' }] })
    expect((await list('--name', '')).code).toBe(2)
    expect(server.requests).toEqual([])
    expect(found((await list('--name', ' ')).stdout)).toEqual([300])
  })

  test('--dry-run prints the first request, and says that more may follow', async () => {
    const { server, list } = await serviceWith({})
    const without = await list('--name', 'Rex', '--dry-run')
    expect(without.stdout).toContain('/v1/pets?limit=100')
    expect(JSON.parse(without.stderr).notice.code).toBe('dry-run')
    const withStatus = await list('--name', 'Rex', '--status', 'sold', '--dry-run')
    expect(withStatus.stdout).toContain('status=sold')
    expect(withStatus.stderr).toBe('')
    expect(server.requests).toEqual([])
  })

  test('--until waits for a pet that matches', async () => {
    let lists = 0
    const server = await recordingServer(() => {
      lists += 1
      return { json: lists < 3 ? others(2) : [...others(2), rex] }
    })
    const env = { PETSTORE_API_KEY: key, PETSTORE_BASE_URL: server.url }
    const argv = ['pets', 'list', '--name', 'Rex', '--until', 'length > 0', '--watch', '0.1']
    const { code, stdout } = await runCli(argv, { env })
    expect(code).toBe(0)
    expect(found(stdout)).toEqual([300])
    expect(lists).toBe(3)
  })

  test('a terminal shows that no pet matches', async () => {
    const { env } = await serviceWith({ all: others(1) })
    const argv = ['pets', 'list', '--name', 'Rex']
    const { stdout } = await runCli(argv, { env, terminal: true })
    expect(stdout).toBe('no pets match\n')
  })
})

test('the hint after an unknown outcome of pets add finds the pet', async () => {
  const server = await recordingServer({ status: 500 })
  const env = { PETSTORE_API_KEY: key, PETSTORE_BASE_URL: server.url }
  const argv = ['pets', 'add', '--name', 'Sir Rex', '--category-id', '2']
  const hintOf = async (...more: string[]) =>
    JSON.parse((await runCli([...argv, ...more], { env })).stderr).error.hint
  const hint = "petstore pets list --name='Sir Rex' --category-id 2 --env production"
  expect(await hintOf()).toBe(hint)
  expect(await hintOf('--status', 'sold')).toBe(`${hint} --status sold`)
})

test.each([
  [['--name', 'Rex*'], ['exact-name']],
  [['--name', 'Rex%', '--quiet'], []],
  [['--name', 'Nobody'], []]
])('%j finds nothing, and a notice explains a pattern', async (argv, codes) => {
  const { list } = await serviceWith({ all: [rex] })
  const { code, stdout, stderr } = await list(...argv)
  expect({ code, stdout: stdout.trim() }).toEqual({ code: 0, stdout: '[]' })
  const notices = stderr.split('\n').filter(line => line !== '')
  expect(notices.map(line => JSON.parse(line).notice.code)).toEqual(codes)
})
