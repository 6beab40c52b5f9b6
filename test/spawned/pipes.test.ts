import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { recordingServer } from '../support/recording-server.ts'
import { cleanEnvironment, programWords, spawnCli, startCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

const run = promisify(execFile)

async function service(json: unknown = [{ id: 1, name: 'Rex', categoryId: 2, status: 'sold' }]) {
  const server = await recordingServer({ json })
  return { PETSTORE_API_KEY: 'sk_test_12345678', PETSTORE_BASE_URL: server.url }
}

/** Five megabytes of pets. */
const name = 'x'.repeat(50_000)
const many = Array.from({ length: 99 }, (_, id) => ({ id, name, categoryId: 2 }))

/** Runs a line of bash in which `petstore` is the built program. */
async function bash(line: string, env: Record<string, string> = {}) {
  const script = `set -uo pipefail\npetstore() { ${programWords} "$@"; }\n${line}`
  const options = { env: cleanEnvironment(temporaryDirectory(), env), maxBuffer: 1e8 }
  const { code, stdout, stderr } = await run('bash', ['-c', script], options).then(
    done => ({ code: 0, ...done }),
    failed => failed
  )
  return { code, stdout, stderr }
}

test.each([
  ['petstore pets list | head -1', '[\n'],
  ['petstore pets list -o csv | head -1', 'id,name,categoryId,status\r\n'],
  ['petstore api GET /pets | head -c 1', '['],
  ['petstore --help | true', '']
])('%s ends silently with 0', async (line, stdout) => {
  const end = await bash(`${line}; echo "\${PIPESTATUS[0]}"`, await service(many))
  expect(end).toEqual({ code: 0, stdout: `${stdout}0\n`, stderr: '' })
})

test('a slow reader receives all of five megabytes', async () => {
  const running = startCli(['pets', 'list'], { env: await service(many) })
  await once(running.child.stdout, 'data')
  running.child.stdout.pause()
  // A pipe holds only a small part, so the first run waits while the second one finishes.
  await spawnCli(['--version'])
  expect(running.child.exitCode).toBeNull()
  running.child.stdout.resume()
  const { code, stdout } = await running.finished
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toEqual(many)
})

const full = 'standard output cannot be written: no space left on device'

describe('an output that cannot be written', () => {
  test.each([
    ['petstore pets list > /dev/full', full],
    ['petstore --help > /dev/full', full],
    ['petstore pets list 1< /dev/null', 'bad file descriptor']
  ])('%s exits with 9 and gives the reason', async (line, words) => {
    const { code, stdout, stderr } = await bash(line, await service())
    expect({ code, stdout }).toEqual({ code: 9, stdout: '' })
    expect(stderr).toContain(words)
    expect(stderr).not.toContain('but the result')
  })

  test.each([
    ['petstore pets add --name Rex --category-id 2 > /dev/full', 'pet 11 was added', 11],
    [
      `echo '{"name":"Rex","categoryId":2}' | petstore pets import - > /dev/full`,
      '1 row was added',
      undefined
    ],
    [
      'petstore api POST /pets -f name=Rex -F categoryId=1 > /dev/full',
      'the POST request succeeded',
      undefined
    ]
  ])('%s says that the change was made', async (line, done, id) => {
    const { code, stderr } = await bash(line, { PETSTORE_ENV: 'local' })
    const { error } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '')
    const message = expect.stringContaining(`${full}, but ${done}`)
    expect({ code, ...error }).toMatchObject({ code: 'local', message, changed: true, exitCode: 9 })
    expect(error.id).toBe(id)
  })

  test.each(['2>&-', '2>/dev/full', '2</dev/null'])(
    'with stderr %s the data and the exit code are the same',
    async closed => {
      const line = `petstore pets list -v --jq '.[].id' ${closed} && petstore pets list --limit x ${closed}`
      expect(await bash(line, await service())).toMatchObject({ code: 2, stdout: '1\n' })
    }
  )
})

test('api prints the reply byte for byte', async () => {
  const bytes = Array.from({ length: 256 }, (_, byte) => byte)
  const server = await recordingServer({ body: Buffer.from(bytes) })
  const env = { PETSTORE_API_KEY: 'sk_test_12345678', PETSTORE_BASE_URL: server.url }
  const { stdout } = await bash('petstore api GET /x | od -An -v -tu1', env)
  expect(stdout.trim().split(/\s+/).map(Number)).toEqual(bytes)
})
