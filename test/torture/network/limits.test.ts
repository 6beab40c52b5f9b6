import { expect, test } from 'vitest'
import { needs } from '../../support/needs.ts'
import type { spawnCli } from '../../support/spawn-cli.ts'
import { createImport, endOfImport, startImport } from './audit.ts'
import { readStderr, startService, testCases } from './cases.ts'

/** Runs a program under a resource limit. */
const limited = (limit: string) => ['bash', '-c', `ulimit ${limit} && exec "$@"`, 'bash']

/**
 * From too few descriptors for Node itself, which depends on its version, to enough for everything.
 */
const descriptorLimits = Array.from({ length: 12 }, (_, index) => 16 + 2 * index)

needs('sqlite3')('on a machine without enough', () => {
  testCases([
    {
      name: 'WebAssembly (NODE_OPTIONS=--jitless)',
      list: { code: 9, message: /WebAssembly/ },
      add: { code: 9, message: /WebAssembly/ },
      open: async () => ({ NODE_OPTIONS: '--jitless' })
    }
  ])

  test('descriptors: an import loses no row', async () => {
    const { env, database } = await startService()
    const job = createImport(200)
    const seen = await expectDescriptorErrors(under => startImport(job, env, under).finished)
    expect(seen.get(9)).toBeGreaterThan(0)
    expect([...seen.keys()].filter(code => ![0, 8, 9].includes(code ?? -1))).toEqual([])
    const last = await endOfImport(job, startImport(job, env), database)
    expect(last.finished).toBe(200)
  })
})

/** Runs the program with increasing limits. Returns how often each exit code occurs. */
async function expectDescriptorErrors(
  run: (under: readonly string[]) => ReturnType<typeof spawnCli>
): Promise<Map<number | null, number>> {
  const codes = new Map<number | null, number>()
  for (const limit of descriptorLimits) {
    const { code, signal, stderr } = await run(limited(`-n ${limit}`))
    if (signal !== null || isNodeItself(stderr)) continue
    codes.set(code, (codes.get(code) ?? 0) + 1)
    const { message } = readStderr(stderr).error ?? {}
    if (code === 9) expect(message, stderr).toMatch(/file descriptor|too many open files/)
  }
  return codes
}

/** Whether Node failed before it started the program. */
function isNodeItself(stderr: string): boolean {
  return stderr.startsWith('node:') && !/(petstore\.js|\.cjs):\d/.test(stderr)
}
