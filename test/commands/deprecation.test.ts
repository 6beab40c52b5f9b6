import { expect, test } from 'vitest'
import { recordingServer } from '../support/recording-server.ts'
import { runCli } from '../support/run-cli.ts'

const pet = { id: 7, name: 'Rex', categoryId: 2 }

test.each([
  ['2030-12-01T12:00:00Z', 'will be removed on 5 December 2030 (4 days left)'],
  ['2030-12-04T12:00:00Z', 'will be removed on 5 December 2030 (1 day left)'],
  ['2030-12-05T00:00:00Z', 'was removed on 5 December 2030;'],
])('on %s, fetching one pet %s', async (day, words) => {
  const headers = { deprecation: '@1764892800', sunset: 'Thu, 05 Dec 2030 00:00:00 GMT' }
  const server = await recordingServer({ json: pet, headers })
  const env = { PETSTORE_API_KEY: 'sk_test_12345678', PETSTORE_BASE_URL: server.url }
  const { stderr } = await runCli(['pets', 'get', '7'], { env, now: new Date(day) })
  expect(JSON.parse(stderr)).toEqual({ notice: { code: 'deprecated', message: expect.stringContaining(words) } })
})
