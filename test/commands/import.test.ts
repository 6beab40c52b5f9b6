import { EventEmitter, once } from 'node:events'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Answer, type Handler, recordingServer } from '../support/recording-server.ts'
import { ctrlC, runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

// What is added, skipped or held after an earlier import: import/stories.test.ts.

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
const jsonLines = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))

type RunOptions = Parameters<typeof runCli>[1]

async function run(argv: readonly string[], options: RunOptions = {}) {
  const { code, stdout, stderr } = await runCli(['pets', 'import', ...argv], { home, ...options })
  const isJson = options.terminal === undefined
  const messages = isJson ? jsonLines(stderr) : []
  const of = (kind: string) => messages.find(message => kind in message)?.[kind]
  const rows = isJson ? jsonLines(stdout).sort((one, other) => one.line - other.line) : []
  return {
    code,
    stdout,
    stderr,
    rows,
    /** `2 added`, in the order of the input. */
    outcomes: rows.map(({ line, outcome }) => `${line} ${outcome}`).join(', '),
    summary: of('summary'),
    error: of('error')
  }
}

/** Imports into the local service, which has samples. */
const local = (argv: readonly string[], options?: RunOptions) =>
  run([...argv, '--env', 'local'], options)

type Fate = Answer | Handler

const oneByOne = ['--concurrency', '1']

/** A service that adds pets. Each name may have another reply: always, or first some of a list. */
async function service(fates: Readonly<Record<string, Fate | Fate[]>> = {}) {
  let id = 100
  const server = await recordingServer((request, response, raw) => {
    const fate = fates[JSON.parse(request.body).name]
    const next = Array.isArray(fate) ? fate.shift() : fate
    if (typeof next === 'function') return next(request, response, raw)
    id += 1
    return next ?? { status: 201, body: request.body.replace('{', `{"id":${id},`) }
  })
  const key = { PETSTORE_API_KEY: 'sk_test_12345678' }
  const env = { ...key, PETSTORE_BASE_URL: `${server.url}/v1` }
  const sent = () => server.requests.map(({ body }) => JSON.parse(body).name).join(' ')
  /** Imports these rows as pets.csv, one after another. */
  const imports = (names: string, ...words: string[]) =>
    run([put('pets.csv', csv(names)), ...oneByOne, ...words], { env })
  return { server, key, env, sent, imports }
}

const added: Handler = ({ body }) => ({ status: 201, json: { id: 7, ...JSON.parse(body) } })
const drop: Handler = (_, response) => {
  response.destroy()
  return undefined
}
const refusal = (status: number, headers = {}): Answer => ({
  status,
  headers,
  json: { code: 'no', message: 'no such thing', status }
})

const saveUrl = async (url: string, ...marks: string[]) => {
  const set = ['env', 'set', 'production', '--base-url', url, ...marks]
  expect((await runCli(set, { home })).code).toBe(0)
}

test('an input without rows begins no import', async () => {
  const [path, other] = [put('pets.csv', csv('')), put('other.csv', csv(''))]
  expect(await local([path])).toMatchObject({ code: 0, summary: { rows: 0, added: 0 } })
  put('pets.csv', csv('a'))
  await local([path])
  put('other.csv', csv('a b'))
  expect((await local([other])).outcomes).toBe('2 added, 3 added')
})

test('what is sent after a run that was refused is known by the next one', async () => {
  const { sent, imports } = await service({ a: [refusal(401)] })
  expect((await imports('a b')).code).toBe(4)
  expect((await imports('a b')).outcomes).toBe('2 added, 3 added')
  expect((await imports('a b')).outcomes).toBe('2 skipped, 3 skipped')
  expect(sent()).toBe('a a b')
})

test('a changed row is shown with its pet, and next is a check', async () => {
  const path = put('pets.csv', csv('a Maxx b'))
  await local([path])
  put('pets.csv', csv('a Max b'))
  const { code, rows, summary } = await local([path, '--skip', 'known'])
  expect(rows[1]).toEqual({
    line: 3,
    outcome: 'changed',
    id: 12,
    message: 'Max; pet 12 was added as Maxx'
  })
  expect([code, summary]).toMatchObject([8, { changed: 1, lines: { changed: '3' } }])
  expect(summary.next).toBe(`petstore pets import ${path} --env local --check`)
})

test('a new --batch asks first about equal pets where it can prompt; then its name alone counts', async () => {
  const path = put('pets.csv', csv('a b'))
  await local([path])
  const answer = (keys: string) =>
    local([path, '--batch', 'june'], {
      terminal: true,
      columns: 200,
      steps: [['send these rows, too?', keys]]
    })
  expect((await answer('n\r')).code).toBe(130)
  const { code, stderr } = await answer('y\r')
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining('--batch june is new: 2 of 2 rows equal pets that were added here')
  ])
  const other = put('other.csv', csv('b a c'))
  expect((await local([other, '--batch', 'june'])).outcomes).toBe('2 skipped, 3 skipped, 4 added')
})

describe('every row', () => {
  test('is sent exactly, and reported on a line', async () => {
    const { server, env } = await service()
    const path = put('pets.ndjson', '{"id":3,"name":"a","categoryId":9007199254740993}\n')
    const { stdout, summary } = await run([path], { env })
    expect(stdout).toBe('{"line":1,"outcome":"added","id":101}\n')
    expect(server.requests).toMatchObject([
      { method: 'POST', path: '/v1/pets', body: '{"name":"a","categoryId":9007199254740993}' }
    ])
    expect(server.requests[0]?.headers['idempotency-key']).toBeUndefined()
    expect(summary).toEqual({
      ...{ added: 1, skipped: 0, known: 0, changed: 0, doubtful: 0, rejected: 0, invalid: 0 },
      rows: 1,
      journal: expect.stringContaining(at('.config/petstore/journals'))
    })
  })

  test('is added, rejected, invalid or doubtful, with its reason', async () => {
    const { imports } = await service({ b: refusal(422), c: drop, d: refusal(500) })
    const { code, rows, summary, error } = await imports('a b c d e,x')
    expect(rows).toMatchObject([
      { line: 2, outcome: 'added', id: 101 },
      { line: 3, outcome: 'rejected', status: 422, message: 'no such thing' },
      { line: 4, outcome: 'doubtful', message: expect.stringContaining('was lost') },
      { line: 5, outcome: 'doubtful', status: 500, message: 'no such thing' },
      { line: 6, outcome: 'invalid', message: "categoryId 'x' is not a whole number" }
    ])
    const next = 'petstore pets list --name=c --name=d --env production'
    expect(summary).toMatchObject({ doubtful: 2, lines: { doubtful: '4-5' }, next })
    expect([code, error]).toMatchObject([8, { exitCode: 8, hint: next }])
  })

  test.each<[status: Answer, outcome: string]>([
    [{ status: 200, json: { id: 1, name: 'a', categoryId: 5 } }, 'added'],
    [{ status: 200, body: '<html>' }, 'doubtful'],
    [{ status: 201, json: { id: 7, name: 'a', categoryId: 6 } }, 'doubtful']
  ])('%j is %s', async (answer, outcome) => {
    const { sent, imports } = await service({ a: answer })
    expect((await imports('a')).outcomes).toBe(`2 ${outcome}`)
    expect(sent()).toBe('a')
  })

  test.each([
    [503, true],
    [500, false]
  ])(
    'after %i is not sent again, and the message names a way, and 429: %s',
    async (status, isNamed) => {
      const { server, key, sent } = await service({ a: refusal(status, { 'retry-after': '0' }) })
      await saveUrl(server.url)
      const { message } = (await run([put('pets.csv', csv('a'))], { env: key })).error
      expect(message).toContain('petstore env set production --idempotent')
      expect(message.includes('a limiter should answer 429')).toBe(isNamed)
      expect(sent()).toBe('a')
    }
  )

  test('is sent again after 429', async () => {
    const { imports } = await service({ b: [refusal(429), refusal(429)] })
    const end = await imports('a b', '--retries', '1')
    expect(end).toMatchObject({ code: 0, outcomes: '2 added, 3 added' })
  })

  test('is in a terminal only in the table if it was not added; neighbors are one line', async () => {
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
    [refusal(404), 5],
    [refusal(307, { location: '/x' }), 7],
    [refusal(429, { 'retry-after': '61' }), 7]
  ])('after %j with %i, and is resumed', async (answer, code) => {
    const { imports } = await service({ b: [answer] })
    const first = await imports('a b c')
    expect([first.code, first.outcomes]).toEqual([code, '2 added'])
    expect(first.summary.next).toBe(`petstore pets import ${at('pets.csv')} --concurrency 1`)
    expect((await imports('a b c')).outcomes).toBe('2 skipped, 3 added, 4 added')
  })

  test('with 6 if nothing listens, and with 8 if every row fails', async () => {
    const path = put('pets.csv', csv('a '.repeat(100)))
    const { env, sent } = await service({ a: refusal(500) })
    const dead = { ...env, PETSTORE_BASE_URL: 'http://127.0.0.1:9/v1' }
    const none = await run([path, '--retries', '0'], { env: dead })
    expect([none.code, none.stdout]).toEqual([6, ''])
    const failing = await run([path, '--retries', '1', '--concurrency', '4'], { env })
    expect([failing.code, failing.error.message]).toEqual([
      8,
      expect.stringContaining('fails for every row')
    ])
    expect(failing.summary.doubtful).toBeLessThanOrEqual(3 * 4)
    expect(sent().split(' ')).toHaveLength(failing.summary.doubtful)
  })

  test('with 6 and no row in doubt where keys are honored', async () => {
    await saveUrl('http://127.0.0.1:9/v1', '--idempotent')
    const env = { PETSTORE_API_KEY: 'sk_test_12345678' }
    const path = put('pets.csv', csv('a b c'))
    for (const words of [[], ['--batch', 'june']]) {
      const { code, stdout } = await run([path, '--retries', '1', ...words], { env })
      expect([code, stdout]).toEqual([6, ''])
    }
  })

  test('at the first problem with --stop-on-error', async () => {
    const { imports } = await service({ c: refusal(422) })
    const first = await imports('a b,x c', '--stop-on-error')
    expect(first).toMatchObject({ code: 8, outcomes: '2 added, 3 invalid' })
    expect(first.error.message).toContain('line 3: ')
    const second = await imports('a c b', '--stop-on-error')
    expect(second).toMatchObject({ code: 8, outcomes: '2 skipped, 3 rejected' })
  })

  test('at a problem that has to be corrected first, as a person is told', async () => {
    const { env } = await service()
    const path = put('pets.csv', csv('a b,x c'))
    const { stderr } = await run([path, '--stop-on-error'], { env, terminal: true })
    expect(stderr).toContain('Correct these rows, then')
  })

  test('with 130 at Ctrl-C: requests in flight finish, and the rest is not sent', async () => {
    const late: Handler = async (...request) => {
      await new Promise(resolve => setTimeout(resolve, 50))
      return added(...request)
    }
    const { server, env, sent, imports } = await service({ b: late })
    const argv = [put('pets.csv', csv('a b c')), ...oneByOne]
    const first = await run(argv, { env, signal: server.received(2).then(ctrlC) })
    expect([first.code, first.outcomes]).toEqual([130, '2 added, 3 added'])
    expect((await imports('a b c')).outcomes).toBe('2 skipped, 3 skipped, 4 added')
    expect(sent()).toBe('a b c')
  })

  test('with 130 at Ctrl-C while standard input is silent', async () => {
    const silence = new EventEmitter()
    const stdin = new Readable({ read: () => silence.emit('begins') })
    const signal = once(silence, 'begins').then(ctrlC)
    expect((await local(['-'], { stdin, signal })).code).toBe(130)
  })

  test('with 9 if the file changes', async () => {
    const row = 'b,5\n'
    const path = put('pets.csv', `name,categoryId\n${row.repeat(1000)}`)
    const changing: Handler = (...request) => {
      writeFileSync(path, row, { flag: 'a' })
      return added(...request)
    }
    const { server, env } = await service({ b: [added, added, changing] })
    const { code, error, summary } = await run([path], { env })
    expect([code, error.message]).toEqual([9, `${path} changed during the import`])
    expect(summary.added).toBe(server.requests.length)
    expect(server.requests.length).toBeLessThan(500)
  })
})

describe('rows in doubt', () => {
  /** Lines 3, 4 and 6 are in doubt. */
  async function inDoubt() {
    const made = await service({ x: [drop, drop], y: [drop] })
    const settle = (...words: string[]) => made.imports('a x y b x', ...words)
    expect((await settle()).summary.lines.doubtful).toBe('3-4,6')
    return { ...made, settle }
  }

  test('are listed by name, and not sent again, where the service knows no key for them', async () => {
    const { settle, env } = await inDoubt()
    await saveUrl(env.PETSTORE_BASE_URL, '--idempotent')
    const { summary } = await settle()
    expect(summary.next).toBe('petstore pets list --name=x --name=y --env production')
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
    ['--add', 'some']
  ])('%s %s … is refused, and changes nothing', async (...options) => {
    const { settle, sent } = await inDoubt()
    expect((await settle(...options)).code).toBe(2)
    expect(await settle()).toMatchObject({
      code: 8,
      summary: { skipped: 2, lines: { doubtful: '3-4,6' } }
    })
    expect(sent()).toBe('a x y b x')
  })
})

describe('in an idempotent environment', () => {
  async function idempotent(fates: Readonly<Record<string, Fate | Fate[]>>) {
    const { server, env } = await service(fates)
    await saveUrl(env.PETSTORE_BASE_URL, '--idempotent')
    const argv = [put('pets.csv', csv('a x')), '--retries', '0', ...oneByOne]
    const again = (options: RunOptions = {}, ...more: string[]) =>
      run([...argv, ...more], { env, ...options })
    const keys = () =>
      server.requests
        .filter(({ body }) => body.includes('"x"'))
        .map(({ headers }) => headers['idempotency-key'])
    return { again, keys }
  }

  test('a row in doubt is sent again with its key, for a day', async () => {
    const { again, keys } = await idempotent({ x: drop })
    const now = (hours: number) => ({ now: new Date(Date.UTC(2026, 10, 26) + hours * 3_600_000) })
    const first = await again(now(0), '--retries', '1')
    expect(first).toMatchObject({ code: 8, summary: { lines: { doubtful: '3' } } })
    expect(first.summary.next).toContain('petstore pets import')
    await again(now(23))
    await again(now(25))
    const [key] = keys()
    expect(keys()).toEqual([key, key, key])
    expect(key).toMatch(/^[0-9a-f-]{36}$/)
    await again(now(25), '--add', 'doubtful')
    expect(keys()[3]).not.toBe(key)
  })

  test.each<[answer: Answer, outcome: string]>([
    [refusal(422), 'rejected'],
    [refusal(409), 'doubtful']
  ])('%j makes a row in doubt %s', async (answer, outcome) => {
    const { again } = await idempotent({ x: [drop, answer] })
    await again()
    expect(await again()).toMatchObject({ code: 8, outcomes: `2 skipped, 3 ${outcome}` })
  })

  test('a rejected row gets a new key', async () => {
    const { again, keys } = await idempotent({ x: refusal(422) })
    await again()
    await again()
    expect(new Set(keys()).size).toBe(2)
  })
})

test.each<[about: string, name: string, input: string, rejects: string]>([
  [
    'a mark, separators and line ends',
    'pets.csv',
    '\ufeffName;Category ID;;\r\na;5;;\r\n"x;""y";b;;\r\n\r\nz;c;;\r\n',
    '\ufeffName;Category ID;;\r\n"x;""y";b;;\r\nz;c;;\r\n'
  ],
  [
    'carriage returns',
    'pets.csv',
    'name,categoryId\ra,x\r\rb,2\rc,y',
    'name,categoryId\ra,x\rc,y\r'
  ],
  ['lines', 'pets.ndjson', '{"name":"a","categoryId":5}\n  {"name":"b"}\r\n', '{"name":"b"}\n'],
  [
    'an array',
    'pets.json',
    '[{"name":1.50},{"name":"a","categoryId":5},2]',
    '[\n{"name":1.50},\n2\n]\n'
  ],
  ['nothing', 'pets.csv', csv('a'), '']
])('--rejects keeps %s, and next is the import of its file', async (_, name, input, rejects) => {
  const file = at(`bad-${name}`)
  const { summary } = await local([put(name, input), '--rejects', file])
  expect(readFileSync(file, 'utf8')).toBe(rejects)
  const next = `petstore pets import ${file} --env local`
  expect(summary.next).toBe(rejects === '' ? undefined : next)
})

test('a pipe leaves no copy and has no next command, and the message says what to do', async () => {
  const { code, summary, error } = await local(['-'], { stdin: csv('a b,x') })
  expect([code, summary.next, error.hint]).toEqual([8, undefined, undefined])
  expect(error.message).toContain('run the same pipe again')
  expect(readdirSync(at('.config/petstore/journals')).join()).not.toContain('.tmp')
})

test('--check reports invalid rows, sends nothing, and needs no key', async () => {
  const { server, env } = await service()
  const check = (names: string) =>
    run([put('pets.csv', csv(names)), '--check'], {
      env: { PETSTORE_BASE_URL: env.PETSTORE_BASE_URL, PETSTORE_READ_ONLY: '1' }
    })
  expect(await check('a b,x')).toMatchObject({
    code: 8,
    outcomes: '3 invalid',
    summary: { invalid: 1, rows: 2, valid: 1 }
  })
  expect(await check('a b')).toMatchObject({ code: 0, outcomes: '' })
  expect(server.connections()).toBe(0)
})

test.each<[about: string, text: string, ...words: string[]]>([
  ['an empty file', ' \n'],
  ['an unknown column', 'name,categoryId,x\na,5,\n'],
  ['an open quote', `${csv('a '.repeat(9000))}"b`],
  ['--dry-run', csv('a'), '--dry-run'],
  ['--concurrency 0', csv('a'), '--concurrency', '0'],
  ['a directory for --rejects', csv('a'), '--rejects', '.']
])('%s is refused before anything is sent', async (_, text, ...words) => {
  const { server, env } = await service()
  expect((await run([put('pets.csv', text), ...words], { env })).code).toBe(2)
  expect(server.connections()).toBe(0)
})

test.each<[about: string, harm: (journal: string) => void, says: string]>([
  ['damaged', journal => writeFileSync(journal, 'x'.repeat(900), { flag: 'r+' }), 'is damaged'],
  ['emptied', journal => writeFileSync(journal, ''), 'is empty'],
  ['deleted', journal => rmSync(journal), 'is gone']
])('a journal that is %s is 9, and a new batch begins another', async (_, harm, says) => {
  const { sent, imports } = await service()
  const { summary } = await imports('a b')
  harm(summary.journal)
  for (const words of [[], ['--add', 'known']]) {
    const message = expect.stringContaining(says)
    expect(await imports('a b', ...words)).toMatchObject({ code: 9, error: { message } })
  }
  expect(sent()).toBe('a b')
  const batch = ['--batch', 'new']
  expect((await imports('a b', ...batch)).outcomes).toBe('2 added, 3 added')
  expect((await imports('a b', ...batch)).outcomes).toBe('2 skipped, 3 skipped')
  expect((await imports('a b')).code).toBe(9)
})

test('a journal is used also where the list of the journals was deleted', async () => {
  const { env, sent } = await service()
  const path = put('pets.csv', csv('a b'))
  for (const words of [[], ['--batch', 'june']]) {
    const { summary } = await run([path, ...words], { env })
    rmSync(join(summary.journal, '../places.db'))
    expect((await run([path, ...words], { env })).outcomes).toBe('2 skipped, 3 skipped')
  }
  expect(sent()).toBe('a b a b')
})
