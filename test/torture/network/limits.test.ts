import { expect, test } from 'vitest'
import { needs } from '../../support/needs.ts'
import { createImport, endOfImport, startImport } from './audit.ts'
import { type Case, createRunner, startService, testCases } from './cases.ts'
import { createResultTable } from './results.ts'

const results = createResultTable('Limits of this machine')

/** The command under which a program has no more than this of something. */
const limited = (limit: string) => ['bash', '-c', `ulimit ${limit} && exec "$@"`, 'bash']

needs('sqlite3')('a service that answers, on a machine that lacks', () => {
  testCases(createRunner(results), [
    lacking('memory (ulimit -v 1500000)', /memory/, { under: limited('-v 1500000') }),
    lacking('WebAssembly (NODE_OPTIONS=--jitless)', /WebAssembly/, { env: { NODE_OPTIONS: '--jitless' } }),
  ])

  test('descriptors in an import, which loses nothing', async () => {
    const { env, database } = await startService()
    const job = createImport(200)
    const limit = limited('-n 30')
    const first = await endOfImport(results, 'ulimit -n 30', job, startImport(job, env, limit), database)
    expect(first.code, first.message).toBe(9)
    expect(first.message).toMatch(/descriptor|open files/)
    const second = await endOfImport(results, 'ulimit -n 30, resumed', job, startImport(job, env), database)
    expect(second.finished).toBe(200)
    expect(second.doubtful).toBe(first.doubtful)
  })
})

interface Lack extends Pick<Case, 'under'> {
  readonly env?: Readonly<Record<string, string>>
}

function lacking(name: string, says: RegExp, { env = {}, ...rest }: Lack): Case {
  return { name, list: { code: 9, says }, add: { code: 9, says }, open: async () => env, ...rest }
}
