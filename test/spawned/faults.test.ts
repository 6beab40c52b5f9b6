import { describe, expect, test } from 'vitest'
import { type Certificates, makeCertificates } from '../support/certificates.ts'
import { connectingFaults, tlsFaults } from '../support/faults/connecting.ts'
import { type Fault, isSilent, type Run } from '../support/faults/fault.ts'
import { renderFaults } from '../support/faults/page.ts'
import { proxyFaults } from '../support/faults/proxies.ts'
import { bodyFaults, replyFaults, statusFaults } from '../support/faults/replies.ts'
import { runCli } from '../support/run-cli.ts'
import { spawnCli } from '../support/spawn-cli.ts'

/** The ways in which a request can fail, from the lookup of the name to the last byte. */
const faultGroups: Readonly<Record<string, readonly Fault[]>> = {
  Connecting: connectingFaults,
  TLS: tlsFaults,
  Proxies: proxyFaults,
  Replies: replyFaults,
  'Error statuses': statusFaults,
  'Bodies of successes': bodyFaults
}

const commands = {
  list: ['pets', 'list'],
  add: ['pets', 'add', '--name', 'Rex', '--category-id', '1']
}
const ends = new Map<Fault, { list: Run; add: Run }>()

async function run(fault: Fault, command: 'list' | 'add', certificates: Certificates) {
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
  return { ...result, requests: requests(), error: JSON.parse(last).error }
}

/** All at once, because many wait. */
let finished: Promise<unknown> | undefined
function runAll(): Promise<unknown> {
  const certificates = makeCertificates()
  const waiting = Object.values(faultGroups).flat().values()
  const work = async () => {
    for (const fault of waiting) {
      const list = await run(fault, 'list', certificates)
      ends.set(fault, { list, add: await run(fault, 'add', certificates) })
    }
  }
  return Promise.all(Array.from({ length: 12 }, work))
}

describe.each(Object.entries(faultGroups))('%s', { timeout: 240_000 }, (_, faults) => {
  test.each(faults)('$what', async fault => {
    finished ??= runAll()
    await finished
    const { list, add } = ends.get(fault) as { list: Run; add: Run }
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

test('the documentation shows every fault as the program reports it', async () => {
  await expect(renderFaults(faultGroups, ends)).toMatchFileSnapshot('../../docs/faults.md')
})

/** Replaces the addresses, which differ between runs, and a name of newer Nodes by fixed ones. */
function anonymous(text: string, env: Readonly<Record<string, string>>): string {
  const { origin, hostname, protocol } = new URL(env.PETSTORE_BASE_URL ?? '')
  return text
    .replaceAll(origin, `${protocol}//pets.example`)
    .replaceAll(hostname, 'pets.example')
    .replace('SSL/TLS_ALERT', 'SSLV3_ALERT')
}
