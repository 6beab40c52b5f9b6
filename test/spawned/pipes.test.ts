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
const many = Array.from({ length: 100 }, (_, index) => ({
  id: index,
  name: 'x'.repeat(50_000),
  categoryId: 2
}))

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

describe('a reader that closes the pipe', () => {
  test.each([
    ['json', 'petstore pets list | head -1', '[\n'],
    ['csv', 'petstore pets list -o csv | head -1', 'id,name,categoryId,status\r\n'],
    ['jq', `petstore pets list --jq '.[].id' | head -1`, '0\n'],
    ['api', 'petstore api GET /pets | head -c 1', '[']
  ])('ends %s silently with 0 in the middle of five megabytes', async (_what, line, stdout) => {
    expect(await bash(`${line}; echo "\${PIPESTATUS[0]}"`, await service(many))).toEqual({
      code: 0,
      stdout: `${stdout}${stdout.endsWith('\n') ? '' : ''}0\n`,
      stderr: expect.not.stringMatching(/EPIPE|error/)
    })
  })

  test.each(['petstore --help | true', 'petstore commands | true'])('%s', async line => {
    expect(await bash(line)).toEqual({ code: 0, stdout: '', stderr: '' })
  })
})

describe('an output that cannot be written', () => {
  test.each(['petstore pets list', 'petstore --help', 'petstore --version'])(
    '%s > /dev/full exits with 9 and gives the reason',
    async line => {
      const { code, stdout, stderr } = await bash(`${line} > /dev/full`, await service())
      expect({ code, stdout }).toEqual({ code: 9, stdout: '' })
      expect(stderr).toContain('standard output cannot be written: no space left on device')
    }
  )

  test('a stdout that is read-only exits with 9', async () => {
    const { code, stderr } = await bash('petstore pets list 1< /dev/null', await service())
    expect(code).toBe(9)
    expect(stderr).toContain('bad file descriptor')
  })

  test('a closed stdout is ignored, because Node replaces it with /dev/null', async () => {
    expect(await bash('petstore pets list >&-', await service())).toEqual({
      code: 0,
      stdout: '',
      stderr: ''
    })
  })

  test.each(['2>&-', '2>/dev/full', '2</dev/null'])(
    'with stderr %s the data and the exit code are the same',
    async closed => {
      const env = await service()
      const lines = `petstore pets list -v --jq '.[].id' ${closed} && petstore pets list --limit x ${closed}`
      expect(await bash(lines, env)).toMatchObject({ code: 2, stdout: '1\n' })
    }
  )
})

test.each([`petstore pets add --name $'caf\\xe9' --category-id 1`, `petstore pets lst $'\\xff'`])(
  'an argument that is not UTF-8 is a usage error, and nothing is sent: %s',
  async line => {
    const server = await recordingServer({ json: {} })
    const env = {
      PETSTORE_API_KEY: 'sk_test_12345678',
      PETSTORE_BASE_URL: server.url,
      PETSTORE_MESSAGES_URL: server.url
    }
    const { code, stdout, stderr } = await bash(line, env)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('an argument is not UTF-8 text')
    expect(server.requests).toHaveLength(0)
  }
)

test('a directory as standard input is a usage error that says so', async () => {
  const { code, stderr } = await bash('petstore messages send - --env local < /')
  expect(code).toBe(2)
  expect(JSON.parse(stderr).error.message).toBe('standard input cannot be read: it is a directory')
})

test('an argument may contain the replacement character itself', async () => {
  const line = 'petstore pets add --name \ufffd --category-id 1 --env local -q --jq .name'
  expect(await bash(line)).toEqual({ code: 0, stdout: '\ufffd\n', stderr: '' })
})

describe('a slow reader', () => {
  test('receives all of five megabytes', async () => {
    const running = startCli(['pets', 'list'], { env: await service(many) })
    await once(running.child.stdout, 'data')
    running.child.stdout.pause()
    // A pipe holds only a small part, so the first run waits for its reader while the second one
    // finishes.
    await spawnCli(['--version'])
    expect(running.child.exitCode).toBeNull()
    running.child.stdout.resume()
    const { code, stdout } = await running.finished
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual(many)
  })
})

describe('standard input', () => {
  test('that is closed does not affect a command that does not read it', async () => {
    const run = await bash('petstore pets list --jq length <&-', await service())
    expect(run).toMatchObject({ code: 0, stdout: '1\n' })
  })

  test.each(['< /dev/null', '<&-'])(
    '%s is an empty input, and a usage error for a command that reads it',
    async input => {
      const { code, stdout, stderr } = await bash(`petstore messages send --env local ${input}`)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain('"error"')
    }
  )
})

describe('a result that cannot be printed', () => {
  const full = 'standard output cannot be written: no space left on device'
  const add = 'petstore api POST /pets -f name=Rex -F categoryId=1'

  test.each([
    ['petstore pets add --name Rex --category-id 2 > /dev/full', 'pet 11 was added', full],
    ['petstore messages send hi > /dev/full', 'message 1 was sent', full],
    [
      'printf \'%s\' \'[{"name":"Rex","categoryId":2}]\' | petstore pets import - > /dev/full',
      '1 row was added',
      full
    ],
    [`${add} > /dev/full`, 'the POST request succeeded', full]
  ])('%s: the error says that the change was made', async (line, done, reason) => {
    const { code, stdout, stderr } = await bash(line, { PETSTORE_ENV: 'local' })
    expect({ code, stdout }).toEqual({ code: 9, stdout: '' })
    const lines = stderr.trimEnd().split('\n')
    const { message, changed, id } = JSON.parse(lines.at(-1) ?? '').error
    expect({ message, changed }).toEqual({
      message: expect.stringContaining(`${done}, but the result cannot be printed: ${reason}`),
      changed: true
    })
    if (line.startsWith('petstore pets add')) expect(id).toBe(11)
  })

  test('and changed nothing is not said to have changed something', async () => {
    const { code, stderr } = await bash('petstore api GET /pets > /dev/full', {
      PETSTORE_ENV: 'local'
    })
    expect(code).toBe(9)
    expect(stderr).not.toContain('but the result')
  })
})
