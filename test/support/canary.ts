import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { plainCommands } from './example-shell.ts'
import { type Answer, type Handler, type RecordingServer, recordingServer } from './recording-server.ts'
import { ctrlC, runCli } from './run-cli.ts'
import { cleanEnvironment, programWords, spawnCli } from './spawn-cli.ts'
import { temporaryDirectory } from './temp.ts'

/** A key that looks different in JSON, in a URL and in Base64, and that no other text contains by chance. */
export const canary = 'k"4&+/%y'

/** The encodings in which a leaked key may appear. */
const forms = [
  canary,
  JSON.stringify(canary).slice(1, -1),
  encodeURIComponent(canary),
  new URLSearchParams([['', canary]]).toString().slice(1),
  Buffer.from(canary).toString('base64').slice(0, 10),
  Buffer.from(` ${canary}`).toString('base64').slice(2, 10),
]

/** A message with the key in every encoding, also as part of Basic credentials. */
const echo = `${forms.slice(0, 4).join(' ')} ${btoa(canary)} ${btoa(`user:${canary}`)} ${btoa(`me:${canary}`)}`

const showsCanary = (text: string) => forms.some((form) => text.includes(form))

const pet = { id: 7, name: canary, categoryId: 2, status: canary }
const message = { id: canary, message: canary, status: canary, createdAt: canary }
const error = (status: number): Answer => ({
  status,
  headers: { 'www-authenticate': `Bearer ${canary}`, 'retry-after': canary, sunset: canary, link: canary },
  json: { code: canary, message: `${echo} is not the key`, status },
})

/** Replies that contain the key in different places. */
export const leakyAnswers: Readonly<Record<string, Handler>> = {
  'as data': ({ method, path }) => ({
    status: method === 'POST' ? 201 : 200,
    headers: { deprecation: canary, sunset: canary, link: canary },
    json: path.endsWith('/messages') ? message : method === 'POST' || /\/pets\/\w/.test(path) ? pet : [pet],
  }),
  'in a refusal': () => error(401),
  'in a rejection': () => error(400),
  'in a 404': () => error(404),
  'in a failure': () => error(500),
  'with too many requests': () => error(429),
  'on an error page': () => ({ status: 502, body: `<h1>${canary}</h1>` }),
  'as a redirect': () => ({ status: 302, headers: { location: `https://pets.example/?key=${canary}` } }),
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
  },
}

export interface Trial {
  /** One of the examples of a command. */
  readonly line: string
  readonly extra: readonly string[]
  readonly keyFrom: 'variable' | 'file'
  /** Whether to run it in this process instead of a shell, which is faster. */
  readonly inProcess?: true
}

/** The examples of all commands. A new command is included automatically. */
export async function exampleLines(): Promise<string[]> {
  const { commands } = await describeProgram()
  return commands.flatMap(({ examples }) => examples.map(({ command }) => command))
}

/** Each option of every command once. */
export async function eachOption(): Promise<string[][]> {
  const { options } = await describeProgram()
  const values: Record<string, string> = { '--env': 'staging', '--jq': '.', '--fields': 'name', '--timeout': '9' }
  const typed = options.map(({ flags, choices }) => {
    const [flag = '', placeholder] = flags.replace(/^-\w, /, '').split(' ')
    return placeholder === undefined ? [flag] : [flag, choices?.[0] ?? values[flag] ?? '1']
  })
  return typed.filter(([flag]) => flag !== '--help' && flag !== '--version')
}

/** `auth token` prints the key by design; `api` prints the reply byte for byte. */
export const mayPrint = (line: string) => /petstore (auth token|api)\b/.test(line)

/** An option that does not exist. */
export const misspelledOption = [`--api-kye=${canary}`]

interface Description {
  readonly options: { readonly flags: string; readonly choices: string[] | null }[]
  readonly commands: { readonly examples: { readonly command: string }[] }[]
}

async function describeProgram(): Promise<Description> {
  return JSON.parse((await spawnCli(['commands'])).stdout)
}

export interface Outcome {
  readonly line: string
  /** A description of each place where the key must not appear but does. */
  readonly leaks: readonly string[]
  readonly hasSent: boolean
  readonly isOnStdout: boolean
}

/** Runs a command line against a service that leaks the key, and searches all output and files for the key. */
export async function runTrial(trial: Trial, server: RecordingServer, id: number): Promise<Outcome> {
  const { line, extra, keyFrom } = trial
  const home = temporaryDirectory()
  const work = temporaryDirectory()
  const address = `${server.url}/run${id}`
  if (keyFrom === 'file') saveKey(home, address, server.url)
  writeFileSync(join(work, 'key.txt'), canary)
  const variables = { PETSTORE_API_KEY: canary, PETSTORE_BASE_URL: `${address}/v1`, PETSTORE_MESSAGES_URL: address }
  const env = { PETSTORE_RETRIES: '0', PETSTORE_TIMEOUT: '5', ...(keyFrom === 'variable' && variables) }
  const { stdout, stderr } = await (trial.inProcess ? runHere : runInShell)(trial, { home, work, env })

  const written = (directory: string, known: string) =>
    filesBelow(directory)
      .filter((path) => !path.endsWith(known))
      .map((path): [string, string] => [path, readFileSync(path, 'latin1')])
  const places: [where: string, text: string][] = [
    ['stderr', stderr],
    ...written(home, '/.config/petstore/config.json'),
    ...written(work, '/key.txt'),
  ]
  const title = `${line} ${extra.join(' ')} (key from ${keyFrom})`
  return {
    line,
    leaks: places.filter(([, text]) => showsCanary(text)).map(([where, text]) => `${title}: ${where}: ${text}`),
    hasSent: server.requests.some(({ path }) => path.startsWith(`/run${id}/`)),
    isOnStdout: showsCanary(stdout),
  }
}

interface Place {
  readonly home: string
  readonly work: string
  readonly env: Readonly<Record<string, string>>
}

/** Runs a line without shell syntax in this process; the requests of `--env local` go to the test's server. */
async function runHere({ line, extra }: Trial, { home, work, env }: Place) {
  const [words = []] = plainCommands(line) ?? []
  const at = words.findIndex((word, index) => word === '--env' && words[index + 1] === 'local')
  const argv = at < 0 ? words : words.toSpliced(at, 2)
  const before = process.cwd()
  process.chdir(work)
  try {
    const steps = secondsFor(line) === '3' ? [['{', ctrlC] as const] : []
    return await runCli([...argv, ...extra], { home, env, stdin: canary, steps })
  } finally {
    process.chdir(before)
  }
}

function runInShell({ line, extra }: Trial, { home, work, env }: Place) {
  const command = ['-s', 'INT', '-k', '5', secondsFor(line), 'bash', '-c', line]
  return new Promise<{ stdout: string; stderr: string }>((resolve) => {
    const options = {
      cwd: work,
      env: {
        ...cleanEnvironment(home, env),
        // A user who types the key has put it into the arguments; the program has not.
        ...(!extra.some(showsCanary) && { [mark]: String(process.pid) }),
        PATH: `${shim(extra)}:${process.env.PATH}`,
      },
    }
    const child = execFile('timeout', command, options, (_error, stdout, stderr) => resolve({ stdout, stderr }))
    child.stdin?.end(canary)
  })
}

/** Some commands run until they are interrupted. */
const secondsFor = (line: string) => (/\b(serve|--watch)\b/.test(line) ? '3' : '60')

/** A server that also checks the command lines of all programs during a request, if it gets a list for them. */
export async function leakyServer(answer: Handler, seenInArgv?: string[]): Promise<RecordingServer> {
  return recordingServer((request, response, raw) => {
    seenInArgv?.push(...commandLines().filter(showsCanary))
    return answer(request, response, raw)
  })
}

/** Marks the processes of this test: the same tests may run elsewhere on the machine at the same time. */
const mark = 'CANARY_RUN'

/** The arguments of every process with this test's mark. */
function commandLines(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
        return variables.includes(`${mark}=${process.pid}`) ? [readFileSync(`/proc/${pid}/cmdline`, 'utf8')] : []
      } catch {
        // The process has ended, or belongs to another user.
        return []
      }
    })
}

/**
 * A `petstore` for the examples that adds options and drops `--env local`, so that requests go to the test's server.
 */
function shim(extra: readonly string[]): string {
  const directory = temporaryDirectory()
  const quoted = extra.map((word) => `'${word}'`).join(' ')
  const script = `#!/bin/bash
words=()
while (( $# )); do
  if [[ $1 == --env && $2 == local ]]; then shift 2; else words+=("$1"); shift; fi
done
exec ${programWords} "\${words[@]}" ${quoted}
`
  writeFileSync(join(directory, 'petstore'), script)
  chmodSync(join(directory, 'petstore'), 0o755)
  return directory
}

function saveKey(home: string, address: string, origin: string): void {
  const directory = join(home, '.config', 'petstore')
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const saved = { baseUrl: `${address}/v1`, messagesUrl: address, apiKey: canary, keyOrigins: [origin] }
  const state = { environments: { production: saved, staging: saved } }
  writeFileSync(join(directory, 'config.json'), JSON.stringify(state), { mode: 0o600 })
}

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}
