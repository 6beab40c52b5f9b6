import { describe, expect, test } from 'vitest'
import { program } from '../../src/cli/program.ts'
import { leavesOf } from '../../src/cli/tree.ts'
import { examplesIn } from '../../src/commands/declare.ts'
import { wordsOf } from '../cli/typing.ts'
import { type Answer, recordingServer } from '../support/recording-server.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { errorOf } from './service.ts'

const pet = { id: 7, name: 'Rex', categoryId: 2 }
const add = ['pets', 'add', '--name', 'Rex', '--category-id', '2']
const drops = (_: unknown, response: { destroy(): unknown }) => void response.destroy()

/** A service and an environment `staging` that is set like this. */
async function staging(answers: Parameters<typeof recordingServer>[0], ...marks: string[]) {
  const server = await recordingServer(answers)
  const home = temporaryDirectory()
  const urls = ['--base-url', `${server.url}/v1`, '--messages-url', server.url]
  const run = (argv: readonly string[], options: Parameters<typeof runCli>[1] = {}) =>
    runCli([...argv, '--env', 'staging'], { home, ...options })
  await run(['auth', 'login', '--no-verify', ...urls], { stdin: 'sk_test_12345678' })
  for (const mark of marks) await runCli(['env', 'set', 'staging', mark], { home })
  const keys = () => server.requests.map(({ headers }) => headers['idempotency-key'])
  return { server, run, keys }
}

describe('an environment that is set --idempotent', () => {
  test('repeats a change with the key of its first attempt', async () => {
    const answers = [drops, { status: 409 }, { status: 201, json: pet }]
    const { server, run, keys } = await staging(answers, '--idempotent')
    expect(await run(add)).toMatchObject({ code: 0 })
    expect(keys()).toEqual(Array(3).fill(expect.stringMatching(/^[\da-f-]{36}$/)))
    expect(new Set(keys()).size).toBe(1)
    expect(new Set(server.requests.map(({ body }) => body)).size).toBe(1)
  })

  test('sends no key with api or a GET, and each message has its own', async () => {
    const answer = { json: { id: 'm', message: 'hi', status: 'sent', createdAt: 'now' } }
    const { run, keys } = await staging(answer, '--idempotent')
    await run(['api', 'POST', '/x'])
    await run(['api', 'GET', '/x'])
    await run(['messages', 'send', 'hi'])
    await run(['messages', 'send', 'hi'])
    expect(keys().slice(0, 2)).toEqual([undefined, undefined])
    expect(new Set(keys().slice(2)).size).toBe(2)
  })
})

describe('--idempotency-key', () => {
  const once = [...add, '--idempotency-key', 'rex-1']

  test('is sent with each attempt, in any environment', async () => {
    const answers = [drops, { status: 503 }, { status: 409 }, { status: 201, json: pet }]
    const { run, keys } = await staging(answers)
    expect(await run(once)).toMatchObject({ code: 0 })
    expect(keys()).toEqual(Array(4).fill('rex-1'))
  })

  test.each<[last: Answer, code: number]>([
    [{ status: 422 }, 3],
    [{ status: 401 }, 10]
  ])('may have been sent before: %j ends with %i', async (last, code) => {
    const { run } = await staging(last)
    const end = await run([...once, '--retries', '0'])
    expect(end.code).toBe(code)
    const { message, retryable } = errorOf(end.stderr)
    expect([message.endsWith('with the same key, is safe to run again'), retryable]).toEqual(
      code === 10 ? [true, true] : [false, false]
    )
  })

  test.each(['', 'ü', 'a\nb'])('%j is refused', async key => {
    const { server, run } = await staging({})
    expect((await run([...add, '--idempotency-key', key])).code).toBe(2)
    expect(server.connections()).toBe(0)
  })
})

test('elsewhere a change in doubt is not repeated, and the message names the setting', async () => {
  const { run, keys } = await staging([drops])
  const { code, stderr } = await run(add)
  expect([code, keys()]).toEqual([10, [undefined]])
  expect(errorOf(stderr)).toMatchObject({
    retryable: false,
    hint: 'petstore pets list --name=Rex --category-id 2 --env staging',
    message: expect.stringContaining("'petstore env set staging --idempotent'")
  })
})

test.each([{ name: 'Max' }, { categoryId: 3 }])(
  'a reply about a pet with %j is doubt',
  async field => {
    const { run } = await staging({ status: 201, json: { ...pet, ...field } })
    const { code, stdout, stderr } = await run(add)
    expect([code, stdout]).toEqual([10, ''])
    const problem = '/v1/pets: it does not fit the request (201); the request may'
    expect(errorOf(stderr).message).toContain(problem)
  }
)

/** The first example of each command for one pet or message. */
const changesOfOneThing = leavesOf(program)
  .filter(({ notes }) => notes.changes === 'service' && notes.columns?.noun)
  .map(each => examplesIn(each)[0]?.[0].replace('petstore ', '') ?? '')

describe('where only reading is allowed', () => {
  test.each([
    ...changesOfOneThing,
    'api POST /pets',
    'api DELETE /pets/1',
    'pets import - --format ndjson'
  ])('%s is refused before anything is sent, by the mark and by the variable', async line => {
    const { server, run } = await staging({}, '--read-only')
    const argv = wordsOf(line)
    const stdin = '{"name":"Rex","categoryId":1}\n'
    const marked = await run(argv, { stdin })
    expect(marked).toMatchObject({ code: 2, stdout: '' })
    expect(errorOf(marked.stderr).message).toMatch(/^'staging' is set --read-only: /)
    const env = { PETSTORE_READ_ONLY: '1' }
    const local = await runCli([...argv, '--env', 'local'], { stdin, env })
    expect(local).toMatchObject({ code: 2, stdout: '' })
    expect(errorOf(local.stderr).message).toMatch(/^PETSTORE_READ_ONLY is set: /)
    expect(server.connections()).toBe(0)
  })

  test('reading works, and a dry run', async () => {
    const { run } = await staging({ json: [] }, '--read-only')
    expect(await run(['pets', 'list'])).toMatchObject({ code: 0 })
    expect(await run(['api', 'HEAD', '/pets'])).toMatchObject({ code: 0 })
    expect(await run(['auth', 'status'])).toMatchObject({ code: 0 })
    expect(await run([...add, '--dry-run'])).toMatchObject({ code: 0 })
  })
})
