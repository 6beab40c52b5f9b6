import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { program } from '../../src/cli/program.ts'
import { walkTree } from '../../src/cli/tree.ts'
import { examplesIn } from '../../src/commands/declare.ts'
import { plainCommands, runsUntilStopped } from '../support/examples.ts'
import {
  type Answer,
  type Handler,
  type RecordingServer,
  recordingServer
} from '../support/recording-server.ts'
import { ctrlC, runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

/** A key that looks different in JSON and in a URL, and that no other text contains by chance. */
const canary = 'k"4&+/%y'
const forms = [canary, JSON.stringify(canary).slice(1, -1), encodeURIComponent(canary)]

const pet = { id: 7, name: canary, categoryId: 2, status: canary }
const message = { id: canary, message: canary, status: canary, createdAt: canary }
const error = (status: number): Answer => ({
  status,
  headers: { 'www-authenticate': `Bearer ${canary}`, 'retry-after': canary, link: canary },
  json: { code: canary, message: `${forms.join(' ')} is not the key`, status }
})

/** Replies that contain the key in different places. */
const leakyAnswers: Readonly<Record<string, Handler>> = {
  'as data': ({ method, path }) => ({
    status: method === 'POST' ? 201 : 200,
    headers: { deprecation: canary, link: canary },
    json: path.endsWith('/messages') ? message : method === 'POST' ? pet : [pet]
  }),
  'in a refusal': () => error(401),
  'in a rejection': () => error(400),
  'in a failure': () => error(500),
  'as a redirect': () => ({ status: 302, headers: { location: `https://a.example/?k=${canary}` } }),
  'in the wrong place': () => ({ json: [{ id: canary, name: 7, [canary]: canary }] }),
  'as text instead of JSON': () => ({ body: canary }),
  'instead of an HTTP reply': (_request, response) => {
    response.socket?.end(`${canary} ${canary}\r\n${canary}\r\n\r\n`)
    return undefined
  },
  'in half a reply': (_request, response) => {
    response.writeHead(200, { 'content-length': 1000 })
    response.write(canary, () => response.destroy())
    return undefined
  }
}

describe('a key that the service leaks is shown nowhere', () => {
  test('in the examples of all commands', async () => {
    const lines = walkTree(program)
      .flatMap(examplesIn)
      .map(([line]) => line)
      .filter(line => plainCommands(line) !== undefined)
    expect(lines.length).toBeGreaterThan(30)
    const extras = [[], ['--verbose'], ['--dry-run'], [`--api-kye=${canary}`]]
    const server = await recordingServer(() => error(401))
    for (const [index, line] of lines.entries()) {
      const source = index % 2 === 0 ? 'file' : 'variable'
      expect(await leaksOf(server, line, extras[index % extras.length], source)).toEqual([])
    }
    expect(server.requests.length).toBeGreaterThan(5)
  })

  test.each(Object.entries(leakyAnswers))('%s', async (name, answer) => {
    const server = await recordingServer(answer)
    const lines =
      'pets list,pets add --name Rex --category-id 2,messages send hi,auth status,pets get 7'
    for (const [index, line] of lines.split(',').entries()) {
      const source = index % 2 === 0 ? 'variable' : 'file'
      const leaks = await leaksOf(server, `petstore ${line}`, [], source)
      // Data from the service is printed unchanged, even if it contains the key.
      expect(leaks.filter(leak => name !== 'as data' || !leak.includes(': stdout: '))).toEqual([])
    }
    expect(server.requests.length).toBeGreaterThanOrEqual(5)
  })
})

/** `auth token` prints the key by design; `api` prints the reply byte for byte. */
const mayPrint = (line: string) => /petstore (auth token|api)\b/.test(line)

const loginTo = (url: string) =>
  `auth login --no-verify --base-url ${url}/v1 --messages-url ${url}`.split(' ')

/** Runs a line against a service that leaks the key. Describes each place that shows it. */
async function leaksOf(
  server: RecordingServer,
  line: string,
  extra: readonly string[] = [],
  keyFrom: 'variable' | 'file' = 'variable'
): Promise<string[]> {
  const [home, work] = [temporaryDirectory(), temporaryDirectory()]
  const variables = {
    PETSTORE_API_KEY: canary,
    PETSTORE_BASE_URL: `${server.url}/v1`,
    PETSTORE_MESSAGES_URL: server.url
  }
  if (keyFrom === 'file') await runCli(loginTo(server.url), { home, stdin: canary })
  const limits = { PETSTORE_RETRIES: '0', PETSTORE_TIMEOUT: '5' }
  const env = keyFrom === 'variable' ? { ...limits, ...variables } : limits
  const [words = []] = plainCommands(line) ?? []
  // Without `--env local`, the requests go to the server.
  const at = words.findIndex((word, index) => word === '--env' && words[index + 1] === 'local')
  const argv = at < 0 ? words : words.toSpliced(at, 2)
  const before = process.cwd()
  process.chdir(work)
  const steps = runsUntilStopped(line) ? [['{', ctrlC] as const] : []
  const run = runCli([...argv, ...extra], { home, env, stdin: canary, steps })
  const { stdout, stderr } = await run.finally(() => process.chdir(before))

  const written = [home, work]
    .flatMap(filesBelow)
    .filter(path => !path.endsWith('/.config/petstore/config.json'))
    .map(path => [path, readFileSync(path, 'latin1')] as const)
  return [
    ['stdout', mayPrint(line) ? '' : stdout] as const,
    ['stderr', stderr] as const,
    ...written
  ]
    .filter(([, text]) => forms.some(form => text.includes(form)))
    .map(([where, text]) => `${line} ${extra.join(' ')} (key from ${keyFrom}): ${where}: ${text}`)
}

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
}
