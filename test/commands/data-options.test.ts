import { expect, test } from 'vitest'
import { rowsOf } from '../cli/typing.ts'
import { runCli } from '../support/run-cli.ts'
import { service } from './service.ts'

const big = '9007199254740993'
const pet = `{"id":${big},"name":"Rex","categoryId":-${big},"status":"sold","age":7}`

test.each([
  ['pets get 1 --env local --fields id -o ndjson', '{"id":1}\n'],
  ['env list --fields name -o tsv', 'production\nstaging\nlocal\n'],
  ['messages send x --env local --fields message -o tsv', 'x\n']
])('%s prints only these fields', async (line, text) => {
  expect((await runCli(line.split(' '))).stdout).toBe(text)
})

const misuses = rowsOf(`
pets list --fields id,colour => 'colour'
pets list --fields constructor => 'constructor'
pets list --fields id,,name => separated by commas
auth token --fields id => --fields
auth token --jq . => --jq
pets list --jq . -o csv => --jq
pets list --jq .[ => syntax error
pets add --name Rex --category-id 2 --jq nosuch => nosuch/0 is not defined
pets list --int64 string -o csv => csv
pets list --int64 number => string
auth status --jq .[ => syntax error
doctor --int64 string -o table => table
`)

test.each(misuses)('%s is a usage error, and nothing is sent', async (line, words) => {
  const { server, env } = await service({ body: `[${pet}]` })
  const { code, stdout, stderr } = await runCli(line.split(' '), { env })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(words)
  expect(server.connections()).toBe(0)
})

test.each([
  [['--jq', '.[]|{id,categoryId}'], `{"id":${big},"categoryId":-${big}}\n`],
  [['--json', '--jq', 'length'], '1\n'],
  [['--jq', '.[]|keys_unsorted|@csv', '--fields', 'status,id'], '"status","id"\n'],
  [['--jq', '.[]|.id,.age', '--int64', 'string'], `${big}\n7\n`]
])('%j', async (options, stdout) => {
  const env = { ...(await service({ body: `[${pet}]` })).env, PETSTORE_OUTPUT: 'csv' }
  expect(await runCli(['pets', 'list', ...options], { env })).toEqual({
    code: 0,
    stdout,
    stderr: ''
  })
})
