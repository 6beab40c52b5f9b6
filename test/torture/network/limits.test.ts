import { expect, test } from 'vitest'
import { needs } from '../../support/needs.ts'
import { binPath, spawnCli } from '../../support/spawn-cli.ts'
import { temporaryDirectory } from '../../support/temp.ts'
import { createImport, endOfImport, startImport } from './audit.ts'
import { type Case, createRunner, readStderr, startService, testCases } from './cases.ts'
import { createResultTable } from './results.ts'

const results = createResultTable('Limits of this machine')

/** The command under which a program has no more than this of something. */
const limited = (limit: string) => ['bash', '-c', `ulimit ${limit} && exec "$@"`, 'bash']

/** From too few descriptors for Node itself, whose need depends on its version, to enough for everything. */
const descriptorLimits = Array.from({ length: 24 }, (_, index) => 16 + index)

needs('sqlite3')('a service that answers, on a machine that lacks', () => {
  testCases(createRunner(results), [
    lacking('memory (ulimit -v 1500000)', /memory/, { under: limited('-v 1500000') }),
    lacking('WebAssembly (NODE_OPTIONS=--jitless)', /WebAssembly/, { env: { NODE_OPTIONS: '--jitless' } }),
  ])

  test('descriptors: that is always the error', async () => {
    const { env } = await startService()
    for (const command of ['pets list', 'pets list --env local', 'config set output json']) {
      const seen = await expectDescriptorErrors(command, (under) => {
        return spawnCli(command.split(' '), { env, under, home: temporaryDirectory() })
      })
      expect([...seen.keys()].sort(), command).toEqual([0, 9])
    }
  })

  test('descriptors in an import, which loses nothing', async () => {
    const { env, database } = await startService()
    const job = createImport(200)
    const seen = await expectDescriptorErrors('pets import', (under) => startImport(job, env, under).finished)
    expect(seen.get(9)).toBeGreaterThan(0)
    expect([...seen.keys()].filter((code) => ![0, 8, 9].includes(code ?? -1))).toEqual([])
    const last = await endOfImport(results, 'then enough', job, startImport(job, env), database)
    expect(last.finished).toBe(200)
  })
})

interface Lack extends Pick<Case, 'under'> {
  readonly env?: Readonly<Record<string, string>>
}

function lacking(name: string, says: RegExp, { env = {}, ...rest }: Lack): Case {
  return { name, list: { code: 9, says }, add: { code: 9, says }, open: async () => env, ...rest }
}

/** Runs the program with more and more descriptors. Returns how often each exit code was seen. */
async function expectDescriptorErrors(
  command: string,
  run: (under: readonly string[]) => ReturnType<typeof spawnCli>,
): Promise<Map<number | null, number>> {
  const codes = new Map<number | null, number>()
  for (const limit of descriptorLimits) {
    const { code, signal, stderr } = await run(limited(`-n ${limit}`))
    const isNodeItself = signal !== null || stderr.includes(`open '${binPath}'`)
    if (isNodeItself) continue
    codes.set(code, (codes.get(code) ?? 0) + 1)
    const { message } = readStderr(stderr).error ?? {}
    if (code !== 9) continue
    expect(message, stderr).toMatch(/file descriptor|too many open files/)
    if (codes.get(code) === 1) results.add({ name: `ulimit -n ${limit}`, command, code, message, inDatabase: '' })
  }
  return codes
}
