import { expect, test } from 'vitest'
import { runCli } from '../support/run-cli.ts'
import { errorOf, service } from './service.ts'

// What every status means is in client/retry-policy.test.ts, for whole runs in
// spawned/faults.test.ts.
test.each([
  ['pets list', 'list the pets'],
  ['pets add --name Rex --category-id 2', 'add the pet']
])('%s: an error has code, status and the words of the service', async (line, what) => {
  const json = { code: 'made_up', message: 'a made-up error', status: 400 }
  const { server, env } = await service({ status: 400, json })
  const argv = line.split(' ')
  const run = await runCli(argv, { env })
  expect(run).toMatchObject({ code: 3, stdout: '' })
  expect(errorOf(run.stderr)).toEqual({
    code: 'rejected',
    exitCode: 3,
    status: 400,
    serviceCode: 'made_up',
    retryable: false,
    hint: `petstore ${argv.slice(0, 2).join(' ')} --help`,
    message: expect.stringMatching(`refused to ${what} at .*: a made-up error$`)
  })
  expect(server.requests).toHaveLength(1)
})

test.each<[line: string, variables: Record<string, string>, code: number, words: string]>([
  ['pets get 9223372036854775808', {}, 2, 'it has more than 64 bits'],
  ['pets list', { PETSTORE_RETRIES: '-1' }, 2, 'PETSTORE_RETRIES'],
  ['pets list', { PETSTORE_API_KEY: '' }, 4, "no API key is saved for 'production'"],
  ['pets list', { PETSTORE_BASE_URL: '' }, 9, 'no base URL is set']
])('%s with %j ends with %i before anything is sent', async (line, variables, code, words) => {
  const { server, env } = await service()
  const run = await runCli(line.split(' '), { env: { ...env, ...variables } })
  expect(run).toMatchObject({ code, stdout: '' })
  expect(errorOf(run.stderr)).toMatchObject({ exitCode: code, retryable: false })
  expect(errorOf(run.stderr).message).toContain(words)
  expect(server.connections()).toBe(0)
})
