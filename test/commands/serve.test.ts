import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { rowsOf } from '../cli/typing.ts'
import { ctrlC, runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { errorOf } from './service.ts'

type Options = Parameters<typeof runCli>[1]

interface Reach {
  readonly url: string
  readonly messagesUrl: string
  readonly apiKey: string
}

/** Serves until the work is done. Returns what the run printed. */
async function serve(
  argv: readonly string[],
  work: (reach: Reach) => Promise<unknown> = async () => {},
  options: Options = {}
) {
  const act = async (output: string) => {
    await work(JSON.parse(output))
    return ctrlC()
  }
  return runCli(['serve', '--port', '0', '--json', ...argv], { ...options, steps: [['\n', act]] })
}

const ask = ({ messagesUrl, apiKey }: Reach, path: string, method = 'GET') =>
  fetch(messagesUrl + path, { method, headers: { authorization: `Bearer ${apiKey}` } })

const petsAt = async (reach: Reach) => (await ask(reach, '/v1/pets?limit=100')).json()

describe('serve prints how to reach the service', () => {
  test('as one line of JSON, and replies there until a signal', async () => {
    let pets: unknown
    const { code, stdout } = await serve([], async reach => {
      pets = await petsAt(reach)
    })
    expect(code).toBe(0)
    expect(pets).toHaveLength(10)
    const { url, messagesUrl, apiKey, ...rest } = JSON.parse(stdout)
    expect(messagesUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect([url, rest]).toEqual([`${messagesUrl}/v1`, {}])
    expect(apiKey).toMatch(/^\S{16,}$/)
  })

  const inTerminal = (env = {}) =>
    runCli(['serve', '--port', '0', '--empty'], {
      env,
      terminal: { stdout: true },
      columns: 200,
      steps: [['Bearer', ctrlC]]
    })

  test('in a terminal with the page and a curl command', async () => {
    const { stdout } = await inTerminal()
    const [, origin, key] = /\n {2}(http:\S+)\/#key=(\S+)\n/.exec(stdout) ?? []
    expect(stdout).toContain(`\n  curl -H "Authorization: Bearer ${key}" ${origin}/v1/pets`)
    expect(stdout).toContain(`the base URL ${origin}/v1 and the messages URL ${origin}\n`)
  })

  test('without the key if that comes from PETSTORE_API_KEY', async () => {
    const env = { PETSTORE_API_KEY: 'sk_test_12345678' }
    const { stdout } = await inTerminal(env)
    expect(stdout).toMatch(/\n {2}http:\S+\/\n/)
    expect(stdout).toContain('Bearer $PETSTORE_API_KEY"')
    const piped = await serve([], async () => {}, { env })
    expect(Object.keys(JSON.parse(piped.stdout))).toEqual(['url', 'messagesUrl'])
    for (const text of [stdout, piped.stdout, piped.stderr]) expect(text).not.toContain('sk_test')
  })
})

describe('the data', () => {
  test.each([
    ['no option', [], 10, 409],
    ['--empty', ['--empty'], 0, 204],
    ['--pets', ['--pets', 'pets.json'], 2, 204],
    ['--data', ['--data', 'pets.db'], 10, 204],
    ['--data and --empty', ['--data', 'pets.db', '--empty'], 0, 204],
    ['--data with the file of --env local', ['--data', '.config/petstore/local.db'], 10, 409]
  ])('with %s has these pets, and may be reset or not', async (_, argv, count, status) => {
    const home = temporaryDirectory()
    const local = join(home, '.config', 'petstore', 'local.db')
    mkdirSync(dirname(local), { recursive: true })
    const pets = '[{"id":7,"name":"A","categoryId":1},{"name":"B","categoryId":2}]'
    writeFileSync(join(home, 'pets.json'), pets)
    const inHome = argv.map(word => (word.startsWith('--') ? word : join(home, word)))
    const statuses: number[] = []
    const { code } = await serve(
      inHome,
      async reach => {
        expect(await petsAt(reach)).toHaveLength(count)
        statuses.push((await ask(reach, '/_local/reset', 'POST')).status)
      },
      { home }
    )
    expect([code, statuses]).toEqual([0, [status]])
  })
})

test('each request is a line on stderr, and with -q none is', async () => {
  const { stderr } = await serve([], petsAt)
  expect(JSON.parse(stderr).notice.message).toMatch(/^GET \/v1\/pets\?limit=100 200 \d+ ms$/)
  expect((await serve(['-q'], petsAt)).stderr).toBe('')
})

test('--fail-first fails this many requests as --fail-with says', async () => {
  const statuses: number[] = []
  await serve(['--fail-first', '2', '--fail-with', '500'], async reach => {
    for (let times = 0; times < 3; times += 1) statuses.push((await ask(reach, '/v1/pets')).status)
  })
  expect(statuses).toEqual([500, 500, 200])
})

const misuses = rowsOf(`
--port 65536 => 65535
--latency 1.5 => latency
--fail 1.01 => 0 to 1
--fail 0.1 --fail-with 200 => 400 to 599
--fail 0.1 --fail-with explode => drop or stall
--fail-with drop => --fail
--seed 7 => --fail
--fail-first 0 => 1
--fail-first 2 --fail 0.1 => --fail
--pets x.json --empty => --empty
--pets missing.json => missing.json cannot be read
--data= => invalid data '': use the path of a file
--host= => invalid host '': use an address
--env staging => --env
`)

test.each(misuses)('serve %s exits with 2', async (options, message) => {
  const run = await runCli(['serve', ...options.split(' ')])
  expect(run).toMatchObject({ code: 2, stdout: '' })
  expect(errorOf(run.stderr).message).toContain(message)
})

describe('a problem on this machine exits with 9', () => {
  test.each(['0.0.0.0', '::', '192.0.2.1'])('--host %s without a key', async host => {
    const run = await runCli(['serve', '--host', host, '--port', '0'])
    expect(run).toMatchObject({ code: 9, stdout: '' })
    expect(errorOf(run.stderr).message).toContain('set PETSTORE_API_KEY first')
  })

  test('a port that is in use; the hint keeps the other options', async () => {
    await serve(['--empty'], async ({ url }) => {
      const { port } = new URL(url)
      const run = await runCli(['serve', '--port', port, '--empty', '--latency', '5'])
      expect(run).toMatchObject({ code: 9, stdout: '' })
      expect(errorOf(run.stderr).hint).toBe('petstore serve --port 0 --empty --latency 5')
    })
  })
})
