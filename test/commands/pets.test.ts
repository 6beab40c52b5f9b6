import { describe, expect, test } from 'vitest'
import { rowsOf } from '../cli/typing.ts'
import type { Answer, Handler } from '../support/recording-server.ts'
import { ctrlC, runCli } from '../support/run-cli.ts'
import { errorOf, service } from './service.ts'

type Pet = { id: number; name: string; categoryId: number; status?: string }
type Options = Parameters<typeof runCli>[1]

const rex: Pet = { id: 300, name: 'Rex', categoryId: 2 }
const others = (count: number): Pet[] =>
  Array.from({ length: count }, (_, index) => ({ id: index + 1, name: 'Other', categoryId: 1 }))

/** A list that may lack pets. */
const full = [...others(99), rex]

/** A service whose list for each path is this, by the end of the path; others are empty. */
async function serviceWith(lists: Readonly<Record<string, readonly Pet[] | Answer>>) {
  const { server, env } = await service(({ path }) => {
    const [, answer = []] = Object.entries(lists).find(([end]) => path.endsWith(end)) ?? []
    return 'map' in answer ? { json: answer } : answer
  })
  const run = (line: string, options: Options = {}) =>
    runCli(['pets', ...line.split(' ')], { ...options, env })
  return { run, paths: () => server.requests.map(({ path }) => path.slice('/v1/'.length)), server }
}

const local = (line: string, options?: Options) =>
  runCli(['pets', ...line.split(' '), '--env', 'local'], options)
const messageIn = (stderr: string) => stderr && JSON.parse(stderr).notice.message

const all = 'pets?limit=100'
const ofStatus = (status: string) => `pets?status=${status}&limit=100`
const everyList = [all, ...['available', 'pending', 'sold'].map(ofStatus)]
const limit = 'the service lists only the first 100 pets'

describe('pets list', () => {
  test('prints what the service sent: its integers, unknown fields and statuses', async () => {
    const body =
      '[{"id":9223372036854775807,"name":"Rex","categoryId":-9223372036854775808,"status":"lost","tags":[1.0]}]'
    const { run } = await serviceWith({ [all]: { body } as Answer })
    const { code, stdout, stderr } = await run('list')
    expect({ code, text: stdout.replace(/\s/g, ''), stderr }).toEqual({
      code: 0,
      text: body,
      stderr: ''
    })
  })

  const showing = 'showing the first 100 pets; the service lists no more'

  test.each([
    ['list', 100, all, showing],
    ['list -q', 100, all, showing],
    ['list --limit 100 --status sold', 100, ofStatus('sold'), showing],
    ['list', 99, all, ''],
    ['list --limit 99', 99, 'pets?limit=99', ''],
    ['list --limit 5', 5, 'pets?limit=5', '']
  ])('%s, with %i pets, asks for %s, and the notice is: %s', async (line, count, path, notice) => {
    const { run, paths } = await serviceWith({ [path]: others(count) })
    const { code, stdout, stderr } = await run(line)
    expect([code, JSON.parse(stdout).length, messageIn(stderr)]).toEqual([0, count, notice])
    expect(paths()).toEqual([path])
  })
})

test.each<[string, string, Pet | Pet[]]>([
  ['get 5', 'pets/5', rex],
  ['list --limit 1', 'pets?limit=1', others(2)],
  ['list --status sold', ofStatus('sold'), [{ ...rex, status: 'pending' }]]
])('%s with a reply about other pets is 7', async (line, path, json) => {
  const { run } = await serviceWith({ [path]: { json } as Answer })
  const { code, stdout, stderr } = await run(line)
  expect([code, stdout]).toEqual([7, ''])
  expect(errorOf(stderr).message).toContain('it does not fit the request (200)')
})

describe('pets list --name and --category-id', () => {
  const some = [
    { id: 5, name: 'Rex', categoryId: 7 },
    { id: 2, name: 'Rex', categoryId: 1 },
    { id: 3, name: 'Ina', categoryId: 7 },
    { id: 4, name: 'Rex ', categoryId: 1 }
  ]

  test.each([
    ['--name Rex', '2\n5\n'],
    ['--name rex', ''],
    ['--name=Rex --name=Ina', '2\n3\n5\n'],
    ['--category-id 7', '3\n5\n'],
    ['--name Rex --category-id 7', '5\n'],
    ['--name Rex --limit 1', '2\n']
  ])('%s finds exactly these, by id', async (line, ids) => {
    const { run, paths } = await serviceWith({ [all]: some })
    expect(await run(`list ${line} --jq .[].id`)).toEqual({ code: 0, stdout: ids, stderr: '' })
    expect(paths()).toEqual([all])
  })

  test.each([
    ['9007199254740993', '1\n'],
    ['9007199254740992', '0\n']
  ])('the category %s is exact', async (id, stdout) => {
    expect(await local(`list --category-id ${id} --jq length`)).toMatchObject({ stdout })
  })

  test.each<
    [line: string, lists: Record<string, Pet[]>, paths: string[], ids: string, notice: string]
  >([
    [
      '',
      {
        [all]: [...others(99), { ...rex, id: 400 }],
        [ofStatus('available')]: [rex, { ...rex, id: 400 }]
      },
      everyList,
      '300\n400\n',
      `more pets may match: ${limit}`
    ],
    ['', { [all]: others(100) }, everyList, '', `cannot tell: ${limit}`],
    [
      '--status sold',
      { [ofStatus('sold')]: full },
      [ofStatus('sold')],
      '300\n',
      `more pets may match: ${limit}`
    ],
    ['--status sold', { [ofStatus('sold')]: [rex] }, [ofStatus('sold')], '300\n', ''],
    ['--limit 1', { [all]: [rex, { ...rex, id: 301 }] }, [all], '300\n', '']
  ])('%s looks through the lists %#', async (line, lists, wanted, ids, notice) => {
    const { run, paths } = await serviceWith(lists)
    const { code, stdout, stderr } = await run(`list --name Rex -q --jq .[].id ${line}`.trim())
    expect([code, stdout, messageIn(stderr)]).toEqual([0, ids, notice])
    expect(paths()).toEqual(wanted)
  })
})

describe('pets list --complete', () => {
  test.each<[line: string, lists: Record<string, Pet[]>, code: number, stdout: string]>([
    ['', { [all]: others(99) }, 0, '99\n'],
    ['', { [all]: full }, 11, ''],
    ['--limit 100 --status sold', { [ofStatus('sold')]: full }, 11, ''],
    ['--name Rex', { [all]: [rex] }, 0, '1\n'],
    ['--name Rex', { [all]: full }, 11, ''],
    ['--name Rex --limit 1', { [all]: [rex, { ...rex, id: 301 }] }, 0, '1\n'],
    ['--category-id 2 --limit 1', { [all]: full }, 11, ''],
    ['--until length==1', { [all]: full }, 11, ''],
    ['--watch', { [all]: full }, 11, '']
  ])('%s %#', async (line, lists, expected, wanted) => {
    const { run } = await serviceWith(lists)
    const { code, stdout, stderr } = await run(`list --complete --jq length ${line}`.trim())
    expect({ code, stdout }).toEqual({ code: expected, stdout: wanted })
    const message = `the list may lack pets: ${limit}`
    if (code === 11) expect(errorOf(stderr)).toMatchObject({ code: 'inconclusive', message })
  })
})

describe('pets list --until', () => {
  const pet = (status: string): Answer => ({ json: [{ ...rex, status }] })
  const until = 'any(.[];.status=="sold")'

  test('lists again until the expression is true, and prints that list', async () => {
    const { server, env } = await service([{ json: [] }, pet('pending'), pet('sold')])
    const argv = ['pets', 'list', '--watch', '0.1', '--until', until, '--jq', '.[0].status']
    expect(await runCli(argv, { env })).toEqual({ code: 0, stdout: 'sold\n', stderr: '' })
    expect(server.requests.map(({ path }) => path)).toEqual(Array(3).fill(`/v1/${all}`))
  })

  test('says at once, once, also with -q, that a list may lack pets', async () => {
    const { run, server } = await serviceWith({ [all]: others(100) })
    const noticed = server.received(everyList.length * 2 + 1)
    const { stderr } = await run('list -q --name Zed --watch 0.1 --until length>0', {
      signal: noticed.then(ctrlC)
    })
    const [notice, error, ...more] = stderr.trimEnd().split('\n')
    expect(messageIn(notice ?? '')).toBe(`cannot tell: ${limit}`)
    expect([errorOf(error ?? '').exitCode, more]).toEqual([130, []])
  })

  test.each<[when: string, answer: Answer | Handler]>([
    ['between two lists', { json: [] }],
    ['during a request', () => undefined],
    ['during the pause before a request is repeated', { status: 503 }]
  ])('--wait ends it with 11 %s', async (_, answer) => {
    const { server, env } = await service(answer)
    const argv = ['pets', 'list', '--until', until, '--wait', '0.2']
    const { code, stdout, stderr } = await runCli(argv, { env })
    expect([code, stdout, server.requests.length]).toEqual([11, '', 1])
    expect(errorOf(stderr)).toMatchObject({
      code: 'inconclusive',
      message: 'the expression of --until was not true within 0.2 s',
      retryable: true
    })
  })

  test.each([
    ['length', 'length > 0'],
    ['error("no")', '--until: no']
  ])('%s ends it with 9', async (expression, message) => {
    const { run } = await serviceWith({ [all]: [rex] })
    const stderr = expect.stringContaining(message)
    expect(await run(`list --until ${expression}`)).toMatchObject({ code: 9, stdout: '', stderr })
  })

  test('ends if a request fails', async () => {
    const failing = await serviceWith({ [all]: { status: 500 } })
    expect((await failing.run(`list --until ${until}`)).code).toBe(7)
  })
})

describe('pets list --watch', () => {
  // Behind the notice, an empty line: the terminal has shown `^C`.
  const notice = 'notice: watching every 5 s; Ctrl-C ends it\n\n'

  test.each<[string, string, Options, RegExp, string]>([
    ['a table in a terminal', '--no-color', { terminal: true }, /^id {2}name/, notice],
    [
      'JSON in a pipe, whatever is preferred',
      '-q',
      { env: { PETSTORE_OUTPUT: 'csv' } },
      /^{"event"/,
      ''
    ],
    ['what --jq makes of an event', '--jq=.pet.name', {}, /^Biscuit\n/, '']
  ])('prints %s until Ctrl-C, which is no error', async (_, option, options, stdout, stderr) => {
    const steps = [['Biscuit', ctrlC]] as const
    const end = await local(`list --watch ${option}`, { ...options, steps })
    expect(end).toEqual({ code: 130, stdout: expect.stringMatching(stdout), stderr })
  })
})

describe('pets add', () => {
  const largest = '9223372036854775807'

  test.each([
    ['add --name Rex --category-id -1', '', '{"name":"Rex","categoryId":-1}'],
    [
      `add --name=\u00a0"犬" --category-id ${largest} --status sold`,
      '',
      `{"name":"\u00a0\\"犬\\"","categoryId":${largest},"status":"sold"}`
    ],
    [
      'add --file -',
      `\ufeff{"id": 1, "name": " Rex", "categoryId": ${largest}}\n`,
      `{"name":" Rex","categoryId":${largest}}`
    ]
  ])('%s sends exactly what was given', async (line, stdin, body) => {
    const reply = { status: 201, body: body.replace('{', '{"id":7,') }
    const { run, server } = await serviceWith({ pets: reply })
    expect((await run(line, { stdin })).code).toBe(0)
    expect(server.requests.map(request => request.body)).toEqual([body])
  })

  test('is confirmed in a terminal with the environment, also the default one', async () => {
    const { run } = await serviceWith({ pets: { status: 201, json: rex } as Answer })
    const { stderr } = await run('add --name Rex --category-id 2 --no-color', { terminal: true })
    expect(stderr).toBe('added pet 300 to production\n')
  })
})

describe('pets get', () => {
  const gone: Answer = { status: 410, json: { code: 'gone', message: 'gone', status: 410 } }

  test('prints the pet, without a word about its end', async () => {
    const { code, stdout, stderr } = await local('get 1 --jq .name')
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'Biscuit\n', stderr: '' })
    expect((await local('get --help')).stdout).toContain('5 December 2030')
  })

  test.each<[string, Record<string, Pet[]>, string[]]>([
    ['in the list', { [all]: [rex] }, [all]],
    ['in the list of a status', { [all]: others(100), [ofStatus('sold')]: [rex] }, everyList]
  ])('after 410 the pet is found %s', async (_, lists, wanted) => {
    const { run, paths } = await serviceWith({ 'pets/300': gone, ...lists })
    expect(await run('get 300 --jq .name')).toEqual({ code: 0, stdout: 'Rex\n', stderr: '' })
    expect(paths()).toEqual(['pets/300', ...wanted])
  })

  test.each([
    [1, 5, 'there is no pet 300'],
    [100, 11, `cannot tell: ${limit}`]
  ])('after 410 and a list of %i others, the end is %i: %s', async (count, expected, message) => {
    const { run } = await serviceWith({ 'pets/300': gone, [all]: others(count) })
    const { code, stdout, stderr } = await run('get 300')
    expect({ code, stdout, message: errorOf(stderr).message }).toEqual({
      code: expected,
      stdout: '',
      message
    })
  })
})

const misuses = rowsOf(`
list --complete --limit 99 => a list of --limit 99 may lack pets
list --wait 5 => --wait is the longest time for --until
list --until .[ => --until: syntax error
list --watch -o table => --watch prints a table
list --watch 0.09 => a number of seconds from 0.1 to 86400
add --name Rex => a pet needs --name and --category-id
add --name \u200b --category-id 2 => a name that is not blank
add --file . => . cannot be read: illegal operation on a directory
add --file /nonexistent/pet.json => /nonexistent/pet.json cannot be read
add --file - => standard input: categoryId is missing
`)

test.each(misuses)('pets %s is a usage error', async (line, message) => {
  const { run, server } = await serviceWith({})
  const end = await run(line, { stdin: '{"name":"a"}', columns: 200 })
  expect(end).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) })
  expect(server.connections()).toBe(0)
})
