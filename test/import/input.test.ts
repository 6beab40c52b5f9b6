import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { recordingServer } from '../support/recording-server.ts'
import { ctrlC, runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

const head = 'name,categoryId\n'

/** Checks an input, and returns its error or its results. */
async function check(name: string, input: string, ...words: string[]) {
  const path = join(temporaryDirectory(), name)
  writeFileSync(path, input)
  const argv = ['pets', 'import', path, '--env', 'local', '--check', ...words]
  const { code, stdout, stderr } = await runCli(argv)
  const [line = ''] = stderr.split('\n')
  const { error, summary } = JSON.parse(line)
  return { code, stdout, message: error?.message.replace(`${path} `, ''), summary }
}

test.each(['', '\ufeff'])('blank lines in front may be many', async mark => {
  const blank = '\r\n'.repeat(20_000)
  expect(await check('pets.csv', `${mark}${blank}name;categoryId\r\nRex;x\r\n`)).toMatchObject({
    code: 8,
    stdout: expect.stringContaining('"line":20002,"outcome":"invalid"')
  })
  expect(await check('pets.csv', mark + blank)).toMatchObject({ code: 2, message: 'is empty' })
})

test.each([
  ['[{"name":"Rex","categoryId":2}]', 'json'],
  ['\ufeff {"name":"Rex","categoryId":2}', 'ndjson']
])('JSON that is named .csv is refused in plain words', async (input, format) => {
  const message = `is JSON and not CSV: use --format ${format}`
  expect(await check('pets.csv', input)).toMatchObject({ code: 2, message })
  expect(await check('pets.csv', input, '--format', format)).toMatchObject({ code: 0 })
})

test('quotes that are never closed are refused before anything is sent', async () => {
  const path = join(temporaryDirectory(), 'pets.csv')
  writeFileSync(path, `${head}${'Rex,2\n'.repeat(5000)}"Rex,2\n${'Rex,2\n'.repeat(5000)}`)
  const server = await recordingServer({ status: 201, json: {} })
  const env = { PETSTORE_API_KEY: 'sk_test_1', PETSTORE_BASE_URL: `${server.url}/v1` }
  const { code, stderr } = await runCli(['pets', 'import', path], { env })
  expect([code, server.requests]).toEqual([2, []])
  expect(stderr).toContain('the quotes that open in line 5002 are never closed')
})

test('Ctrl-C ends a check of a large array at once', async () => {
  const path = join(temporaryDirectory(), 'pets.json')
  writeFileSync(path, `[${'0,'.repeat(99_999)}0]`)
  const argv = ['pets', 'import', path, '--env', 'local', '--check']
  const { code, stdout } = await runCli(argv, { steps: [['"line":1,', ctrlC]] })
  expect(code).toBe(130)
  expect(stdout.split('\n').length).toBeLessThan(10_000)
})

test('rejects have the line ends of the input', async () => {
  const rejects = join(temporaryDirectory(), 'bad.csv')
  await check('pets.csv', 'name,categoryId\rRex,x\r\rIna,2\rMax,y', '--rejects', rejects)
  expect(readFileSync(rejects, 'utf8')).toBe('name,categoryId\rRex,x\rMax,y\r')
})
