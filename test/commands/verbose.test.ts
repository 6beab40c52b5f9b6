import { expect, test } from 'vitest'
import { runCli } from '../support/run-cli.ts'
import { key, service } from './service.ts'

const pets = [{ id: 7, name: 'Rex', categoryId: 2 }]

test.each([
  [['-v'], {}],
  [['-qv'], {}],
  [[], { PETSTORE_DEBUG: '1' }]
])('%j with %j shows the request and the reply on stderr', async (options, extra) => {
  const { server, env } = await service({ json: pets })
  const argv = ['pets', 'list', '-o', 'csv', ...options]
  const run = await runCli(argv, { env: { ...env, ...extra } })
  expect(run.stdout).toBe('id,name,categoryId,status\r\n7,Rex,2,\r\n')
  const lines = run.stderr.split('\n')
  expect(lines).toContain(`> GET ${server.url}/v1/pets?limit=100`)
  expect(lines).toContain('> authorization: Bearer ***')
  expect(run.stderr).toMatch(/^< 200 \(\d+ ms\)$/m)
  expect(lines).toContain(`< ${JSON.stringify(pets)}`)
  expect(run.stderr).not.toContain(key)
})
