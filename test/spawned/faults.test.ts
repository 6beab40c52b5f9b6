import { describe, expect, test } from 'vitest'
import { makeCertificates } from '../support/certificates.ts'
import { faultGroups } from '../support/fault-server.ts'
import { type Fault, isSilent, type Run } from '../support/faults/fault.ts'
import { renderFaults } from '../support/faults/page.ts'
import { runCli } from '../support/run-cli.ts'
import { runConcurrently } from '../support/run-concurrently.ts'
import { spawnCli } from '../support/spawn-cli.ts'

const commands = {
  list: ['pets', 'list'],
  add: ['pets', 'add', '--name', 'Rex', '--category-id', '1']
}

/** Runs `pets list` and `pets add` against every fault. */
const runs = once(async () => {
  const certificates = makeCertificates()
  const jobs = Object.values(faultGroups)
    .flat()
    .flatMap(fault =>
      (['list', 'add'] as const).map(command => async () => {
        const { env, requests, nodeArguments = [] } = await fault.open(certificates)
        const timeout = isSilent(fault) ? '2' : '25'
        const argv = [...commands[command], '--timeout', timeout, '--retries', '1']
        const options = { env: { PETSTORE_API_KEY: 'sk_test_12345678', ...env } }
        // Node reads these only when it starts.
        const needsProcess = nodeArguments.length > 0 || 'NODE_EXTRA_CA_CERTS' in env
        const result = await (needsProcess
          ? spawnCli(argv, { ...options, nodeArguments })
          : runCli(argv, options))
        const [last = '{}'] = anonymous(result.stderr, env).trimEnd().split('\n').slice(-1)
        const run: Run = { ...result, requests: requests(), error: JSON.parse(last).error }
        return [fault, command, run] as const
      })
    )
  return runConcurrently(16, jobs)
})

async function runOf(fault: Fault, command: 'list' | 'add'): Promise<Run> {
  const found = (await runs()).find(([one, name]) => one === fault && name === command)
  if (found === undefined) throw new Error(`${fault.what} was not run`)
  return found[2]
}

describe.each(Object.entries(faultGroups))('%s', { timeout: 240_000 }, (_, faults) => {
  test.each(faults)('$what', async fault => {
    const [list, add] = [await runOf(fault, 'list'), await runOf(fault, 'add')]
    expect([list.code, list.requests], 'pets list').toEqual(fault.list)
    expect([add.code, add.requests], 'pets add').toEqual(fault.add)
    for (const { stdout, error, code } of [list, add]) {
      expect([stdout, error.exitCode]).toEqual(['', code])
      expect(error.message).not.toContain('secret')
    }
    const doubt =
      /; the request may have been carried out; .*petstore env set production --idempotent/
    if (add.code === 10) expect(add.error.message).toMatch(doubt)
    else expect(add.error.message).not.toContain('added')
  })
})

test('the documentation shows every fault as the program reports it', {
  timeout: 240_000
}, async () => {
  await expect(await renderFaults(faultGroups, runOf)).toMatchFileSnapshot('../../docs/faults.md')
})

/** Replaces the addresses, which differ between runs, and a name of newer Nodes by fixed ones. */
function anonymous(text: string, env: Readonly<Record<string, string>>): string {
  const { origin, hostname, protocol } = new URL(env.PETSTORE_BASE_URL ?? '')
  return text
    .replaceAll(origin, `${protocol}//pets.example`)
    .replaceAll(hostname, 'pets.example')
    .replace('SSL/TLS_ALERT', 'SSLV3_ALERT')
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
