import {
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { needs, withOwnPids } from '../support/needs.ts'
import { type RunningCli, spawnCli, startCli } from '../support/spawn-cli.ts'
import {
  createImport,
  endOfImport,
  hasFinished,
  type ImportJob,
  startImport,
  withValue
} from './network/audit.ts'
import { newDatabase, petsIn, readStderr, type Service, startService } from './network/cases.ts'
import { freePort } from './network/servers.ts'

/** Reproducible random numbers from 0 to 1. */
function* randomNumbers(): Generator<number, never> {
  for (let seed = 7; ; seed = (seed * 48_271) % 2_147_483_647) yield seed / 2_147_483_647
}

needs('sqlite3')('300 journals with a random damaged byte', () => {
  test('are all refused, and no row is sent', async () => {
    const [database, port] = [newDatabase(), await freePort()]
    const job = createImport(400)
    // A journal with all kinds of entries: added, free, doubtful, and about to be sent.
    for (const [status, count] of [
      ['429', 100],
      ['500', 150]
    ] as const) {
      const argv = [
        '--port',
        String(port),
        '--fail',
        '0.2',
        '--fail-with',
        status,
        '--seed',
        '5',
        '--latency',
        '20'
      ]
      const service = await startService(argv, database)
      const run = startImport({ ...job, argv: [...job.argv, '--retries', '9'] }, service.env)
      await hasFinished(run, count)
      run.child.kill('SIGKILL')
      await run.finished
      await service.stop('SIGTERM')
    }
    const intact = readFileSync(job.journal())
    expect(new Set(intact.toString('latin1').match(/^[iafd](?= )/gm))).toEqual(
      new Set(['i', 'a', 'f', 'd'])
    )
    const service = await startService(['--port', String(port)], database)
    const before = [...petsIn(database)]

    const numbers = randomNumbers()
    const codes: Record<string, number> = {}
    const flip = async (index: number) => {
      const damaged = Buffer.from(intact)
      const at = Math.floor(numbers.next().value * damaged.length)
      damaged[at] = (damaged[at] ?? 0) ^ (1 + Math.floor(numbers.next().value * 255))
      const journal = join(job.home, `journal${index}`)
      writeFileSync(journal, damaged)
      const argv = ['pets', 'import', join(job.home, 'pets.ndjson'), '--journal', journal]
      const { code, stdout } = await spawnCli(argv, { home: job.home, env: service.env })
      expect({ at, stdout }).toEqual({ at, stdout: '' })
      expect(readFileSync(journal)).toEqual(damaged)
      codes[String(code)] = (codes[String(code)] ?? 0) + 1
    }
    for (let index = 0; index < 300; index += 3)
      await Promise.all([flip(index), flip(index + 1), flip(index + 2)])
    console.log('exit codes after 300 changes:', codes)
    expect(codes).toEqual({ 9: 300 })
    expect([...petsIn(database)]).toEqual(before)

    const end = await endOfImport(job, runOf(job, service), database)
    expect(end).toMatchObject({ code: 8, finished: 400 })
  })
})

const runOf = (job: ImportJob, { env }: Service) => startImport(job, env)

needs(
  'sqlite3',
  'unshare',
  'a PID namespace'
)('imports in containers that share a home', () => {
  /** Starts five imports at once, five times, and kills the one that gets the lock. */
  async function compete(job: ImportJob, start: (index: number) => RunningCli): Promise<void> {
    for (let round = 0; round < 5; round += 1) {
      const runs = Array.from({ length: 5 }, (_, index) => start(round * 5 + index))
      const added = (run: RunningCli) =>
        run.printed('stdout', /(?:"added"[\s\S]*?){20}/).then(() => run)
      const winner = await Promise.any(runs.map(added))
      for (const run of runs.filter(each => each !== winner)) {
        const { code, stdout, stderr } = await run.finished
        expect({ code, stdout }).toEqual({ code: 9, stdout: '' })
        expect(readStderr(stderr).error?.message).toContain(
          `another petstore process is using the journal ${job.journal()}`
        )
      }
      winner.child.kill('SIGKILL')
      await winner.finished
    }
  }

  test('25 imports share one journal under several names', async () => {
    const service = await startService(['--latency', '150'])
    const job = createImport(2000)
    symlinkSync('journal', join(job.home, 'link'))
    mkdirSync(join(job.home, 'directory'))
    const names = [job.journal(), join(job.home, 'link'), `${job.home}/directory/../journal`]
    await compete(job, index => {
      const argv = job.argv.map(word => (word === job.journal() ? (names[index % 3] ?? '') : word))
      return startImport(
        { ...job, argv: withValue(argv, '--rejects', `rejects${index}`) },
        service.env,
        withOwnPids
      )
    })
    const end = await endOfImport(job, startFast(job, service), service.database)
    expect(end.finished).toBe(2000)
    // Each kill leaves the requests in flight and the next ones in doubt.
    expect(end.doubtful).toBeLessThanOrEqual(5 * 2 * 8)
  })

  test('25 imports share one input under several names and as standard input', async () => {
    const service = await startService(['--latency', '150'])
    const rows = createImport(2000, { isPiped: true })
    const path = join(rows.home, 'pets.ndjson')
    symlinkSync('pets.ndjson', join(rows.home, 'latest.ndjson'))
    linkSync(path, join(rows.home, 'linked.ndjson'))
    const job = { ...rows, argv: rows.argv.map(word => (word === '-' ? path : word)) }
    const names = [path, join(rows.home, 'latest.ndjson'), join(rows.home, 'linked.ndjson'), '-']
    const piped = [...withOwnPids, 'sh', '-c', `exec "$@" < '${path}'`, 'sh']
    await compete(job, index => {
      const name = names[index % 4] ?? ''
      const named = rows.argv.map(word => (word === '-' ? name : word))
      const argv = withValue(named, '--rejects', `rejects${index}`)
      return startImport({ ...job, argv }, service.env, name === '-' ? piped : withOwnPids)
    })
    const end = await endOfImport(job, startFast(job, service), service.database)
    expect(end.finished).toBe(2000)
    expect(end.doubtful).toBeLessThanOrEqual(5 * 2 * 8)
  })
})

/** With a high concurrency, because the service is slow. */
const startFast = (job: ImportJob, service: Service) =>
  startImport({ ...job, argv: withValue(job.argv, '--concurrency', '64') }, service.env)

needs('sqlite3')('a journal that disappears during an import', () => {
  test.each<[what: string, change: (journal: string) => void]>([
    ['its directory is deleted', journal => rmSync(join(journal, '..'), { recursive: true })],
    [
      'it is replaced by another file',
      journal => {
        writeFileSync(`${journal}.new`, readFileSync(journal))
        renameSync(`${journal}.new`, journal)
      }
    ],
    // More than the import itself writes, so that it does not overwrite the whole change.
    [
      'something is appended',
      journal => writeFileSync(journal, 'i 1\n'.repeat(50_000), { flag: 'a' })
    ]
  ])('%s: the import ends with an error', async (_, change) => {
    const service = await startService(['--latency', '20'])
    const rows = createImport(3000, { isPiped: true })
    const path = join(rows.home, 'pets.ndjson')
    const run = startCli(['pets', 'import', path, '-o', 'ndjson'], {
      home: rows.home,
      env: service.env
    })
    await hasFinished(run, 100)
    change(rows.journal())
    const { code, stdout, stderr } = await run.finished
    expect(code).toBe(9)
    const { error, notices } = readStderr(stderr)
    expect(error?.message).toMatch(
      /was deleted, moved or replaced during the import|has changed the journal/
    )
    expect(stderr).not.toContain('to resume')
    expect(notices).toEqual([])
    const pets = petsIn(service.database)
    const added = stdout.match(/"added"/g)?.length ?? 0
    expect(added).toBeLessThan(3000)
    // Every row that was sent is reported.
    expect([...pets.values()].filter(ids => ids.length > 1)).toEqual([])
    expect(pets.size).toBeGreaterThanOrEqual(added)
    expect(pets.size).toBeLessThanOrEqual(added + (stdout.match(/"doubtful"/g)?.length ?? 0))
  })
})
