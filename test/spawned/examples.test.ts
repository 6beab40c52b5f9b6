import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { examplesOfHelp, examplesOfReadme, runsUntilStopped } from '../support/examples.ts'
import { needs } from '../support/needs.ts'
import { binPath, cleanEnvironment, nodePath } from '../support/spawn-cli.ts'

const key = 'sk_test_0123456789abcdef'
const machine = mkdtempSync(join(tmpdir(), 'petstore-examples-'))
const homes = { count: 0 }
const service: { url: string; process?: ChildProcess } = { url: '' }

/** A machine on which production and staging are a service on the loopback, with keys for both, and some files. */
beforeAll(async () => {
  const home = join(machine, 'home')
  for (const directory of ['programs', 'home', 'home/here']) mkdirSync(join(machine, directory))
  symlinkSync(binPath, join(machine, 'programs', 'petstore'))
  const files = {
    'key.txt': `${key}\n`,
    'pet.json': '{"name":"Rex","categoryId":2}',
    'animals.json': '[{"name":"Rex","categoryId":2}]',
    'animals.ndjson': '{"name":"Rex","categoryId":2}\n{"name":"Ina","categoryId":3,"status":"sold"}\n',
    'animals.csv': 'name,categoryId\nRex,2\n',
    'pets.ndjson': '{"name":"Rex","categoryId":2}\n',
    'pets.csv': 'name,categoryId\nRex,2\n',
    'message.txt': 'Do you have a parrot?\n',
  }
  for (const [name, content] of Object.entries(files)) writeFileSync(join(home, 'here', name), content)

  const served = spawn(nodePath, [binPath, 'serve', '--port', '0', '--json', '--data', ':memory:', '--quiet'], {
    env: { ...environment(home), PETSTORE_API_KEY: key },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  service.process = served
  const [ready] = await new Promise<Buffer[]>((resolve) => served.stdout.once('data', (...chunks) => resolve(chunks)))
  service.url = JSON.parse(String(ready)).messagesUrl
  for (const name of ['production', 'staging']) {
    const addresses = `--base-url ${service.url}/v1 --messages-url ${service.url}`
    const setUp = `petstore auth login --env ${name} ${addresses} && petstore env use production`
    expect(await run(setUp, home)).toMatchObject({ code: 0 })
  }
})

afterAll(async () => {
  const ended = new Promise((resolve) => service.process?.once('close', resolve))
  service.process?.kill('SIGTERM')
  await ended
  rmSync(machine, { recursive: true, maxRetries: 5 })
})

describe.each([
  ['help', examplesOfHelp()],
  ['the README', examplesOfReadme()],
])('every example of %s works as it is printed', (_, examples) => {
  for (const { source, text: example } of examples) {
    needs(...programsIn(example))(source, () => {
      test.concurrent(example, async ({ expect }) => {
        const { code, stderr } = await run(await onThisMachine(example), freshHome())
        expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('error:') })
      })
    })
  }
})

describe('an example that does not work', () => {
  test.each([
    ['petstore pets lst', 2],
    ['petstore pets list --env nowhere | cat', 2],
    ['petstore serve --port x', 2],
  ])('%s is found', async (example, code) => {
    expect((await run(await onThisMachine(example), freshHome())).code).toBe(code)
  })
})

function freshHome(): string {
  homes.count += 1
  const home = join(machine, `home-${homes.count}`)
  cpSync(join(machine, 'home'), home, { recursive: true })
  return home
}

const programsIn = (example: string) => [
  ...['jq', 'curl'].filter((program) => new RegExp(`(^|\\| )${program} `, 'm').test(example)),
  ...(isForFish(example) ? ['fish'] : []),
]

const isForFish = (example: string) => /\| source( |$)/m.test(example)

/** Examples name hosts that are not there, and a port that may be taken. */
async function onThisMachine(example: string): Promise<string> {
  return example
    .replaceAll('https://HOST', service.url)
    .replaceAll(/https:\/\/[a-z.]+\.example/g, service.url)
    .replaceAll('=…', `=${key}`)
    .replaceAll('4010', String(await freePort()))
    .replace(/^(petstore serve)(?!.*--port)/m, '$1 --port 0')
}

async function run(script: string, home: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const shell = isForFish(script)
    ? ['fish', '--no-config', '-c', script]
    : ['bash', '-c', `set -euo pipefail\n${script}`]
  const child = spawn(shell[0] as string, shell.slice(1), {
    cwd: join(home, 'here'),
    env: environment(home),
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  child.stdin.on('error', () => {})
  child.stdin.end(`${key}\n`)
  let isStopped = false
  child.stdout.once('data', () => {
    if (!runsUntilStopped(script)) return
    isStopped = true
    process.kill(-(child.pid as number), 'SIGINT')
  })
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [code, stdout, stderr] = await Promise.all([closed, text(child.stdout), text(child.stderr)])
  return { code: isStopped ? 0 : code, stdout, stderr }
}

function environment(home: string): NodeJS.ProcessEnv {
  return { ...cleanEnvironment(home), PATH: `${join(machine, 'programs')}:${process.env.PATH}` }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
