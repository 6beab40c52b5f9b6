import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadSqlite } from '../../src/platform/sqlite.ts'
import { needs } from '../support/needs.ts'
import { binPath, cleanEnvironment, nodePath } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

/**
 * The calls that can fail, and the errors that each gets in turn; with PETSTORE_TEST_ALL_FAULTS=1,
 * one after another.
 */
const errorsByCall: Readonly<Record<string, readonly string[]>> = {
  openat: ['EIO', 'EROFS', 'ENOSPC', 'EDQUOT'],
  read: ['EIO'],
  pread64: ['EIO'],
  write: ['ENOSPC', 'EIO', 'EDQUOT'],
  pwrite64: ['ENOSPC', 'EIO', 'EDQUOT'],
  fsync: ['EIO', 'ENOSPC'],
  fdatasync: ['EIO', 'ENOSPC', 'EDQUOT'],
  ftruncate: ['EIO'],
  rename: ['EIO', 'ENOSPC', 'EROFS', 'EDQUOT'],
  unlink: ['EIO', 'EROFS'],
  close: ['EIO']
}

interface Fault {
  readonly call: string
  readonly error: string
  /** Which call of this kind fails: 1 is the first. */
  readonly when: number
}

interface Run {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** The calls that strace saw on the files. */
  readonly calls: readonly string[]
}

/** Runs the program; only its calls on these files are seen and can fail. */
function run(
  argv: readonly string[],
  directory: string,
  files: readonly string[],
  fault?: Fault
): Promise<Run> {
  const inject =
    fault === undefined ? [] : [`--inject=${fault.call}:error=${fault.error}:when=${fault.when}`]
  const traced = [
    `--trace=${Object.keys(errorsByCall).join(',')}`,
    ...files.flatMap(file => ['-P', file])
  ]
  return runUnderStrace([...traced, ...inject], argv, directory)
}

function runUnderStrace(
  options: readonly string[],
  argv: readonly string[],
  directory: string
): Promise<Run> {
  const log = join(temporaryDirectory(), 'strace.log')
  const command = ['-f', '-qq', '-o', log, ...options, nodePath, binPath, ...argv]
  const env = cleanEnvironment(directory, { PETSTORE_CONFIG_DIR: directory })
  return new Promise(resolve => {
    const cwd = existsSync(directory) ? directory : '/'
    const child = execFile(
      'strace',
      command,
      { env, cwd, timeout: 60_000 },
      (_, stdout, stderr) => {
        const calls = readFileSync(log, 'utf8').match(/(?<=^\d+\s+)\w+(?=\()/gm) ?? []
        resolve({ code: child.exitCode, stdout, stderr, calls })
      }
    )
    child.stdin?.end()
  })
}

/** One fault for each call that the command makes on the files. */
async function faultsOf(
  argv: readonly string[],
  directory: string,
  files: readonly string[]
): Promise<Fault[]> {
  const { calls } = await run(argv, directory, files)
  const counts: Record<string, number> = {}
  return calls.flatMap(call => {
    const when = (counts[call] ?? 0) + 1
    counts[call] = when
    const errors = errorsByCall[call] ?? []
    if (process.env.PETSTORE_TEST_ALL_FAULTS) return errors.map(error => ({ call, when, error }))
    return [{ call, when, error: errors[when % errors.length] ?? 'EIO' }]
  })
}

/**
 * Runs the check for every fault, as many at once as the machine has cores, and returns what went
 * wrong.
 */
async function problemsOf(
  faults: readonly Fault[],
  check: (fault: Fault) => Promise<string | undefined>
) {
  const problems: string[] = []
  const waiting = [...faults]
  const work = async () => {
    for (let fault = waiting.shift(); fault !== undefined; fault = waiting.shift()) {
      const problem = await check(fault)
      if (problem !== undefined)
        problems.push(`${fault.call} ${fault.when} ${fault.error}: ${problem}`)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  console.log(`${faults.length} faults, ${problems.length} problems`)
  return problems
}

/** A copy of the directory for one fault. */
function copyOf(directory: string): string {
  const copy = join(temporaryDirectory(), 'config')
  cpSync(directory, copy, { recursive: true })
  return copy
}

const databaseFiles = (directory: string) =>
  ['local.db', 'local.db-wal', 'local.db-shm', 'local.db-journal'].map(name =>
    join(directory, name)
  )

/** How often the name is in the database; undefined if the database is not whole. */
function countIn(directory: string, name: string): number | undefined {
  const path = join(directory, 'local.db')
  if (!existsSync(path)) return 0
  const connection = loadSqlite()(path)
  try {
    if (connection.rows('PRAGMA integrity_check')[0]?.integrity_check !== 'ok') return undefined
    if (connection.rows("SELECT 1 FROM sqlite_master WHERE name = 'pets'")[0] === undefined)
      return 0
    return Number(
      connection.rows('SELECT count(*) AS count FROM pets WHERE name = ?', name)[0]?.count
    )
  } finally {
    connection.close()
  }
}

/** A single read that fails is repeated, so the file never seems damaged. */
const isBug = ({ stderr }: Run) => /bug in petstore|malformed/.test(stderr)
const last = (text: string) => text.trim().split('\n').at(-1)
const withoutRetries = (stderr: string) => stderr.replaceAll(/^.*"code":"retrying".*\n/gm, '')

needs('strace')('several programs', () => {
  test('can create the database at once, even if every lock takes 5 ms', async () => {
    for (let round = 0; round < 5; round += 1) {
      const directory = join(temporaryDirectory(), 'config')
      const runs = await Promise.all(
        ['A', 'B', 'C'].map(name => {
          const add = ['pets', 'add', '--name', name, '--category-id', '1', '--env', 'local']
          return runUnderStrace(
            ['--trace=fcntl', '--inject=fcntl:delay_enter=5000'],
            add,
            directory
          )
        })
      )
      // With slow locks, a program may wait longer than the second after which it tries again.
      expect(runs.map(({ code }) => code)).toEqual([0, 0, 0])
      expect(runs.map(({ stderr }) => withoutRetries(stderr))).toEqual(['', '', ''])
      for (const name of ['A', 'B', 'C']) expect(countIn(directory, name)).toBe(1)
    }
  })

  test('an addition is on the disk before it is reported', async () => {
    const directory = join(temporaryDirectory(), 'config')
    await run(['pets', 'list', '--env', 'local', '--quiet'], directory, [])
    const add = ['pets', 'add', '--name', 'Rex', '--category-id', '1', '--env', 'local']
    const wal = join(directory, 'local.db-wal')
    const { calls } = await run(add, directory, [wal])
    const lastWrite = calls.findLastIndex(call => call.startsWith('pwrite'))
    expect(lastWrite).toBeGreaterThan(-1)
    expect(calls.slice(lastWrite)).toContainEqual(expect.stringMatching(/^f(data)?sync$/))
  })

  test('wait for one that holds the database, with a notice', async () => {
    const directory = join(temporaryDirectory(), 'config')
    await run(['pets', 'list', '--env', 'local', '--quiet'], directory, [])
    const holder = loadSqlite()(join(directory, 'local.db'))
    holder.exec('BEGIN IMMEDIATE')
    const adding = run(
      ['pets', 'add', '--name', 'Late', '--category-id', '1', '--env', 'local'],
      directory,
      []
    )
    setTimeout(() => holder.close(), 2500)
    const { code, stderr } = await adding
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('"retrying"') })
    expect(countIn(directory, 'Late')).toBe(1)
  })
})

needs('strace')('whatever call fails', () => {
  const add = ['pets', 'add', '--name', 'Rex', '--category-id', '1', '--env', 'local']

  describe.each([
    ['a new database', []],
    ['an existing database', ['pets', 'list', '--env', 'local', '--quiet']]
  ])('in %s', (_, prepare) => {
    test('a pet is stored exactly if the exit code says so', async () => {
      const original = join(temporaryDirectory(), 'config')
      mkdirSync(original, { mode: 0o700 })
      if (prepare.length > 0) await run(prepare, original, [])
      const trial = copyOf(original)
      const faults = await faultsOf(add, trial, databaseFiles(trial))
      expect(faults.length).toBeGreaterThan(20)
      const problems = await problemsOf(faults, async fault => {
        const directory = copyOf(original)
        const faulty = await run(add, directory, databaseFiles(directory), fault)
        const stored = countIn(directory, 'Rex')
        const expected = { 0: [1], 9: [0], 10: [0, 1] }[faulty.code ?? -1]
        if (isBug(faulty) || stored === undefined || !expected?.includes(stored)) {
          return `${faulty.code}, ${stored} stored, ${last(faulty.stderr)}`
        }
        const again = await run(add, directory, [])
        return again.code === 0 && countIn(directory, 'Rex') === stored + 1
          ? undefined
          : `later: ${again.stderr}`
      })
      expect(problems).toEqual([])
    })
  })

  test('a lock that SQLite cannot give back does not lock the database for this program', async () => {
    const original = join(temporaryDirectory(), 'config')
    mkdirSync(original, { mode: 0o700 })
    await run(['pets', 'list', '--env', 'local', '--quiet'], original, [])
    const addUnderStrace = (directory: string, options: readonly string[]) => {
      const path = join(directory, 'local.db-shm')
      return runUnderStrace(['--trace=fcntl', '-P', path, ...options], add, directory)
    }
    const { calls } = await addUnderStrace(copyOf(original), [])
    expect(calls.length).toBeGreaterThan(10)
    const faults = calls.map((_, index) => ({ call: 'fcntl', when: index + 1, error: 'EIO' }))
    const problems = await problemsOf(faults, async ({ when }) => {
      const directory = copyOf(original)
      const { code, stderr } = await addUnderStrace(directory, [
        `--inject=fcntl:error=EIO:when=${when}`
      ])
      // A lock that cannot be taken is an error of this machine.
      const isStored = code === 0 && stderr === '' && countIn(directory, 'Rex') === 1
      const isRefused = code === 9 && !stderr.includes('locked') && countIn(directory, 'Rex') === 0
      return isStored || isRefused ? undefined : `${code}, ${stderr}`
    })
    expect(problems).toEqual([])
  })

  test('the config file has the old or the new settings, as the exit code says', async () => {
    const original = join(temporaryDirectory(), 'config')
    mkdirSync(original, { mode: 0o700 })
    const before = { environments: { dev: { baseUrl: 'https://dev.example', apiKey: 'secret' } } }
    const save = (directory: string) =>
      writeFileSync(join(directory, 'config.json'), JSON.stringify(before), { mode: 0o600 })
    save(original)
    await run(['config', 'set', 'timeout', '5'], original, [])
    save(original)
    const argv = ['config', 'set', 'timeout', '7']
    const filesOf = (directory: string) => [
      directory,
      join(directory, 'config.json'),
      join(directory, 'config.json.lock.db')
    ]
    const trial = copyOf(original)
    const onFiles = await faultsOf(argv, trial, filesOf(trial))
    // The temporary file has another name each time, so these are the calls of the whole process.
    // Writes to it are in the test of a full disk.
    const calls = ['fsync', 'rename'].flatMap(call =>
      (errorsByCall[call] ?? []).flatMap(error => [1, 2].map(when => ({ call, error, when })))
    )
    const check = (filter: (directory: string) => string[]) => async (fault: Fault) => {
      const directory = copyOf(original)
      const faulty = await run(argv, directory, filter(directory), fault)
      const text = readFileSync(join(directory, 'config.json'), 'utf8')
      const saved = { ...before, preferences: { timeout: 7 } }
      const content = JSON.stringify(JSON.parse(text))
      const isNew = content === JSON.stringify(saved)
      // Node itself aborts if it cannot close a file that it reads for conf.
      const isExpected = faulty.code === 9 || (faulty.code === null && fault.call === 'close')
      const isRight = faulty.code === 0 ? isNew : isExpected && content === JSON.stringify(before)
      if (isBug(faulty) || !isRight) return `${faulty.code}, ${text}, ${last(faulty.stderr)}`
      const again = await run(argv, directory, [])
      return again.code === 0 ? undefined : `later: ${again.stderr}`
    }
    const problems = await problemsOf(onFiles, check(filesOf))
    problems.push(
      ...(await problemsOf(
        calls,
        check(() => [])
      ))
    )
    expect(problems).toEqual([])
  })

  test('an import adds every row once, or names it as doubtful', async () => {
    const original = join(temporaryDirectory(), 'config')
    mkdirSync(original, { mode: 0o700 })
    writeFileSync(
      join(original, 'pets.ndjson'),
      '{"name":"A","categoryId":1}\n{"name":"B","categoryId":1}\n'
    )
    await run(['pets', 'list', '--env', 'local', '--quiet'], original, [])
    const argv = ['pets', 'import', 'pets.ndjson', '--env', 'local', '--journal', 'j', '--json']
    const filesOf = (directory: string) => [
      join(directory, 'j'),
      join(directory, 'j.lock.db'),
      join(directory, 'pets.ndjson')
    ]
    const trial = copyOf(original)
    const faults = await faultsOf(argv, trial, filesOf(trial))
    const problems = await problemsOf(faults, async fault => {
      const directory = copyOf(original)
      const faulty = await run(argv, directory, filesOf(directory), fault)
      if (isBug(faulty) || ![0, 8, 9].includes(faulty.code ?? -1))
        return `${faulty.code}, ${last(faulty.stderr)}`
      const again = await run(argv, directory, [])
      const counts = ['A', 'B'].map(name => countIn(directory, name) ?? 2)
      const isRight = again.code === 0 ? counts.every(count => count === 1) : again.code === 8
      return isRight && Math.max(...counts) <= 1
        ? undefined
        : `${faulty.code}, then ${again.code}: ${counts}, ${last(faulty.stderr)}, ${last(again.stderr)}`
    })
    expect(problems).toEqual([])
  })
})
