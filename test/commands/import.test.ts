import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { beforeEach, describe, expect, test } from 'vitest'
import { Sqlite } from '../../src/system/sqlite.ts'
import { type Answer, type Handler, recordingServer } from '../support/recording-server.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

let home: string
beforeEach(() => {
  home = temporaryDirectory()
})

const at = (name: string) => join(home, name)
function put(name: string, text: string): string {
  writeFileSync(at(name), text)
  return at(name)
}

/** `a b,x` as CSV: the category is 5 unless it is given. */
const csv = (names: string) => {
  const rows = names
    .split(' ')
    .filter(Boolean)
    .map(name => (name.includes(',') ? name : `${name},5`))
  return ['name,categoryId', ...rows, ''].join('\n')
}
const ndjson = (names: string) =>
  names.replaceAll(/\S+ ?/g, name => `{"name":"${name.trim()}","categoryId":5}\n`)

const jsonLines = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))

type RunOptions = Parameters<typeof runCli>[1]

async function run(argv: readonly string[], { env = {}, ...options }: RunOptions = {}) {
  const where = { PETSTORE_CONFIG_DIR: at('config'), ...env }
  const { code, stdout, stderr } = await runCli(['pets', 'import', ...argv], {
    env: where,
    ...options
  })
  const messages = options.terminal === undefined ? jsonLines(stderr) : []
  if (process.env.DBG) console.log(argv.join(' '), code, stdout, stderr)
  const of = (kind: string) => messages.find(message => kind in message)?.[kind]
  const rows = options.terminal === undefined ? jsonLines(stdout) : []
  rows.sort((one, other) => one.line - other.line)
  return {
    code,
    stdout,
    stderr,
    rows,
    /** `2 added`, in the order of the input. */
    outcomes: rows.map(({ line, outcome }) => `${line} ${outcome}`).join(', '),
    notice: of('notice')?.message,
    summary: of('summary'),
    error: of('error')
  }
}

/** Imports into the local service, which has samples. */
const local = (argv: readonly string[], options?: RunOptions) =>
  run([...argv, '--env', 'local'], options)

/** The names of the pets that were added to the local service, in their order. */
function added(): string {
  const database = new Sqlite(at('config/local.db'))
  const pets = database.rows<{ name: string }>('SELECT name FROM pets ORDER BY id')
  database.close()
  return pets
    .slice(10)
    .map(({ name }) => name)
    .join(' ')
}

const sorted = (names: string) => names.split(' ').sort().join(' ')

const key = 'sk_test_12345678'
/** A service that adds every pet, except those with another reply for their name. */
async function service(others: Readonly<Record<string, Answer | Handler>> = {}) {
  let id = 100
  const server = await recordingServer((request, response, raw) => {
    const other = others[JSON.parse(request.body).name]
    if (typeof other === 'function') return other(request, response, raw)
    id += 1
    return other ?? { status: 201, body: request.body.replace('{', `{"id":${id},`) }
  })
  const env = { PETSTORE_API_KEY: key, PETSTORE_BASE_URL: `${server.url}/v1` }
  const sent = () => server.requests.map(({ body }) => JSON.parse(body).name).join(' ')
  return { server, env, sent }
}

const drop: Handler = (_, response) => {
  response.destroy()
  return undefined
}
const refusal = (status: number, headers = {}): Answer => ({
  status,
  headers,
  json: { code: 'no', message: 'no such thing', status }
})

describe('a pet is added once', () => {
  test.each<[about: string, before: string, after: string, outcomes: string, all: string]>([
    ['the same file', 'a b', 'a b', '2 skipped, 3 skipped', 'a b'],
    ['a rejected row corrected', 'a b,x c', 'a b c', '2 skipped, 3 added, 4 skipped', 'a b c'],
    ['a sorted file', 'c a b', 'a b c', '2 skipped, 3 skipped, 4 skipped', 'a b c'],
    ['rows at its end', 'a', 'a b', '2 skipped, 3 added', 'a b'],
    ['rows that were deleted', 'a b c', 'b c', '2 skipped, 3 skipped', 'a b c'],
    ['one of equal rows deleted', 'a a b', 'a b', '2 skipped, 3 skipped', 'a a b']
  ])('%s', async (_, before, after, outcomes, all) => {
    const path = put('pets.csv', csv(before))
    await local([path])
    put('pets.csv', csv(after))
    const again = await local([path, '-q'])
    expect([again.code, again.outcomes]).toEqual([0, outcomes])
    expect(sorted(added())).toBe(all)
  })

  test('and its id is in each outcome', async () => {
    const path = put('pets.csv', csv('a b'))
    const first = await local([path])
    put('pets.csv', csv('a b c'))
    const again = await local([path])
    expect(again.rows.map(({ id }) => id)).toEqual([11, 12, 13])
    expect(first.rows).toMatchObject([{ id: 11 }, { id: 12 }])
  })

  test('in a copy, a pipe, and the same file under another name', async () => {
    const path = put('pets.csv', csv('a b'))
    await local([path])
    linkSync(path, at('link.csv'))
    for (const [argv, stdin] of [
      [[put('copy.csv', csv('a b'))], ''],
      [[at('link.csv')], ''],
      [['-'], csv('a b')]
    ] as const)
      expect((await local(argv, { stdin })).outcomes).toBe('2 skipped, 3 skipped')
  })

  test('in each place, and another address and another environment are told', async () => {
    const path = put('pets.csv', csv('a'))
    const [one, other] = [await service(), await service()]
    expect((await run([path], { env: one.env })).outcomes).toBe('2 added')
    const moved = await run([path], { env: other.env })
    expect([moved.outcomes, moved.notice]).toEqual([
      '2 added',
      `this file was imported at ${one.env.PETSTORE_BASE_URL}; here it is another import`
    ])
    const staging = await run([path, '--env', 'staging'], { env: one.env })
    expect([staging.outcomes, staging.notice]).toEqual([
      '2 added',
      "this file was imported in 'production' at this address; here it is another import"
    ])
    const localhost = one.env.PETSTORE_BASE_URL.replace('127.0.0.1', 'localhost')
    const same = await run([path], { env: { ...one.env, PETSTORE_BASE_URL: localhost } })
    expect(same.outcomes).toBe('2 skipped')
  })

  test('also with another key, which is told', async () => {
    const path = put('pets.csv', csv('a'))
    const { env } = await service()
    await run([path], { env })
    const other = await run([path], { env: { ...env, PETSTORE_API_KEY: 'sk_test_87654321' } })
    expect([other.outcomes, other.notice]).toEqual([
      '2 skipped',
      'this file was imported with another API key before'
    ])
  })

  test('a notice says what was added before, also with -q', async () => {
    const path = put('pets.csv', csv('a b'))
    const on = (day: string) => ({ now: new Date(`${day}T10:00:00Z`) })
    const first = await local([path], on('2026-11-20'))
    expect(first.notice).toBeUndefined()
    put('dec.csv', csv('a b c'))
    expect((await local([at('dec.csv'), '-q'], on('2026-11-26'))).notice).toBe(
      'added before, from pets.csv on 20 November: 2 of 3 rows'
    )
    put('dec.csv', csv('a b'))
    expect((await local([at('dec.csv'), '-q'], on('2027-11-26'))).notice).toBe(
      'nothing sent: all 2 rows were added before, from pets.csv on 20 November 2026. Other pets: --batch NAME'
    )
  })

  test('lines in a file that is named .json are told from an array', async () => {
    const { code, error } = await local([put('pets.json', '{"name":"a","categoryId":1}\n{}\n')])
    expect([code, error.message]).toEqual([2, expect.stringContaining('--format ndjson')])
  })

  test('an input without rows begins no import', async () => {
    const path = put('pets.csv', csv(''))
    expect(await local([path])).toMatchObject({ code: 0, summary: { rows: 0, added: 0 } })
    put('other.csv', csv(''))
    put('pets.csv', csv('a'))
    await local([path])
    put('other.csv', csv('a b'))
    expect((await local([at('other.csv')])).outcomes).toBe('2 added, 3 added')
  })
})

describe('what may be a double', () => {
  test('changed rows are held until a person decides', async () => {
    const path = put('pets.csv', csv('a Maxx b'))
    await local([path])
    put('pets.csv', csv('a Max b'))
    const held = await local([path])
    expect(held).toMatchObject({ code: 8, summary: { changed: 1, lines: { changed: '3' } } })
    expect(held.rows[1]).toEqual({
      line: 3,
      outcome: 'changed',
      id: 12,
      message: 'Max; pet 12 was added as Maxx'
    })
    expect(held.summary.next).toBe(`petstore pets import ${path} --env local --check`)
    put('pets.csv', csv('b Max a c'))
    expect((await local([path])).outcomes).toBe('2 skipped, 3 changed, 4 skipped, 5 added')
    expect((await local([path, '--skip', 'changed'])).outcomes).toContain('3 skipped')
    expect(await local([path])).toMatchObject({ code: 0, summary: { skipped: 4 } })
    expect(added()).toBe('a Maxx b c')
  })

  test('--add sends held and skipped rows, and each decision stays', async () => {
    const path = put('pets.csv', csv('a b c d'))
    await local([path])
    put('pets.csv', csv('x y z a'))
    const held = await local([path])
    expect(held.outcomes).toBe('2 added, 3 added, 4 added, 5 known')
    expect(held.error.message).toContain('--batch NAME')
    expect((await local([path, '--add', 'known'])).outcomes).toContain('5 added')
    expect((await local([path, '--add', '2,4-5'])).outcomes).toBe(
      '2 added, 3 skipped, 4 added, 5 added'
    )
    expect((await local([path])).summary).toMatchObject({ skipped: 4 })
    expect(added()).toBe('a b c d x y z a x z a')
  })
})

describe('--batch', () => {
  test('is known by its name alone, and asks first about equal pets where it can prompt', async () => {
    const path = put('pets.csv', csv('a b'))
    await local([path])
    const question = 'add these rows again?'
    const answer = (keys: string) =>
      local([path, '--batch', 'june'], { terminal: true, columns: 200, steps: [[question, keys]] })
    expect(await answer('n\r')).toMatchObject({ code: 130 })
    expect(added()).toBe('a b')
    expect((await answer('y\r')).stderr).toContain(
      '--batch june is new: 2 of 2 rows equal pets that were added here'
    )
    const other = put('other.csv', csv('b a c'))
    expect((await local([other, '--batch', 'june'])).outcomes).toBe('2 skipped, 3 skipped, 4 added')
    expect(added()).toBe('a b a b c')
  })
})

describe('every row', () => {
  test('is sent exactly, and reported on a line', async () => {
    const { server, env } = await service()
    const path = put('pets.ndjson', '{"id":3,"name":"a","categoryId":9007199254740993}\n')
    const { stdout, summary } = await run([path], { env })
    expect(stdout).toBe('{"line":1,"outcome":"added","id":101}\n')
    expect(server.requests.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['POST', '/v1/pets', '{"name":"a","categoryId":9007199254740993}']
    ])
    expect(server.requests[0]?.headers['idempotency-key']).toBeUndefined()
    expect(summary).toEqual({
      ...{ added: 1, skipped: 0, known: 0, changed: 0, doubtful: 0, rejected: 0, invalid: 0 },
      rows: 1,
      journal: expect.stringContaining(at('config/journals'))
    })
  })

  test('is added, rejected, invalid or doubtful, with its reason', async () => {
    const { env } = await service({ b: refusal(422), c: drop, d: refusal(500) })
    const path = put('pets.csv', csv('a b c d e,x'))
    const { code, rows, summary, error } = await run([path], { env })
    expect(code).toBe(8)
    expect(rows).toEqual(
      [
        { line: 2, outcome: 'added', id: expect.any(Number) },
        { line: 3, outcome: 'rejected', status: 422, message: 'no such thing' },
        { line: 4, outcome: 'doubtful', message: expect.stringContaining('was lost') },
        { line: 5, outcome: 'doubtful', status: 500, message: 'no such thing' },
        { line: 6, outcome: 'invalid', message: "categoryId 'x' is not a whole number" }
      ].map(row => expect.objectContaining(row))
    )
    const next = 'petstore pets list --name=c --name=d --env production'
    expect(summary).toMatchObject({ doubtful: 2, lines: { doubtful: '4-5' }, next })
    expect(error).toMatchObject({ exitCode: 8, hint: next })
  })

  test.each<[status: Answer, outcome: string]>([
    [{ status: 201, json: { id: 'x' } }, 'doubtful'],
    [{ status: 200, body: '<html>' }, 'doubtful'],
    [{ status: 200, json: { id: 1, name: 'a', categoryId: 5 } }, 'added'],
    [refusal(400), 'rejected'],
    [refusal(413), 'rejected'],
    [refusal(502), 'doubtful'],
    [refusal(503), 'doubtful'],
    [refusal(503, { 'retry-after': '0' }), 'doubtful'],
    [refusal(303, { location: '/v1/pets/1' }), 'doubtful'],
    [{ status: 201, json: { id: 7, name: 'a', categoryId: 6 } }, 'doubtful']
  ])('%j is %s', async (answer, outcome) => {
    const { env, sent } = await service({ a: answer })
    expect((await run([put('pets.csv', csv('a'))], { env })).outcomes).toBe(`2 ${outcome}`)
    expect(sent()).toBe('a')
  })

  test('a 429 is sent again', async () => {
    let refused = 0
    const { env } = await service({
      b: ({ body }) => {
        refused += 1
        if (refused < 3) return refusal(429)
        return { status: 201, json: { id: 7, ...JSON.parse(body) } }
      }
    })
    const argv = [put('pets.csv', csv('a b')), '--retries', '1']
    expect(await run(argv, { env })).toMatchObject({ code: 0, outcomes: '2 added, 3 added' })
  })

  test('in a terminal, is only in the table if it was not added; neighbors are one line', async () => {
    const { env } = await service({ z: refusal(422) })
    const path = put('pets.csv', csv('a z z z a a,x z'))
    const { stdout, stderr } = await run([path], { env, terminal: true, columns: 100 })
    expect(stdout).toBe(
      [
        'line 3-5  rejected  422 no such thing',
        "line 7    invalid   categoryId 'x' is not a whole number",
        'line 8    rejected  422 no such thing',
        ''
      ].join('\n')
    )
    expect(stderr).toContain('7 rows: 2 added to production, 4 rejected, 1 invalid in')
  })
})

describe('the import ends', () => {
  test.each([
    [refusal(401), 4],
    [refusal(403), 4],
    [refusal(404), 5],
    [refusal(307, { location: '/x' }), 7],
    [refusal(429, { 'retry-after': '61' }), 7]
  ])('after %j with %i, and is resumed', async (answer, code) => {
    let isWorking = false
    const { env } = await service({
      b: ({ body }) => (isWorking ? { status: 201, json: { id: 7, ...JSON.parse(body) } } : answer)
    })
    const argv = [put('pets.csv', csv('a b c')), '--concurrency', '1']
    const first = await run(argv, { env })
    expect([first.code, first.outcomes]).toEqual([code, '2 added'])
    expect(first.summary.next).toBe(`petstore pets import ${argv.join(' ')}`)
    isWorking = true
    expect((await run(argv, { env })).outcomes).toBe('2 skipped, 3 added, 4 added')
  })

  test('with 6 if nothing listens, and with 8 if every row fails', async () => {
    const path = put('pets.ndjson', ndjson('a '.repeat(100)))
    const dead = { PETSTORE_API_KEY: key, PETSTORE_BASE_URL: 'http://127.0.0.1:9/v1' }
    const none = await run([path, '--retries', '0'], { env: dead })
    expect([none.code, none.stdout]).toEqual([6, ''])
    const { env, sent } = await service({ a: refusal(500) })
    const failing = await run([path, '--retries', '1', '--concurrency', '4'], { env })
    expect(failing).toMatchObject({
      code: 8,
      error: { message: expect.stringContaining('fails for every row') }
    })
    expect(failing.summary.doubtful).toBeLessThanOrEqual(3 * 4)
    expect(sent().split(' ')).toHaveLength(failing.summary.doubtful)
  })

  test('at the first problem with --stop-on-error', async () => {
    const { env } = await service({ c: refusal(422) })
    const stop = (names: string) =>
      run([put('pets.csv', csv(names)), '--stop-on-error', '--concurrency', '1'], { env })
    const first = await stop('a b,x c')
    expect(first).toMatchObject({ code: 8, outcomes: '2 added, 3 invalid' })
    expect(first.error.message).toContain('line 3: ')
    expect(await stop('a c b')).toMatchObject({ code: 8, outcomes: '2 skipped, 3 rejected' })
    const argv = [at('pets.csv'), '--stop-on-error']
    expect((await run(argv, { env, terminal: true })).stderr).toMatch(/3 rows: .*1 rejected/)
  })

  test('with 130 at Ctrl-C: requests in flight finish, and the rest is not sent', async () => {
    let interrupt: (signal: 'SIGINT') => void = () => {}
    const signal = new Promise<'SIGINT'>(resolve => {
      interrupt = resolve
    })
    const { env, sent } = await service({
      b: async ({ body }) => {
        interrupt('SIGINT')
        await new Promise(resolve => setTimeout(resolve, 50))
        return { status: 201, json: { id: 7, ...JSON.parse(body) } }
      }
    })
    const argv = [put('pets.csv', csv('a b c')), '--concurrency', '1']
    const first = await run(argv, { env, signal })
    expect([first.code, first.outcomes]).toEqual([130, '2 added, 3 added'])
    expect(first.summary.next).toContain('petstore pets import')
    expect((await run(argv, { env })).outcomes).toBe('2 skipped, 3 skipped, 4 added')
    expect(sent()).toBe('a b c')
  })

  test('with 9 if this machine cannot send a row, which is then not in doubt', async () => {
    const path = put('pets.csv', csv('a b c'))
    const env = { PETSTORE_API_KEY: key, PETSTORE_BASE_URL: 'https://pets.invalid/v1' }
    const refused = await run([path], { env: { ...env, https_proxy: 'socks5://127.0.0.1:9' } })
    expect([refused.code, refused.stdout]).toEqual([9, ''])
    const { outcomes } = await run([path, '--retries', '0'], {
      env: { ...env, https_proxy: 'http://127.0.0.1:9' }
    })
    expect(outcomes).toBe('')
  })

  test.each<[about: string, change: (path: string) => void]>([
    ['changes', path => writeFileSync(path, ndjson('x'), { flag: 'a' })],
    ['is deleted', path => rmSync(path)]
  ])('with 9 if the file %s', async (_, change) => {
    const path = put('pets.ndjson', ndjson('b '.repeat(10_000)))
    let requests = 0
    const { env } = await service({
      b: ({ body }) => {
        requests += 1
        if (requests === 3) change(path)
        return { status: 201, json: { id: 7, ...JSON.parse(body) } }
      }
    })
    const { code, error, summary } = await run([path], { env })
    expect([code, error.message]).toEqual([9, `${path} changed during the import`])
    expect(summary.added).toBe(requests)
    expect(requests).toBeLessThan(3000)
  })
})

describe('rows in doubt', () => {
  /** Lines 3, 4 and 6 are in doubt. */
  async function inDoubt() {
    const doubt = { isOver: false }
    const lost: Handler = ({ body }, response, raw) =>
      doubt.isOver
        ? { status: 201, json: { id: 7, ...JSON.parse(body) } }
        : drop({ body } as never, response, raw)
    const made = await service({ x: lost, y: lost })
    const argv = [put('pets.csv', csv('a x y b x')), '--concurrency', '1']
    const settle = (...more: string[]) => run([...argv, ...more], { env: made.env })
    const first = await settle()
    expect(first.summary.lines.doubtful).toBe('3-4,6')
    doubt.isOver = true
    return { ...made, settle }
  }

  test('are reported again, and neither resent nor forgotten', async () => {
    const { settle, sent } = await inDoubt()
    const again = await settle()
    expect(again).toMatchObject({ code: 8, summary: { lines: { doubtful: '3-4,6' }, skipped: 2 } })
    expect(sent()).toBe('a x y b x')
  })

  test('are not promised an end by the same command where the service knows no key for them', async () => {
    const { settle, env } = await inDoubt()
    const set = ['env', 'set', 'production', '--idempotent', '--base-url', env.PETSTORE_BASE_URL]
    expect((await runCli(set, { home })).code).toBe(0)
    const { summary } = await settle()
    expect(summary.next).toBe('petstore pets list --name=x --name=y --env production')
  })

  test('are looked for by at most fifty names', async () => {
    const names = Array.from({ length: 51 }, (_, index) => `b${index}`)
    const { env } = await service(Object.fromEntries(names.map(name => [name, drop])))
    const argv = [put('pets.csv', csv(names.join(' a '))), '--concurrency', '1']
    expect((await run(argv, { env })).summary.next).toBe('petstore pets list --env production')
  })

  test.each([
    [['--add', 'doubtful'], 0, 'x y x'],
    [['--skip', 'doubtful'], 0, ''],
    [['--add', '3', '--skip', '4-4,6'], 0, 'x'],
    [['--add', '4'], 8, 'y']
  ] as const)('with %j: %i', async (options, code, resent) => {
    const { settle, sent } = await inDoubt()
    expect((await settle(...options)).code).toBe(code)
    expect(sent()).toBe(`a x y b x ${resent}`.trim())
    if (code === 0) expect((await settle()).summary).toMatchObject({ skipped: 5, doubtful: 0 })
  })

  test.each([
    ['--skip', '2'],
    ['--skip', '3-6'],
    ['--add', '99'],
    ['--add', '3', '--skip', '3-4'],
    ['--add', 'doubtful', '--skip', 'doubtful'],
    ['--add', 'some'],
    ['--batch', ''],
    ['--rejects', '-'],
    ['--rejects', '']
  ])('%s %s … is refused, and changes nothing', async (...options) => {
    const { settle, sent } = await inDoubt()
    expect((await settle(...options)).code).toBe(2)
    expect(await settle()).toMatchObject({
      code: 8,
      summary: { skipped: 2, lines: { doubtful: '3-4,6' } }
    })
    expect(sent()).toBe('a x y b x')
  })

  test('of two equal rows, the added one stays when one is deleted', async () => {
    let requests = 0
    const { env } = await service({
      x: (request, response, raw) => {
        requests += 1
        if (requests === 1) return drop(request, response, raw)
        return { status: 201, json: { id: 7, ...JSON.parse(request.body) } }
      }
    })
    const argv = [put('pets.csv', csv('x x')), '--concurrency', '1']
    expect((await run(argv, { env })).outcomes).toBe('2 doubtful, 3 added')
    put('pets.csv', csv('x'))
    const again = await run(argv, { env })
    expect([again.code, again.outcomes, requests]).toEqual([0, '2 skipped', 2])
    expect(again.notice).toContain('1 pet of the last input is gone')
  })
})

describe('in an idempotent environment', () => {
  const saved = (url: string, names = 'a x') => {
    mkdirSync(at('config'), { recursive: true })
    const staging = { baseUrl: `${url}/v1`, idempotent: true }
    writeFileSync(at('config/config.json'), JSON.stringify({ environments: { staging } }))
    chmodSync(at('config/config.json'), 0o600)
    const argv = [put('pets.csv', csv(names)), '--env', 'staging', '--concurrency', '1']
    return (options: RunOptions = {}, ...more: string[]) =>
      run([...argv, '--retries', '0', ...more], { env: { PETSTORE_API_KEY: key }, ...options })
  }
  const keysOf = ({ requests }: Awaited<ReturnType<typeof recordingServer>>) =>
    requests
      .filter(({ body }) => body.includes('"x"'))
      .map(({ headers }) => headers['idempotency-key'])

  test('a row in doubt is sent again with its key, for a day', async () => {
    const { server } = await service({ x: drop })
    const again = saved(server.url)
    const now = (hours: number) => ({ now: new Date(Date.UTC(2026, 10, 26) + hours * 3_600_000) })
    const first = await again(now(0), '--retries', '1')
    expect(first).toMatchObject({ code: 8, summary: { lines: { doubtful: '3' } } })
    expect(first.summary.next).toContain('petstore pets import')
    await again(now(23))
    await again(now(25))
    const keys = keysOf(server)
    expect(keys).toEqual([keys[0], keys[0], keys[0]])
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
    await again(now(25), '--add', 'doubtful')
    expect(keysOf(server)[3]).not.toBe(keys[0])
  })

  test.each<[answer: Answer, code: number, outcome: string]>([
    [{ status: 201, json: { id: 7, name: 'x', categoryId: 5 } }, 0, 'added'],
    [refusal(422), 8, 'rejected'],
    [refusal(409), 8, 'doubtful'],
    [refusal(413), 8, 'doubtful'],
    [refusal(500), 8, 'doubtful']
  ])('%j settles it or not: %i %s', async (answer, code, outcome) => {
    let requests = 0
    const { server } = await service({
      x: (request, response, raw) => {
        requests += 1
        return requests === 1 ? drop(request, response, raw) : answer
      }
    })
    const again = saved(server.url)
    await again()
    expect(await again()).toMatchObject({ code, outcomes: `2 skipped, 3 ${outcome}` })
  })

  test('a row whose first attempt seems to go on is given up, after pauses', async () => {
    let requests = 0
    const { server } = await service({
      x: (request, response, raw) => {
        requests += 1
        return requests === 1 ? drop(request, response, raw) : refusal(409)
      }
    })
    const started = performance.now()
    const { code, outcomes } = await saved(server.url)({}, '--retries', '2')
    expect([code, outcomes, requests]).toEqual([8, '2 added, 3 doubtful', 3])
    expect(performance.now() - started).toBeGreaterThan(500)
  })

  test('rows stay in doubt if the import ends before they are sent again', async () => {
    let requests = 0
    const { server } = await service({
      x: (request, response, raw) => {
        requests += 1
        return requests < 3 ? drop(request, response, raw) : refusal(401)
      }
    })
    const again = saved(server.url, 'x x')
    await again()
    const { outcomes } = await again({}, '--concurrency', '2')
    expect([outcomes, requests]).toEqual(['2 doubtful, 3 doubtful', 3])
  })

  test('a rejected row gets a new key', async () => {
    const { server } = await service({ x: refusal(422) })
    const again = saved(server.url)
    await again()
    await again()
    expect(new Set(keysOf(server)).size).toBe(2)
  })
})

describe('--rejects', () => {
  test.each<[about: string, name: string, input: string, rejects: string]>([
    [
      'a mark, separators and line ends',
      'pets.csv',
      '\ufeffName;Category ID;;\r\na;5;;\r\n"x;""y";b;;\r\n\r\nz;c;;\r\n',
      '\ufeffName;Category ID;;\r\n"x;""y";b;;\r\nz;c;;\r\n'
    ],
    ['lines', 'pets.ndjson', `${ndjson('a')}  {"name":"b"}\r\n`, '{"name":"b"}\n'],
    [
      'an array',
      'pets.json',
      `[{"name":1.50},${ndjson('a').trim()},2]`,
      '[\n{"name":1.50},\n2\n]\n'
    ],
    ['nothing', 'pets.csv', csv('a'), '']
  ])('keeps %s', async (_, name, input, rejects) => {
    const file = put(`bad-${name}`, '')
    const { summary } = await local([put(name, input), '--rejects', file])
    expect(readFileSync(file, 'utf8')).toBe(rejects)
    expect(summary.next?.includes(file) ?? false).toBe(rejects !== '')
  })

  test('and the file whose import wrote them are one for the rows that are corrected', async () => {
    const argv = [put('pets.csv', csv('a b,x')), '--rejects', at('bad.csv')]
    const first = await local(argv)
    expect(first.summary.next).toBe(`petstore pets import ${at('bad.csv')} --env local`)
    put('bad.csv', csv('b'))
    expect((await local([at('bad.csv')])).outcomes).toBe('2 added')
    put('pets.csv', csv('a b,x c,x'))
    await local(argv)
    put('bad.csv', csv('b c'))
    expect((await local([at('bad.csv')])).outcomes).toBe('2 skipped, 3 added')
    put('pets.csv', csv('a b c'))
    expect((await local(argv)).outcomes).toBe('2 skipped, 3 skipped, 4 skipped')
    expect(added()).toBe('a b c')
  })

  test.each<[about: string, prepare: () => void, name: string]>([
    ['what petstore did not write', () => void put('bad.csv', 'mine'), 'bad.csv'],
    ['what was changed since', () => void put('bad.csv', csv('b')), 'bad.csv'],
    ['the input', () => {}, 'pets.csv'],
    ['a directory', () => mkdirSync(at('place')), 'place']
  ])('does not replace %s', async (_, prepare, name) => {
    const path = put('pets.csv', csv('a b,x'))
    await local([path, '--rejects', at('bad.csv')])
    prepare()
    const before = name === 'place' ? '' : readFileSync(at(name), 'utf8')
    expect((await local([path, '--rejects', at(name)])).code).toBe(2)
    if (name !== 'place') expect(readFileSync(at(name), 'utf8')).toBe(before)
  })
})

describe('an input that cannot be read again', () => {
  test('has no next command, and the message says what to do', async () => {
    const { code, summary, error } = await local(['-'], { stdin: csv('a b,x') })
    expect([code, summary.next, error.hint]).toEqual([8, undefined, undefined])
    expect(error.message).toContain('run the same pipe again')
  })

  test('leaves no copy', async () => {
    const stdin = Readable.from([Buffer.from(csv('a'))])
    await local(['-', '--rejects', put('bad.csv', '')], { stdin })
    expect(added()).toBe('a')
    expect(readdirSync(at('config/journals')).join()).not.toContain('.tmp')
  })
})

test('--check reports invalid rows, and sends nothing', async () => {
  const { env, sent } = await service()
  const check = (names: string) =>
    run([put('pets.csv', csv(names)), '--check'], { env: { ...env, PETSTORE_READ_ONLY: '1' } })
  expect(await check('a b,x')).toMatchObject({
    code: 8,
    outcomes: '3 invalid',
    summary: { invalid: 1, rows: 2 }
  })
  expect(await check('a b')).toMatchObject({ code: 0, outcomes: '' })
  expect(sent()).toBe('')
})

test.each<[about: string, argv: () => readonly string[], code: number]>([
  ['no file', () => [at('none.csv')], 2],
  ['a directory', () => [home], 2],
  ['an empty file', () => [put('e.csv', ' \n')], 2],
  ['an unknown column', () => [put('u.csv', 'name,categoryId,x\na,5,\n')], 2],
  ['--dry-run', () => [put('d.csv', csv('a')), '--dry-run'], 2],
  ['--concurrency 0', () => [put('n.csv', csv('a')), '--concurrency', '0'], 2]
])('%s is refused before anything is sent', async (_, argv, code) => {
  const { env, sent } = await service()
  expect((await run(argv(), { env })).code).toBe(code)
  expect(sent()).toBe('')
})

test('a spreadsheet is not read as CSV', async () => {
  const { error } = await local([put('pets.xlsx', 'PK\u0003\u0004\u0014\0a,b')])
  expect(error).toMatchObject({ code: 'usage', message: expect.stringContaining('save it as CSV') })
})

test('where only reading is allowed, it is refused before a journal is opened', async () => {
  const { env } = await service()
  const refused = await run([put('pets.csv', csv('a'))], {
    env: { ...env, PETSTORE_READ_ONLY: '1' }
  })
  expect(refused).toMatchObject({
    code: 2,
    error: { message: expect.stringContaining('PETSTORE_READ_ONLY') }
  })
  expect(() => readFileSync(at('config/journals/places.db'))).toThrow('ENOENT')
})

test.each<[about: string, harm: (journal: string) => void, says: string]>([
  ['damaged', journal => writeFileSync(journal, 'x'.repeat(900), { flag: 'r+' }), 'is damaged'],
  ['emptied', journal => writeFileSync(journal, ''), 'is empty'],
  ['deleted', journal => rmSync(journal), 'is gone'],
  ['not expected', journal => rmSync(join(dirname(journal), 'places.db')), 'is not in places.db']
])(
  'a journal that is %s is 9, no row is sent, and a new batch begins another',
  async (_, harm, says) => {
    const { env, sent } = await service()
    const path = put('pets.csv', csv('a b'))
    const { summary } = await run([path], { env })
    harm(summary.journal)
    for (const argv of [[path], [path, '--add', 'known']]) {
      const again = await run(argv, { env })
      expect(again).toMatchObject({ code: 9, error: { message: expect.stringContaining(says) } })
    }
    expect(sent()).toBe('a b')
    if (_ === 'not expected') return
    expect((await run([path, '--batch', 'new'], { env })).outcomes).toBe('2 added, 3 added')
    expect((await run([path, '--batch', 'new'], { env })).outcomes).toBe('2 skipped, 3 skipped')
    expect((await run([path], { env })).code).toBe(9)
  }
)

test('a journal that is deleted while it is used is 9, and leaves its rows in doubt', async () => {
  const { env, sent } = await service({
    a: ({ body }) => {
      rmSync(at('config/journals'), { recursive: true })
      return { status: 201, json: { id: 7, ...JSON.parse(body) } }
    }
  })
  const argv = [put('pets.csv', csv('a b')), '--concurrency', '1']
  expect(await run(argv, { env })).toMatchObject({ code: 9, outcomes: '2 doubtful' })
  expect(sent()).toBe('a')
})

test('Ctrl-C while standard input is silent ends at once', async () => {
  let interrupt = () => {}
  const signal = new Promise<'SIGINT'>(resolve => {
    interrupt = () => resolve('SIGINT')
  })
  const stdin = new Readable({ read: () => interrupt() })
  expect((await local(['-'], { stdin, signal })).code).toBe(130)
})
