import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { recordingServer } from '../support/recording-server.ts'
import { ctrlC, runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

const key = 'sk_test_12345678'
const largest = 9223372036854775807n

describe('pets list', () => {
  test('sends status and limit only when they are given', async () => {
    const server = await recordingServer({ json: [] })
    const env = { PETSTORE_API_KEY: key, PETSTORE_BASE_URL: `${server.url}/v1/` }
    await runCli(['pets', 'list'], { env })
    await runCli(['pets', 'list', '--limit', '100', '--status', 'sold'], { env })
    expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /v1/pets',
      'GET /v1/pets?status=sold&limit=100'
    ])
    for (const { headers } of server.requests) {
      expect(headers).toMatchObject({ authorization: `Bearer ${key}`, accept: 'application/json' })
    }
  })

  test('prints the value that the service sent, integers and unknown fields included', async () => {
    const body =
      '[{"id":9223372036854775807,"name":"Rex","categoryId":-9223372036854775808,"status":"lost","tags":[1.0]}]'
    const server = await recordingServer({ body })
    const env = { PETSTORE_API_KEY: key, PETSTORE_BASE_URL: server.url }
    const { stdout, stderr, code } = await runCli(['pets', 'list'], { env })
    expect(code).toBe(0)
    expect(stdout.replace(/\s/g, '')).toBe(body)
    expect(stderr).toBe('')
  })

  test('prints the pets of the local service, filtered by status', async () => {
    const home = temporaryDirectory()
    const all = await runCli(['pets', 'list', '--env', 'local'], { home })
    const sold = await runCli(['pets', 'list', '--env', 'local', '--status', 'sold'], { home })
    const statuses = JSON.parse(sold.stdout).map(({ status }: { status: string }) => status)
    expect(new Set(statuses)).toEqual(new Set(['sold']))
    expect(JSON.parse(all.stdout).length).toBeGreaterThan(statuses.length)
  })

  test('prints a notice that there may be more if the reply has as many pets as requested', async () => {
    const home = temporaryDirectory()
    const two = await runCli(['pets', 'list', '--env', 'local', '--limit', '2'], { home })
    expect(JSON.parse(two.stdout)).toHaveLength(2)
    expect(JSON.parse(two.stderr).notice).toMatchObject({ code: 'more' })
    const quiet = await runCli(['pets', 'list', '--env', 'local', '--limit', '2', '-q'], { home })
    expect(quiet).toEqual({ ...two, stderr: '' })
    const hundred = await runCli(['pets', 'list', '--env', 'local', '--limit', '100'], { home })
    expect(hundred.stderr).toBe('')
  })

  test('is a table in a terminal', async () => {
    const { stdout } = await runCli(['pets', 'list', '--env', 'local', '--color', 'never'], {
      terminal: true
    })
    const [header] = stdout.split('\n')
    expect(
      header
        ?.trim()
        .split(/\s+/)
        .map(name => name.toLowerCase())
    ).toEqual(['id', 'name', 'categoryid', 'status'])
  })

  test('accepts shared options before and after its name', async () => {
    const home = temporaryDirectory()
    const before = await runCli(['--env', 'local', '-o', 'tsv', 'pets', 'list', '--limit', '1'], {
      home
    })
    const after = await runCli(['pets', 'list', '--limit', '1', '--env=local', '-otsv'], { home })
    expect(before).toEqual(after)
    expect(before.stdout.split('\t')).toHaveLength(4)
  })
})

test.each([
  [[], 20, 'showing the first 20 pets; use --limit (up to 100) for more'],
  [['--limit', '1'], 1, 'showing the first pet; use --limit (up to 100) for more'],
  [['--limit', '100'], 100, 'showing the first 100 pets; the service cannot list more'],
  // A service may ignore the limit.
  [[], 150, 'showing the first 150 pets; the service cannot list more'],
  [['--limit', '3'], 2, undefined]
])(
  'pets list %j prints a notice if the service may have more than %i pets: %s',
  async (argv, count, message) => {
    const pets = Array.from({ length: count }, (_, index) => ({
      id: index + 1,
      name: 'Rex',
      categoryId: 1
    }))
    const server = await recordingServer({ json: pets })
    const env = { PETSTORE_API_KEY: 'sk_test_12345678', PETSTORE_BASE_URL: server.url }
    const { code, stderr } = await runCli(['pets', 'list', ...argv], { env })
    expect(code).toBe(0)
    expect(stderr && JSON.parse(stderr).notice.message).toBe(message ?? '')
  }
)

describe('pets list --until', () => {
  const env = (server: { url: string }) => ({
    PETSTORE_API_KEY: key,
    PETSTORE_BASE_URL: server.url
  })
  const pet = (status: string) => ({ id: 1, name: 'Rex', categoryId: 2, status })

  test('lists again until the expression is true, and prints only that list', async () => {
    const server = await recordingServer([
      { json: [] },
      { json: [pet('pending')] },
      { json: [pet('sold')] }
    ])
    const argv = [
      'pets',
      'list',
      '--watch',
      '0.1',
      '--until',
      '.[] | select(.status == "sold")',
      '--jq',
      '.[0].status'
    ]
    const run = await runCli(argv, { env: env(server) })
    expect(run).toEqual({ code: 0, stdout: 'sold\n', stderr: '' })
    expect(server.requests.map(({ path }) => path)).toEqual(Array(3).fill('/pets?limit=100'))
  })

  test.each<[string, number, string, number]>([
    ['.[', 2, '--until: syntax error', 0],
    ['.[0].name + 1', 9, '--until: ', 1],
    ['error("no")', 9, '--until: no', 1],
    ['length', 9, 'a number, which is always true: compare it, for example length > 0', 1],
    ['map(select(.name == "X"))', 9, 'an array, which is always true: test its elements', 1],
    ['.[0].status = "sold"', 9, 'any(.[]; .id == 3)', 1],
    ['null, false, -1', 9, 'a number', 1]
  ])('ends if the expression is wrong: %s', async (expression, code, message, requests) => {
    const server = await recordingServer({ json: [pet('sold')] })
    const run = await runCli(['pets', 'list', '--until', expression], { env: env(server) })
    expect(run).toMatchObject({ code, stdout: '' })
    expect(JSON.parse(run.stderr).error.message).toContain(message)
    expect(server.requests).toHaveLength(requests)
  })

  test('takes a text or an object for true, and a number only after that', async () => {
    const server = await recordingServer({ json: [pet('sold')] })
    for (const expression of ['.[0].name', '.[0]', 'false, true, 1']) {
      const run = await runCli(['pets', 'list', '--until', expression], { env: env(server) })
      expect(run).toMatchObject({ code: 0, stderr: '' })
    }
  })

  test('says once that other pets do not appear', async () => {
    const server = await recordingServer([
      { json: [pet('pending')] },
      { json: [pet('pending')] },
      { json: [pet('sold')] }
    ])
    const until = 'any(.[]; .status == "sold")'
    const argv = ['pets', 'list', '--limit', '1', '--watch', '0.1', '--until', until]
    const { code, stderr } = await runCli(argv, { env: env(server) })
    expect(code).toBe(0)
    expect(JSON.parse(stderr).notice).toEqual({
      code: 'more',
      message: 'showing the first pet; others do not appear; use --limit (up to 100) for more'
    })
  })

  test('ends if a request fails, and with 130 on Ctrl-C', async () => {
    const failing = await recordingServer({
      status: 500,
      json: { code: 'x', message: 'no', status: 500 }
    })
    expect((await runCli(['pets', 'list', '--until', '.[0]'], { env: env(failing) })).code).toBe(7)
    const empty = await recordingServer({ json: [] })
    const signal = empty.received(1).then(() => 'SIGINT' as const)
    const run = await runCli(['pets', 'list', '--until', '.[0]', '--limit', '3'], {
      env: env(empty),
      signal
    })
    expect(run).toMatchObject({ code: 130, stdout: '' })
    expect(empty.requests.map(({ path }) => path)).toEqual(['/pets?limit=3'])
  })
})

describe('pets list --watch', () => {
  const watch = (argv: readonly string[], options: Parameters<typeof runCli>[1] = {}) =>
    runCli(['pets', 'list', '--env', 'local', '--watch', ...argv], options)

  test('prints only the fields of --fields of each pet', async () => {
    const run = await watch(['5', '--fields', 'name', '--limit', '1'], { steps: [['}\n', ctrlC]] })
    expect(JSON.parse(run.stdout)).toMatchObject({ event: 'added', pet: { name: 'Biscuit' } })
    expect(JSON.parse(run.stdout).pet).not.toHaveProperty('id')
    expect(run.stderr).toContain('others do not appear')
  })

  test.each(['0', '0.09', '86400.1', '99999', '1e3', 'soon'])(
    'refuses the interval %s',
    async seconds => {
      const run = await watch([seconds], { steps: [['}\n', ctrlC]] })
      expect(run).toMatchObject({ code: 2, stdout: '' })
      expect(JSON.parse(run.stderr).error.message).toContain(
        'a number of seconds from 0.1 to 86400'
      )
    }
  )

  test.each([
    ['csv', true, 'xterm'],
    ['tsv', false, 'xterm'],
    ['table', false, 'xterm'],
    ['table', true, 'dumb']
  ])(
    'refuses -o %s if it cannot print that format (terminal: %s, %s)',
    async (format, stdout, TERM) => {
      const run = await watch(['-o', format], {
        terminal: { stdout },
        env: { TERM },
        steps: [['}\n', ctrlC]]
      })
      expect(run).toMatchObject({ code: 2, stdout: '' })
      expect(run.stderr).toContain(
        `--watch prints a table in a terminal and JSON elsewhere; ${format} is not possible here`
      )
      expect(run.stderr).toContain('petstore pets list --env local --watch --json')
    }
  )

  test('draws a table in a terminal, and prints events there as JSON', async () => {
    const steps = [['Biscuit', ctrlC]] as const
    for (const [argv, isDrawn] of [
      [['5'], true],
      [['5', '--json'], false]
    ] as const) {
      const { code, stdout } = await watch(argv, { terminal: true, steps })
      expect([code, stdout.includes('\u001b[?1049h')]).toEqual([130, isDrawn])
    }
  })

  test('the hint for a refused format keeps the rest of the command', async () => {
    const run = await watch(['2', '--status', 'sold', '--limit', '3', '-o', 'csv'])
    const hint = 'petstore pets list --env local --watch 2 --status sold --limit 3 --json'
    expect(run.stderr).toContain(`hint: ${hint}\n`)
  })

  test.each([{}, { terminal: true }])('refuses --dry-run: %j', async options => {
    const run = await runCli(
      ['pets', 'list', '--watch', '2', '--env', 'local', '--dry-run'],
      options
    )
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(run.stderr).toContain('--watch and --dry-run cannot be used together')
    expect(run.stderr).toContain('petstore pets list --help')
  })

  test('asks for 100 pets, and waits as long as the service asks', async () => {
    const busy = {
      status: 503,
      headers: { 'retry-after': '3600' },
      json: { code: 'busy', message: 'x', status: 503 }
    }
    const server = await recordingServer(busy)
    const run = await runCli(['pets', 'list', '--watch', '0.1', '--retries', '0'], {
      env: { PETSTORE_API_KEY: key, PETSTORE_BASE_URL: server.url },
      steps: [['"nextLookInSeconds":3600', ctrlC]]
    })
    expect(run.code).toBe(130)
    expect(server.requests.map(({ path }) => path)).toEqual(['/pets?limit=100'])
  })

  test.each([
    ['in a pipe', [], {}],
    ['in a pipe whose format is only a preference', [], { env: { PETSTORE_OUTPUT: 'csv' } }],
    ['with --json in a terminal', ['--json', '--color', 'never'], { terminal: true }]
  ])('prints JSON %s until Ctrl-C, which is not an error', async (_, argv, options) => {
    const run = await watch([...argv, '--status', 'sold'], { ...options, steps: [['}\n', ctrlC]] })
    expect(run).toMatchObject({ code: 130, stderr: '' })
    const [first] = run.stdout.split('\n')
    expect(JSON.parse(first ?? '')).toMatchObject({ event: 'added', pet: { status: 'sold' } })
  })
})

test.each([
  ['PETSTORE_TIMEOUT', 'abc'],
  ['PETSTORE_RETRIES', '-1']
])('a wrong %s is an error with the local service too', async (variable, value) => {
  const run = await runCli(['pets', 'list', '--env', 'local'], { env: { [variable]: value } })
  expect(run).toMatchObject({ code: 2, stdout: '' })
  expect(JSON.parse(run.stderr).error.hint).toBe(`unset ${variable}`)
})

describe('pets add', () => {
  test('refuses a file with a field twice, of which one value would be lost', async () => {
    const stdin = '{"name":"a","name":"b","categoryId":1}'
    const run = await runCli(['pets', 'add', '--env', 'local', '--file', '-'], { stdin })
    expect(run).toMatchObject({ code: 2, stdout: '' })
    const { message } = JSON.parse(run.stderr).error
    expect(message).toBe('standard input: it has the same field twice')
  })

  test('says after Ctrl-C that the pet may have been added', async () => {
    const server = await recordingServer(() => undefined)
    const env = { PETSTORE_API_KEY: key, PETSTORE_BASE_URL: server.url }
    const signal = server.received(1).then(ctrlC)
    const { code, stderr } = await runCli(['pets', 'add', '--name', 'Rex', '--category-id', '1'], {
      env,
      signal
    })
    expect(code).toBe(130)
    expect(JSON.parse(stderr).error.message).toContain('interrupted; the pet may have been added')
  })

  test('leaves the local data in one file, which can be copied', async () => {
    const [home, copy] = [temporaryDirectory(), temporaryDirectory()]
    await runCli(['pets', 'add', '--name', 'Rex', '--category-id', '1', '--env', 'local'], { home })
    cpSync(join(home, '.config', 'petstore', 'local.db'), join(copy, 'local.db'))
    const env = { PETSTORE_CONFIG_DIR: copy }
    const { stdout } = await runCli(['pets', 'list', '--env', 'local', '--jq', '.[-1].name'], {
      env
    })
    expect(stdout).toBe('Rex\n')
  })

  test('adds exactly the given values, from options', async () => {
    const home = temporaryDirectory()
    const added = await runCli(
      [
        'pets',
        'add',
        '--env',
        'local',
        '--name',
        ' Rex "the" 犬',
        '--category-id',
        String(largest),
        '--status',
        'sold'
      ],
      { home }
    )
    expect(added.code).toBe(0)
    expect(added.stdout).toContain(`"categoryId": ${largest}`)
    const listed = await runCli(['pets', 'list', '--env', 'local', '--limit', '100'], { home })
    expect(listed.stdout).toContain('" Rex \\"the\\" 犬"')
  })

  test('sends no status that was not given', async () => {
    const server = await recordingServer({
      status: 201,
      json: { id: 1, name: 'Rex', categoryId: -1 }
    })
    const env = { PETSTORE_API_KEY: key, PETSTORE_BASE_URL: server.url }
    await runCli(['pets', 'add', '--name', 'Rex', '--category-id', '-1'], { env })
    expect(server.requests).toMatchObject([
      {
        method: 'POST',
        path: '/pets',
        body: '{"name":"Rex","categoryId":-1}',
        headers: { 'content-type': 'application/json' }
      }
    ])
  })

  test('adds exactly the given values, from a pipe, and accepts the output of pets get', async () => {
    const home = temporaryDirectory()
    const stdin = `\ufeff{"id": 1, "name": "Rex", "categoryId": ${largest}}\n`
    const added = await runCli(['pets', 'add', '--env', 'local', '--file', '-'], { home, stdin })
    expect(added.code).toBe(0)
    expect(added.stdout).toContain(`"categoryId": ${largest}`)
    expect(JSON.parse(added.stdout).id).not.toBe(1)
  })

  test.each([
    [[], 'a pet needs --name and --category-id: --file - reads standard input'],
    [['--name', 'Rex'], '--category-id is missing'],
    [['--category-id', '2'], 'a pet needs --name and --category-id: --file - reads standard input'],
    [['--name', ' \t', '--category-id', '2'], "invalid name ' \t': use a name that is not blank"],
    [['--file', '.'], '. cannot be read: it is a directory'],
    [['--file', ''], "'' cannot be read: no such file or directory"],
    [
      ['--file', '/nonexistent/pet.json'],
      '/nonexistent/pet.json cannot be read: no such file or directory'
    ]
  ])('is a usage error with %j', async (argv, message) => {
    const run = await runCli(['pets', 'add', '--env', 'local', ...argv])
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(JSON.parse(run.stderr).error.message).toBe(message)
  })

  test.each(['a file', 'standard input'])(
    'the error names %s if its content is not a pet',
    async source => {
      const path = join(temporaryDirectory(), 'pet.json')
      writeFileSync(path, '{}')
      const file = source === 'a file' ? path : '-'
      const run = await runCli(['pets', 'add', '--env', 'local', '--file', file], { stdin: '{}' })
      expect(run).toMatchObject({ code: 2, stdout: '' })
      expect(
        JSON.parse(run.stderr).error.message.startsWith(source === 'a file' ? path : source)
      ).toBe(true)
    }
  )

  describe('prompts in a terminal', () => {
    const enter = '\r'
    const wide = { terminal: true, columns: 120 }

    test('for each missing value, and again after a wrong answer', async () => {
      const home = temporaryDirectory()
      const run = await runCli(['pets', 'add', '--env', 'local', '--json', '--color', 'never'], {
        ...wide,
        home,
        steps: [
          ['Name', ` ${enter}`],
          ['Use a name that is not blank.', ` Rex${enter}`],
          ['Category id', `2x${enter}`],
          ['Use a whole number.', `2${enter}`]
        ]
      })
      expect(run.code).toBe(0)
      expect(JSON.parse(run.stdout)).toMatchObject({ name: ' Rex', categoryId: 2 })
    })

    test('only for missing values, and not for the status', async () => {
      const server = await recordingServer({
        status: 201,
        json: { id: 7, name: 'Rex', categoryId: 2 }
      })
      const run = await runCli(['pets', 'add', '--name', 'Rex'], {
        ...wide,
        env: { PETSTORE_API_KEY: key, PETSTORE_BASE_URL: server.url },
        steps: [['Category id', `${largest}${enter}`]]
      })
      expect(run.code).toBe(0)
      expect(server.requests.map(({ body }) => body)).toEqual([
        `{"name":"Rex","categoryId":${largest}}`
      ])
      expect(run.stderr).not.toContain('Name')
      expect(run.stderr).toContain('added pet 7')
    })

    test('for nothing if the request cannot be sent', async () => {
      const run = await runCli(['pets', 'add'], { ...wide, steps: [['Name', ctrlC]] })
      expect(run).toMatchObject({ code: 9, stdout: '' })
      expect(run.stderr).toContain("no base URL is set for 'production'")
    })
  })

  test('refuses bytes that are not UTF-8', async () => {
    const { Readable } = await import('node:stream')
    const stdin = Readable.from([Buffer.from([0x7b, 0xff, 0x7d])])
    const run = await runCli(['pets', 'add', '--env', 'local', '--file', '-'], { stdin })
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(run.stderr).toContain('not UTF-8')
  })
})

describe('pets get', () => {
  test('shows one pet, with a notice that the operation is deprecated', async () => {
    const run = await runCli(['pets', 'get', '1', '--env', 'local'], {
      now: new Date('2030-12-04T23:59:59Z')
    })
    expect(run.code).toBe(0)
    expect(JSON.parse(run.stdout)).toMatchObject({ id: 1 })
    const message = 'pets get will be removed on 5 December 2030; pets list replaces it'
    expect(JSON.parse(run.stderr)).toEqual({ notice: { code: 'deprecated', message } })
  })

  test('exits with 5 for a pet that does not exist', async () => {
    const run = await runCli(['pets', 'get', '-1', '--env', 'local', '-q'])
    expect(run).toMatchObject({ code: 5, stdout: '' })
    expect(JSON.parse(run.stderr).error.message).toBe('there is no pet -1 at the local service')
  })

  const afterwards = new Date('2031-01-01T00:00:00Z')

  test('searches the lists if the service has removed the operation', async () => {
    const run = await runCli(['pets', 'get', '3', '--env', 'local'], {
      now: new Date('2030-12-05T00:00:00Z')
    })
    expect(run.code).toBe(0)
    expect(JSON.parse(run.stdout)).toMatchObject({ id: 3 })
    expect(run.stderr).toContain('was removed on 5 December 2030')
    expect(run.stderr).toContain('searching its lists')
  })

  test('the error explains that the lists may be incomplete', async () => {
    const run = await runCli(['pets', 'get', '99999', '--env', 'local'], { now: afterwards })
    expect(run).toMatchObject({ code: 5, stdout: '' })
    expect(run.stderr).toContain(
      'is not in the lists of the service, which have at most 100 pets each'
    )
  })

  test.each([
    [401, 4],
    [422, 3],
    [500, 7]
  ])('does not search the lists after a %i reply', async (status, code) => {
    const server = await recordingServer({ status, json: { code: 'x', message: 'y', status } })
    const env = { PETSTORE_API_KEY: key, PETSTORE_BASE_URL: server.url }
    const run = await runCli(['pets', 'get', '5', '--retries', '0'], { env, now: afterwards })
    expect(run).toMatchObject({ code, stdout: '' })
    expect(server.requests).toHaveLength(1)
  })

  test('after a full list of all pets, requests each status, also after a 404', async () => {
    const full = Array.from({ length: 100 }, (_, id) => ({ id: id + 10, name: 'x', categoryId: 1 }))
    const server = await recordingServer(({ path }) =>
      path.startsWith('/pets/')
        ? { status: 404, json: { code: 'x', message: 'y', status: 404 } }
        : { json: full }
    )
    const env = { PETSTORE_API_KEY: key, PETSTORE_BASE_URL: server.url }
    await runCli(['pets', 'get', '5'], { env, now: afterwards })
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/pets/5',
      '/pets?limit=100',
      '/pets?status=available&limit=100',
      '/pets?status=pending&limit=100',
      '/pets?status=sold&limit=100'
    ])
    await runCli(['pets', 'get', '5'], { env, now: new Date('2030-12-04T23:59:59Z') })
    expect(server.requests).toHaveLength(6)
  })
})

describe('where nothing can be stored', () => {
  const env = { PETSTORE_CONFIG_DIR: '/dev/null/petstore' }

  test.each([
    [['pets', 'add', '--name', 'Rex', '--category-id', '2']],
    [['messages', 'send', 'hi']]
  ])('%j is an error, also with -q', async argv => {
    const { code, stdout, stderr } = await runCli([...argv, '--env', 'local', '-q'], { env })
    expect({ code, stdout }).toEqual({ code: 9, stdout: '' })
    expect(JSON.parse(stderr).error.message).toContain('cannot be written')
  })

  test('pets list reads the sample pets', async () => {
    const { code, stdout } = await runCli(['pets', 'list', '--env', 'local'], { env })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toHaveLength(10)
  })
})
