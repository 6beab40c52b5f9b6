import { expect, test } from 'vitest'
import { recordingServer } from '../support/recording-server.ts'
import { runCli } from '../support/run-cli.ts'

const headers = {
  deprecation: '@1764892800',
  sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
  link: '</v2/pets>; rel="successor-version"',
}
const pet = { id: 7, name: 'Rex', categoryId: 2 }
const now = new Date('2030-12-01T12:00:00Z')

async function service(answer: { status?: number; json: unknown }) {
  const server = await recordingServer({ ...answer, headers })
  return { PETSTORE_API_KEY: 'sk_test_12345678', PETSTORE_BASE_URL: server.url, PETSTORE_MESSAGES_URL: server.url }
}

const noticesOf = (stderr: string) =>
  stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).notice)
    .filter((notice) => notice?.code === 'deprecated')

test.each<[argv: string[], json: unknown, words: string]>([
  [['pets', 'list'], [pet], 'GET /pets is deprecated and will be removed on 5 December 2030 (4 days left); /v2/pets'],
  [['pets', 'add', '--name', 'Rex', '--category-id', '2'], pet, 'POST /pets is deprecated'],
  [['pets', 'get', '7'], pet, '4 days left'],
  [
    ['messages', 'send', 'x'],
    { id: 'm', message: 'x', status: 'sent', createdAt: 'now' },
    'POST /messages is deprecated',
  ],
])('%j prints one notice from the headers of the reply', async (argv, json, words) => {
  const { code, stderr } = await runCli(argv, { env: await service({ json }), now })
  expect(code).toBe(0)
  expect(noticesOf(stderr)).toEqual([{ code: 'deprecated', message: expect.stringContaining(words) }])
  expect((await runCli([...argv, '-q'], { env: await service({ json }), now })).stderr).toBe('')
})

test('an error reply can cause a notice too, and a run prints one notice for each deprecated operation', async () => {
  const server = await recordingServer(({ path }) =>
    path.startsWith('/pets/')
      ? { status: 410, json: { code: 'gone', message: 'gone', status: 410 }, headers }
      : { json: [pet], headers: { deprecation: 'true' } },
  )
  const env = { PETSTORE_API_KEY: 'sk_test_12345678', PETSTORE_BASE_URL: server.url }
  const { code, stderr } = await runCli(['pets', 'get', '8'], { env, now })
  expect(code).toBe(5)
  expect(server.requests.length).toBeGreaterThan(2)
  expect(noticesOf(stderr).map(({ message }) => message)).toEqual([
    expect.stringContaining('fetching a pet by its id'),
    'GET /pets is deprecated',
  ])
})

test.each([
  ['2030-12-01T12:00:00Z', 'will be removed on 5 December 2030 (4 days left)'],
  ['2030-12-04T12:00:00Z', 'will be removed on 5 December 2030 (1 day left)'],
  ['2030-12-05T00:00:00Z', 'was removed on 5 December 2030;'],
])('on %s, fetching one pet %s', async (day, words) => {
  const { stderr } = await runCli(['pets', 'get', '7'], { env: await service({ json: pet }), now: new Date(day) })
  expect(noticesOf(stderr)).toEqual([{ code: 'deprecated', message: expect.stringContaining(words) }])
})
