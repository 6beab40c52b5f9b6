import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { recordingServer } from '../support/recording-server.ts'
import { cleanEnvironment, programCommand, spawnCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

async function serviceVariables(body: string | Uint8Array) {
  const server = await recordingServer({ body })
  return { PETSTORE_API_KEY: 'sk_test_12345678', PETSTORE_BASE_URL: server.url }
}

test('api prints the reply byte for byte', async () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
  const env = await serviceVariables(bytes)
  const [file = '', ...argv] = [...programCommand, 'api', 'GET', '/x']
  const options = { env: cleanEnvironment(temporaryDirectory(), env), encoding: 'buffer' } as const
  expect((await promisify(execFile)(file, argv, options)).stdout).toEqual(bytes)
})

test('the built program contains jq', async () => {
  const env = await serviceVariables('[{"id":9007199254740993,"name":"Rex","categoryId":2}]')
  const run = await spawnCli(['pets', 'list', '--jq', '.[0]|.id,.name'], { env })
  expect(run).toMatchObject({ code: 0, stdout: '9007199254740993\nRex\n', stderr: '' })
})
