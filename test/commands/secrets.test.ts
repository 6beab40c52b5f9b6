import { expect, test } from 'vitest'
import type { Answer } from '../support/recording-server.ts'
import { runCli } from '../support/run-cli.ts'
import { service } from './service.ts'

/** A key in Base64, because many services create such keys. */
const key = 'c2Vjcm+V0K2tleS8xMjM/Zm9vYmFyMTIzNA'

const environmentWith = async (answer: Answer) => ({
  ...(await service(answer)).urls,
  PETSTORE_API_KEY: key
})

test('a key that comes back is masked with --verbose and in the error', async () => {
  // As the text of JSON in JSON, of a service that escapes what HTML does not need.
  const written = key.replaceAll('+', '\\\\u002B').replaceAll('/', '%2f')
  const body = `{"code":"x","message":"key ${written} refused","status":403}`
  const env = await environmentWith({ status: 403, body })
  for (const terminal of [true, false]) {
    const run = await runCli(['pets', 'list', '-v', '--no-color'], { env, terminal })
    expect(run).toMatchObject({ code: 4, stderr: expect.stringContaining('***') })
    expect(run.stderr).not.toMatch(/c2Vjc|MTIzNA/)
  }
})

test('a key that comes back as an id is masked in the outcome of a row', async () => {
  const env = await environmentWith({ status: 201, json: { id: key, name: 'A', categoryId: 1 } })
  const { code, stdout } = await runCli(['pets', 'import', '-'], {
    env,
    stdin: 'name,categoryId\nA,1\n'
  })
  expect(code).toBe(8)
  expect(JSON.parse(stdout).message).toBe("unexpected reply: id '***' is not a whole number")
})

test('what is too long is masked before it is cut', async () => {
  for (const cut of [5, 20, key.length - 1]) {
    const message = `${'x'.repeat(1000 - cut)}${key}${'y'.repeat(1000)}`
    const env = await environmentWith({ status: 400, json: { code: 'x', message, status: 400 } })
    const { stderr } = await runCli(['pets', 'list'], { env })
    expect(stderr).not.toContain(key.slice(0, 5))
    expect(stderr.length).toBeLessThan(1500)
  }
})

/** Each has a password in a URL at a place where it does not belong. */
test.each([
  'env set dev http://u:Hunter22@h.io',
  'messages send hello http://u:Hunter22@h.io --bogus',
  'api GET http://u:Hunter22@h.io',
  'pets import https://u:Hunter22@h/v1 --env local',
  'pets add --file=https://u:Hunter22@h/v1 --env local',
  'serve --data https:/u:Hunter22@h/x/y --port 0',
  'auth login --base-url https://u:Hunter22@h/v1'
])('%s: the password is masked', async line => {
  const { code, stdout, stderr } = await runCli(line.split(' '))
  expect(code).not.toBe(0)
  expect(stdout + stderr).not.toContain('Hunter22')
})

test.each([
  'p4ss/w0rd',
  'p4ss#w0rd',
  'p4ss@w0rd',
  'p4ss:w0rd',
  '1234/w0rd',
  'p4ss%2Fw0rd',
  '%zz/w0rd'
])("the password %s of a proxy or in another variable's URL is never shown", async password => {
  const url = `http://bob:${password}@127.0.0.1:9`
  const PETSTORE_BASE_URL = 'https://pets.invalid/v1'
  const proxied = { PETSTORE_API_KEY: key, PETSTORE_BASE_URL, https_proxy: url }
  for (const env of [proxied, { PETSTORE_ENV: url }, { PETSTORE_BASE_URL: url }])
    for (const line of ['doctor --timeout 1', 'env list', 'pets list -v --timeout 1 --retries 0']) {
      const { stdout, stderr } = await runCli(line.split(' '), { env })
      for (const part of password.split(/[/#?@:%]/).filter(({ length }) => length > 3))
        expect(stdout + stderr).not.toContain(part)
    }
})
