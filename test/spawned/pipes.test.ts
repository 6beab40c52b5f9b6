import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { needs } from '../support/needs.ts'
import { recordingServer } from '../support/recording-server.ts'
import { cleanEnvironment, programCommand, programWords, spawnCli, startCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { openTerminal } from '../support/terminal.ts'

const run = promisify(execFile)

async function service(json: unknown = [{ id: 1, name: 'Rex', categoryId: 2, status: 'sold' }]) {
  const server = await recordingServer({ json })
  return { PETSTORE_API_KEY: 'sk_test_12345678', PETSTORE_BASE_URL: server.url }
}

/** Five megabytes of pets. */
const many = Array.from({ length: 100 }, (_, index) => ({ id: index, name: 'x'.repeat(50_000), categoryId: 2 }))

/** Runs a line of bash in which `petstore` is the built program. */
async function bash(line: string, env: Record<string, string> = {}) {
  const script = `set -uo pipefail\npetstore() { ${programWords} "$@"; }\n${line}`
  const options = { env: cleanEnvironment(temporaryDirectory(), env), maxBuffer: 1e8 }
  const { code, stdout, stderr } = await run('bash', ['-c', script], options).then(
    (done) => ({ code: 0, ...done }),
    (failed) => failed,
  )
  return { code, stdout, stderr }
}

describe('a reader that closes the pipe', () => {
  test.each([
    ['json', 'petstore pets list | head -1', '[\n'],
    ['csv', 'petstore pets list -o csv | head -1', 'id,name,categoryId,status\r\n'],
    ['jq', `petstore pets list --jq '.[].id' | head -1`, '0\n'],
    ['api', 'petstore api GET /pets | head -c 1', '['],
  ])('ends %s silently with 0 in the middle of five megabytes', async (_what, line, stdout) => {
    expect(await bash(`${line}; echo "\${PIPESTATUS[0]}"`, await service(many))).toEqual({
      code: 0,
      stdout: `${stdout}${stdout.endsWith('\n') ? '' : ''}0\n`,
      stderr: expect.not.stringMatching(/EPIPE|error/),
    })
  })

  test.each([
    'petstore --help | true',
    'petstore help exit-codes | true',
    'petstore commands | true',
    'petstore completion bash | true',
  ])('%s', async (line) => {
    expect(await bash(line)).toEqual({ code: 0, stdout: '', stderr: '' })
  })
})

describe('an output that cannot be written', () => {
  test.each([
    'petstore pets list',
    `petstore pets list --jq '.[].id'`,
    'petstore api GET /pets',
    'petstore --help',
    'petstore --version',
  ])('%s > /dev/full exits with 9 and gives the reason', async (line) => {
    const { code, stdout, stderr } = await bash(`${line} > /dev/full`, await service())
    expect({ code, stdout }).toEqual({ code: 9, stdout: '' })
    expect(stderr).toContain('standard output cannot be written: no space left on device')
  })

  test('a stdout that is read-only exits with 9', async () => {
    const { code, stderr } = await bash('petstore pets list 1< /dev/null', await service())
    expect(code).toBe(9)
    expect(stderr).toContain('bad file descriptor')
  })

  test('a closed stdout is ignored, because Node replaces it with /dev/null', async () => {
    expect(await bash('petstore pets list >&-', await service())).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  test.each(['2>&-', '2>/dev/full', '2</dev/null'])(
    'with stderr %s the data and the exit code are the same',
    async (closed) => {
      const env = await service()
      expect(await bash(`petstore pets list -v --jq '.[].id' ${closed}`, env)).toMatchObject({ code: 0, stdout: '1\n' })
      expect(await bash(`petstore pets list --limit x ${closed}`, env)).toMatchObject({ code: 2, stdout: '' })
    },
  )
})

test.each([
  `petstore pets add --name $'caf\\xe9' --category-id 1`,
  `petstore messages send $'caf\\xe9'`,
  `petstore pets lst $'\\xff'`,
])('an argument that is not UTF-8 is a usage error, and nothing is sent: %s', async (line) => {
  const server = await recordingServer({ json: {} })
  const env = { PETSTORE_API_KEY: 'sk_test_12345678', PETSTORE_BASE_URL: server.url, PETSTORE_MESSAGES_URL: server.url }
  const { code, stdout, stderr } = await bash(line, env)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain('an argument is not UTF-8 text')
  expect(server.requests).toHaveLength(0)
})

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
    // A pipe holds only a small part, so the first run waits for its reader while the second one finishes.
    await spawnCli(['--version'])
    expect(running.child.exitCode).toBeNull()
    running.child.stdout.resume()
    const { code, stdout } = await running.finished
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual(many)
  })
})

describe('standard input', () => {
  test.each(['< /dev/null', '<&-'])('%s does not affect a command that does not read it', async (input) => {
    expect(await bash(`petstore pets list --jq length ${input}`, await service())).toMatchObject({
      code: 0,
      stdout: '1\n',
    })
  })

  test.each(['< /dev/null', '<&-'])(
    '%s is an empty input, and a usage error for a command that reads it',
    async (input) => {
      for (const line of [
        'messages send',
        'pets add --file -',
        'pets add',
        'auth login --base-url https://pets.example/v1 --no-verify',
      ]) {
        const { code, stdout, stderr } = await bash(`petstore ${line} ${input}`)
        expect({ code: line.startsWith('auth') ? 4 : 2, stdout: '' }, line).toEqual({ code, stdout })
        expect(stderr).toContain('"error"')
      }
    },
  )
})

test('FORCE_COLOR does not color JSON in a pipe', async () => {
  const env = { ...(await service()), FORCE_COLOR: '1' }
  expect(await bash("petstore pets list | node -e 'JSON.parse(fs.readFileSync(0))'", env)).toMatchObject({ code: 0 })
})

const alignedNames = [
  'Rex',
  '日本語の猫',
  '고양이',
  '🐶 and 🐈',
  'éclair',
  'e\u0301clair',
  'x'.repeat(90),
  '犬'.repeat(60),
]
const aligned = alignedNames.map((name, index) => ({ id: index + 1, name, categoryId: 2, status: 'sold' }))

needs('tmux')('in a real terminal', () => {
  const petstore = (...argv: string[]) => ['sh', '-c', '"$@"; echo done; read -r _', 'sh', ...programCommand, ...argv]

  test.each([
    ['by default', {}, true],
    ['with NO_COLOR', { NO_COLOR: '1' }, false],
    ['with TERM=dumb', { TERM: 'dumb' }, false],
  ])('%s: %j, color %s', async (_what, extra, isColored) => {
    const env = { ...(await service()), ...extra }
    const under = 'TERM' in extra ? ['env', `TERM=${extra.TERM}`] : []
    const terminal = await openTerminal([...under, ...petstore('pets', 'list')], { env })
    await terminal.waitFor('done')
    expect((await terminal.screen({ withEscapes: true })).includes('\u001b[')).toBe(isColored)
  })

  test.each([20, 80])('a table of %i columns fits and is aligned', async (columns) => {
    const terminal = await openTerminal(petstore('pets', 'list', '--limit', '100'), {
      env: await service(aligned),
      columns,
      rows: 30,
    })
    await terminal.waitFor('done')
    const rows = (await terminal.rows()).slice(0, -1)
    // A row that does not fit would wrap into two lines.
    expect(rows).toHaveLength(aligned.length + 1)
    const ends = rows.map((row) => stringWidth(row.trimEnd()))
    expect(Math.max(...ends)).toBeLessThanOrEqual(columns)
    const [header = '', ...cells] = rows
    const column = header.lastIndexOf('  ') + 2
    for (const row of cells) {
      const [status = ''] = /\S+$/.exec(row.trimEnd()) ?? []
      expect(stringWidth(row.trimEnd()) - stringWidth(status), row).toBe(column)
    }
  })
})

describe('a result that cannot be printed', () => {
  const full = 'standard output cannot be written: no space left on device'
  const add = 'petstore api POST /pets -f name=Rex -F categoryId=1'

  test.each([
    ['petstore pets add --name Rex --category-id 2 > /dev/full', 'pet 11 was added', full],
    ['petstore messages send hi > /dev/full', 'message 1 was sent', full],
    ['printf \'%s\' \'[{"name":"Rex","categoryId":2}]\' | petstore pets import - > /dev/full', '1 row was added', full],
    [`${add} > /dev/full`, 'the POST request succeeded', full],
    [`${add} --jq 'error("x")'`, 'the POST request succeeded', '--jq: x'],
    [`petstore pets add --name Rex --category-id 2 --jq 'error("x")'`, 'pet 11 was added', '--jq: x'],
  ])('%s: the error says that the change was made', async (line, done, reason) => {
    const { code, stdout, stderr } = await bash(line, { PETSTORE_ENV: 'local' })
    expect({ code, stdout }).toEqual({ code: 9, stdout: '' })
    const lines = stderr.trimEnd().split('\n')
    const { message, changed, id } = JSON.parse(lines.at(-1) ?? '').error
    expect({ message, changed }).toEqual({
      message: expect.stringContaining(`${done}, but the result cannot be printed: ${reason}`),
      changed: true,
    })
    if (line.startsWith('petstore pets add')) expect(id).toBe(11)
  })

  test.each(['petstore api GET /pets > /dev/full', 'petstore pets list > /dev/full'])(
    '%s changes nothing, and the error mentions no change',
    async (line) => {
      const { code, stderr } = await bash(line, { PETSTORE_ENV: 'local' })
      expect(code).toBe(9)
      expect(stderr).not.toContain('but the result')
    },
  )
})
