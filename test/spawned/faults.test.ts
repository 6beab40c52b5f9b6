import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { ruleFor, rules } from '../../src/client/retry-policy.ts'
import { type Certificates, makeCertificates } from '../support/certificates.ts'
import { type Fault, faultGroups } from '../support/fault-server.ts'
import { renderFaults } from '../support/faults/page.ts'
import { isInstalled, needs } from '../support/needs.ts'
import { runCli } from '../support/run-cli.ts'
import { runConcurrently } from '../support/run-concurrently.ts'
import { isClone, isStandalone, skipWithNodeArguments, spawnCli } from '../support/spawn-cli.ts'

const run = promisify(execFile)

const commands = {
  list: ['pets', 'list'],
  add: ['pets', 'add', '--name', 'Rex', '--category-id', '1']
} as const

/** The timeouts in seconds for faults that only the deadline ends, and for other faults. */
const shortTimeout = 0.6
const longTimeout = 25

interface Run {
  readonly code: number | null
  readonly requests: number
  readonly seconds: number
  readonly stdout: string
  /** The parsed lines of stderr, with the addresses of the documentation. */
  readonly notices: readonly { code: string; message: string }[]
  readonly error: {
    code: string
    message: string
    hint?: string
    retryable: boolean
    exitCode: number
  }
}

const everyFault = faultGroups.flatMap(({ faults }) => faults)

/** Runs `pets list` and `pets add` against every fault. */
const runs = once(async () => {
  const certificates = isInstalled('openssl') ? makeCertificates() : undefined
  const possible = faultGroups.filter(
    ({ program }) => program === undefined || isInstalled(program)
  )
  const jobs = possible
    .flatMap(({ faults }) => faults)
    .flatMap(fault =>
      (['list', 'add'] as const).map(command => async () => {
        const run = await runAgainst(fault, command, certificates)
        return run === undefined ? [] : [[`${fault.name} ${command}`, run] as const]
      })
    )
  return new Map((await runConcurrently(16, jobs)).flat())
})

function foundFor(
  found: ReadonlyMap<string, Run>,
  { name }: Fault,
  command: keyof typeof commands
): Run {
  const run = found.get(`${name} ${command}`)
  if (run === undefined) skipWithNodeArguments()
  if (run === undefined) throw new Error(`${name} was not run`)
  return run
}

for (const { title, faults, program } of faultGroups) {
  const group = program === undefined ? describe : needs(program)
  group(title, () => testAll(faults))
}

function testAll(faults: readonly Fault[]): void {
  test.each(faults)('$name: $what', { timeout: 240_000 }, async fault => {
    const found = await runs()
    const [list, add] = [foundFor(found, fault, 'list'), foundFor(found, fault, 'add')]
    expect([list.code, list.requests], 'pets list').toEqual(fault.list)
    expect([add.code, add.requests], 'pets add').toEqual(fault.add)

    for (const each of [list, add]) {
      // Another test checks the promised limit. This one notices a missing deadline.
      expect(each.seconds).toBeLessThan(longTimeout - 5)
      expect(each.stdout).toBe('')
      expect(each.error.exitCode).toBe(each.code)
      expect(each.error.message).toMatch(/^\S.*[^.]$/s)
      expect(each.error.hint).toMatch(/^\S/)
      expect(each.notices.every(({ code }) => code === 'retrying')).toBe(true)
    }
    if (add.code === 10)
      expect(add.error.message).toMatch(
        /the pet may have been added; an older pet|^the pet (was added, but|may have been added: )/
      )
    else expect(add.error.message).not.toContain('added')
    if (fault.result === undefined) return
    expect(list.error).toMatchObject(expectedError('read', fault))
    expect(add.error).toMatchObject(expectedError('change', fault))
  })
}

test('each hint works when pasted', { timeout: 240_000 }, async () => {
  const hints = new Set([...(await runs()).values()].map(({ error }) => error.hint ?? ''))
  expect(hints.size).toBeGreaterThan(8)
  for (const hint of hints) {
    // The shell runs the hint, except that sleeping takes no time and the program only prints its
    // arguments.
    const script = `exec </dev/null; sleep() { :; }; petstore() { printf '%s\\0' "$@"; }; ${hint}`
    const { stdout } = await run('bash', ['-uc', script], { env: { PATH: process.env.PATH } })
    // This one runs until a signal.
    if (!hint.startsWith('petstore ') || hint.startsWith('petstore serve')) continue
    // The last --env applies, and the local environment needs no setup.
    const typed = stdout.split('\0').slice(0, -1)
    const words = typed[0] === 'help' ? typed : [...typed, '--env', 'local']
    expect(await runCli(words), hint).toMatchObject({ code: 0, stderr: '' })
  }
})

test('each rule of the retry policy is covered by a fault', () => {
  const reached = new Set(
    everyFault.flatMap(({ result }) => (result === undefined ? [] : ruleFor(result).situation))
  )
  // Interruptions and successes are not faults.
  const elsewhere = [/interrupted/, /well formed/]
  const missing = rules.filter(
    ({ situation }) => !reached.has(situation) && !elsewhere.some(words => words.test(situation))
  )
  expect(missing.map(({ situation }) => situation)).toEqual([])
})

needs('openssl')('the documentation', () => {
  test('shows every fault as the program reports it', { timeout: 240_000 }, async () => {
    const found = await runs()
    const page = renderFaults(faultGroups, (fault, command) => foundFor(found, fault, command))
    await expect(page).toMatchFileSnapshot('../../docs/faults.md')
  })
})

/** Undefined if the fault needs Node arguments, which the standalone executable does not take. */
async function runAgainst(
  fault: Fault,
  command: keyof typeof commands,
  certificates?: Certificates
) {
  const { env, requests, nodeArguments = [] } = await fault.open(certificates)
  if (isStandalone && nodeArguments.length > 0) return undefined
  const timeout = fault.needsDeadline === true ? shortTimeout : longTimeout
  const argv = [...commands[command], '--timeout', String(timeout), '--retries', '1']
  const options = { env: { PETSTORE_API_KEY: 'sk_test_12345678', ...env } }
  // Node reads these only when it starts.
  const needsProcess = !isClone || nodeArguments.length > 0 || env.NODE_EXTRA_CA_CERTS !== undefined
  const started = performance.now()
  const result = await (needsProcess
    ? spawnCli(argv, { ...options, nodeArguments })
    : runCli(argv, options))
  const lines = anonymous(result.stderr, env)
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  return {
    code: result.code,
    requests: requests(),
    seconds: (performance.now() - started) / 1000,
    stdout: result.stdout,
    notices: lines.slice(0, -1).map(({ notice }) => notice),
    error: lines.at(-1)?.error
  }
}

/** Replaces the addresses, which differ between runs, by fixed names. */
function anonymous(text: string, env: Readonly<Record<string, string>>): string {
  const { PETSTORE_BASE_URL = '', HTTPS_PROXY, HTTP_PROXY } = env
  const { origin, hostname, protocol } = new URL(PETSTORE_BASE_URL)
  const [, proxy] = /^http:\/\/(127.+)$/.exec(HTTPS_PROXY ?? HTTP_PROXY ?? '') ?? []
  const withService = text
    .replaceAll(origin, `${protocol}//pets.example`)
    .replaceAll(hostname, 'pets.example')
    .replace(/serve --port \d+/, 'serve --port 4010')
  return proxy === undefined ? withService : withService.replaceAll(proxy, 'proxy.example:8080')
}

function expectedError(intent: 'read' | 'change', { result }: Fault) {
  if (result === undefined) return {}
  const [code, repetition] = ruleFor(result)[intent]
  return { code, retryable: repetition !== 'no' }
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
