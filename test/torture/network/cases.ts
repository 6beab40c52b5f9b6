import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startServing } from '../../support/serving.ts'
import { spawnCli } from '../../support/spawn-cli.ts'
import { temporaryDirectory } from '../../support/temp.ts'

/** A `petstore serve` process and its database. */
export interface Service {
  readonly port: number
  readonly database: string
  /** The variables with which a client reaches the service directly. */
  readonly env: Environment
  stop(signal: NodeJS.Signals): Promise<void>
}

type Environment = Readonly<Record<string, string>>

/** How a run must end. */
export interface Expected {
  readonly code: number
  /** A pattern for the error message. Without it, no error is expected. */
  readonly message?: RegExp
  /** The number of repeated requests. */
  readonly repeats?: number
  /** The codes of the other notices. */
  readonly notices?: readonly string[]
}

/** One way to connect to a service, and how a GET and a POST must end. */
export interface Case {
  readonly name: string
  readonly list: Expected
  readonly add: Expected
  /** Whether the POST adds the pet to the database. True by default if it succeeds. */
  readonly isAdded?: boolean
  /** In seconds. */
  readonly timeout?: number
  /** The command that runs the program. */
  readonly under?: readonly string[]
  /** Options of `petstore serve`. */
  readonly serve?: readonly string[]
  /**
   * Starts the server between the program and the service, and returns the variables that point to
   * it.
   */
  open(service: Service): Promise<Environment>
}

interface Run {
  readonly name: string
  readonly argv: readonly string[]
  readonly env: Environment
  readonly expected: Expected
  readonly timeout?: number | undefined
  readonly retries?: number
  readonly under?: readonly string[] | undefined
}

const key = 'sk_test_12345678'

export async function startService(
  argv: readonly string[] = [],
  database = newDatabase()
): Promise<Service> {
  const env = { PETSTORE_API_KEY: key }
  const { child, finished, reach } = await startServing(
    ['--data', database, '--empty', '--quiet', ...argv],
    { env }
  )
  return {
    port: Number(new URL(reach.url).port),
    database,
    env: { ...env, PETSTORE_BASE_URL: reach.url, PETSTORE_MESSAGES_URL: reach.messagesUrl },
    stop: async signal => {
      child.kill(signal)
      await finished
    }
  }
}

export function newDatabase(): string {
  return join(temporaryDirectory(), 'pets.db')
}

/** The ids of each name in the service's database, according to sqlite3. */
export function petsIn(database: string): Map<string, string[]> {
  const query = 'SELECT id, name FROM pets ORDER BY id'
  const text = execFileSync('sqlite3', ['-readonly', database, query], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28
  })
  const pets = new Map<string, string[]>()
  for (const [, id = '', name = ''] of text.matchAll(/^(\d+)\|(.*)$/gm))
    pets.set(name, [...(pets.get(name) ?? []), id])
  return pets
}

/** Tests every case with a GET and a POST, and checks the service's database after both. */
export function testCases(cases: readonly Case[]): void {
  test.each(cases.map(each => [each.name, each] as const))(
    '%s',
    async (name, { list, add, timeout, under, open, ...rest }) => {
      const { isAdded = add.code === 0, serve } = rest
      const service = await startService(serve)
      const env = { ...service.env, ...(await open(service)) }
      const seen = JSON.parse(
        (await runCase({ name, argv: ['pets', 'list'], env, expected: list, timeout, under })) ||
          '[]'
      )
      expect(seen).toEqual([])

      const argv = ['pets', 'add', '--name', 'Rex', '--category-id', '9007199254740993']
      const count = () => petsIn(service.database).get('Rex')?.length ?? 0
      const added = await runCase({ name, argv, env, expected: add, timeout, under })
      expect(count()).toBe(isAdded ? 1 : 0)
      if (add.code === 0) expect(added).toMatch(/"name": "Rex",\s*"categoryId": 9007199254740993/)
    }
  )
}

/** Runs the built program and checks how it ends. Resolves with its stdout. */
export async function runCase({
  name,
  argv,
  env,
  expected,
  timeout = 10,
  retries = 1,
  under
}: Run): Promise<string> {
  const options = ['--timeout', String(timeout), '--retries', String(retries)]
  const { code, stdout, stderr } = await spawnCli([...argv, ...options], {
    env,
    ...(under && { under })
  })
  const { error, notices } = readStderr(stderr)
  expect(code, `${name}: ${stderr}`).toBe(expected.code)
  expect(error?.message, name).toEqual(expected.message && expect.stringMatching(expected.message))
  expect(error?.exitCode, name).toBe(expected.message && expected.code)
  const repeats = notices.filter(notice => notice === 'retrying').length
  expect(repeats, `${name}: repeats`).toBe(expected.repeats ?? 0)
  expect(
    notices.filter(notice => notice !== 'retrying'),
    name
  ).toEqual(expected.notices ?? [])
  return stdout
}

interface ShownError {
  readonly message: string
  readonly exitCode: number
}

/** Warnings that Node itself writes to stderr, and that the program cannot prevent. */
const writtenByNode = /^Warning: (disabling flag --expose_wasm|Ignoring extra certs) .*\n/gm

/** Every line must be JSON: an error, a notice or a summary. */
export function readStderr(stderr: string): {
  error: ShownError | undefined
  notices: readonly string[]
} {
  const lines = stderr.replace(writtenByNode, '').split('\n').slice(0, -1)
  const parsed = lines.map((line): { error?: ShownError; notice?: { code: string } } =>
    JSON.parse(line)
  )
  return {
    error: parsed.find(({ error }) => error !== undefined)?.error,
    notices: parsed.flatMap(({ notice }) => notice?.code ?? [])
  }
}
