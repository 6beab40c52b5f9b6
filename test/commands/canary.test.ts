import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { plainCommands, runsUntilStopped } from '../support/examples.ts'
import {
  type Answer,
  type Handler,
  type RecordingServer,
  recordingServer
} from '../support/recording-server.ts'
import { ctrlC, runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

/**
 * A key that looks different in JSON, in a URL and in Base64, and that no other text contains by
 * chance.
 */
const canary = 'k"4&+/%y'

/** The encodings in which a leaked key may appear. */
const forms = [
  canary,
  JSON.stringify(canary).slice(1, -1),
  encodeURIComponent(canary),
  new URLSearchParams([['', canary]]).toString().slice(1),
  Buffer.from(canary).toString('base64').slice(0, 10),
  Buffer.from(` ${canary}`).toString('base64').slice(2, 10)
]

/** A message with the key in every encoding, also as part of Basic credentials. */
const echo = `${forms.slice(0, 4).join(' ')} ${btoa(canary)} ${btoa(`user:${canary}`)} ${btoa(`me:${canary}`)}`

const pet = { id: 7, name: canary, categoryId: 2, status: canary }
const message = { id: canary, message: canary, status: canary, createdAt: canary }
const error = (status: number): Answer => ({
  status,
  headers: {
    'www-authenticate': `Bearer ${canary}`,
    'retry-after': canary,
    sunset: canary,
    link: canary
  },
  json: { code: canary, message: `${echo} is not the key`, status }
})

/** Replies that contain the key in different places. */
const leakyAnswers: Readonly<Record<string, Handler>> = {
  'as data': ({ method, path }) => ({
    status: method === 'POST' ? 201 : 200,
    headers: { deprecation: canary, sunset: canary, link: canary },
    json: path.endsWith('/messages')
      ? message
      : method === 'POST' || /\/pets\/\w/.test(path)
        ? pet
        : [pet]
  }),
  'in a refusal': () => error(401),
  'in a rejection': () => error(400),
  'in a 404': () => error(404),
  'in a failure': () => error(500),
  'with too many requests': () => error(429),
  'on an error page': () => ({ status: 502, body: `<h1>${canary}</h1>` }),
  'as a redirect': () => ({
    status: 302,
    headers: { location: `https://pets.example/?key=${canary}` }
  }),
  'as the name of a field': () => ({ json: { [canary]: canary } }),
  'in the wrong place': () => ({ json: [{ id: canary, name: 7, categoryId: canary }] }),
  'as text instead of JSON': () => ({ body: canary }),
  'as an encoding': () => ({ headers: { 'content-encoding': canary }, body: canary }),
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

interface Description {
  readonly options: readonly {
    readonly flags: string
    readonly choices: readonly string[] | null
  }[]
  readonly commands: readonly { readonly examples: readonly { readonly command: string }[] }[]
}

let description: Description
beforeAll(async () => {
  description = JSON.parse((await runCli(['commands'], { home: '/dev/null' })).stdout)
})

describe('a key that the service leaks is shown nowhere', () => {
  test('in the examples of all commands', async () => {
    const lines = description.commands
      .flatMap(({ examples }) => examples.map(({ command }) => command))
      .filter(line => plainCommands(line) !== undefined)
    expect(lines.length).toBeGreaterThan(30)
    const extras = [[], ['--verbose'], ['--dry-run'], [`--api-kye=${canary}`]]
    const server = await recordingServer(leakyAnswers['in a refusal'] as Handler)
    const leaks: string[] = []
    for (const [index, line] of lines.entries()) {
      leaks.push(
        ...(await leaksOf(
          server,
          line,
          extras[index % extras.length],
          index % 3 === 0 ? 'file' : 'variable'
        ))
      )
    }
    expect(leaks).toEqual([])
    expect(server.requests.length).toBeGreaterThan(5)
  })

  test('with any option', async () => {
    const server = await recordingServer(leakyAnswers['in a refusal'] as Handler)
    for (const option of eachOption()) {
      expect(await leaksOf(server, 'petstore pets add --name Rex --category-id 2', option)).toEqual(
        []
      )
    }
    expect(server.requests.length).toBeGreaterThan(5)
  })

  test.each(Object.entries(leakyAnswers))('%s', async (name, answer) => {
    const server = await recordingServer(answer)
    const lines = [
      'petstore pets list',
      'petstore pets add --name Rex --category-id 2',
      'petstore messages send hello',
      'petstore auth status',
      'petstore pets get 7'
    ]
    for (const [index, line] of lines.entries()) {
      const leaks = await leaksOf(server, line, [], index % 2 === 0 ? 'variable' : 'file')
      // Data from the service is printed unchanged, even if it contains the key.
      expect(leaks.filter(leak => name !== 'as data' || !leak.includes(': stdout: '))).toEqual([])
    }
    expect(server.requests.length).toBeGreaterThanOrEqual(lines.length)
  })
})

/** Each option of every command once. */
function eachOption(): string[][] {
  const values: Record<string, string> = {
    '--env': 'staging',
    '--jq': '.',
    '--fields': 'name',
    '--timeout': '9'
  }
  const typed = description.options.map(({ flags, choices }) => {
    const [flag = '', placeholder] = flags.replace(/^-\w, /, '').split(' ')
    return placeholder === undefined ? [flag] : [flag, choices?.[0] ?? values[flag] ?? '1']
  })
  return typed.filter(([flag]) => flag !== '--help' && flag !== '--version')
}

/** `auth token` prints the key by design; `api` prints the reply byte for byte. */
const mayPrint = (line: string) => /petstore (auth token|api)\b/.test(line)

/**
 * Runs a command line against a service that leaks the key. Describes each place in output and
 * files that shows it.
 */
async function leaksOf(
  server: RecordingServer,
  line: string,
  extra: readonly string[] = [],
  keyFrom: 'variable' | 'file' = 'variable'
): Promise<string[]> {
  const home = temporaryDirectory()
  const work = temporaryDirectory()
  if (keyFrom === 'file') saveKey(home, server.url)
  writeFileSync(join(work, 'key.txt'), canary)
  const variables = {
    PETSTORE_API_KEY: canary,
    PETSTORE_BASE_URL: `${server.url}/v1`,
    PETSTORE_MESSAGES_URL: server.url
  }
  const env = {
    PETSTORE_RETRIES: '0',
    PETSTORE_TIMEOUT: '5',
    ...(keyFrom === 'variable' && variables)
  }
  const [words = []] = plainCommands(line) ?? []
  // Without `--env local`, the requests go to the server.
  const at = words.findIndex((word, index) => word === '--env' && words[index + 1] === 'local')
  const argv = at < 0 ? words : words.toSpliced(at, 2)
  const before = process.cwd()
  process.chdir(work)
  const steps = runsUntilStopped(line) ? [['{', ctrlC] as const] : []
  const run = runCli([...argv, ...extra], { home, env, stdin: canary, steps })
  const { stdout, stderr } = await run.finally(() => process.chdir(before))

  const written = (directory: string, known: string) =>
    filesBelow(directory)
      .filter(path => !path.endsWith(known))
      .map(path => [path, readFileSync(path, 'latin1')] as const)
  const places = [
    ['stdout', mayPrint(line) ? '' : stdout] as const,
    ['stderr', stderr] as const,
    ...written(home, '/.config/petstore/config.json'),
    ...written(work, '/key.txt')
  ]
  return places
    .filter(([, text]) => forms.some(form => text.includes(form)))
    .map(([where, text]) => `${line} ${extra.join(' ')} (key from ${keyFrom}): ${where}: ${text}`)
}

function saveKey(home: string, url: string): void {
  const directory = join(home, '.config', 'petstore')
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const saved = { baseUrl: `${url}/v1`, messagesUrl: url, apiKey: canary, keyOrigins: [url] }
  const state = { environments: { production: saved, staging: saved } }
  writeFileSync(join(directory, 'config.json'), JSON.stringify(state), { mode: 0o600 })
}

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
}
