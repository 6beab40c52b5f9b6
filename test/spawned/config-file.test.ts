import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { takeLock } from '../../src/platform/lock.ts'
import { isRoot, needs } from '../support/needs.ts'
import { asUnknownUser, installForAllUsers } from '../support/other-user.ts'
import { runCli } from '../support/run-cli.ts'
import { spawnCli, startCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

let directory: string
let path: string

beforeEach(() => {
  directory = join(temporaryDirectory(), 'petstore')
  path = join(directory, 'config.json')
  mkdirSync(directory, { mode: 0o700 })
})

const petstore = (...argv: string[]) => runCli(argv, { env: { PETSTORE_CONFIG_DIR: directory } })
const readIt = () => petstore('env', 'list')
const writeIt = () => petstore('env', 'use', 'staging')

test('help, the version and the path of an unusable config file work', async () => {
  writeFileSync(path, Buffer.alloc(300))
  expect(await readIt()).toMatchObject({ code: 9, stderr: expect.stringContaining('is not JSON') })
  for (const argv of [
    ['--version'],
    ['pets', 'list', '--help'],
    ['help', 'exit-codes'],
    ['config', 'path']
  ]) {
    expect(await petstore(...argv)).toMatchObject({ code: 0, stderr: '' })
  }
})

describe('an unusual config file', () => {
  test('keeps unknown fields and exact numbers', async () => {
    const unknown =
      '"later": {\n    "count": 9007199254740993,\n    "rate": 1.10,\n    "least": -9223372036854775808\n  }'
    writeFileSync(
      path,
      `{ ${unknown}, "preferences": { "timeout": 30.0, "more": 12345678901234567890 } }`
    )
    expect((await writeIt()).code).toBe(0)
    const written = readFileSync(path, 'utf8')
    expect(written).toContain(unknown)
    expect(written).toContain('12345678901234567890')
  })

  test('is replaced, not overwritten, even if SNAP is set', async () => {
    writeFileSync(path, '{}')
    const { ino } = statSync(path)
    const { code } = await runCli(['env', 'use', 'staging'], {
      env: { PETSTORE_CONFIG_DIR: directory, SNAP: '1' }
    })
    expect(code).toBe(0)
    expect(statSync(path).ino).not.toBe(ino)
  })
})

describe('a user who cannot', () => {
  /** Root is always permitted, so these tests run as another user. */
  const under = isRoot() ? asUnknownUser : []
  const asOrdinaryUser = (argv: string[], env: Record<string, string>) =>
    spawnCli(argv, { env, under, program: installForAllUsers(), cwd: '/' })

  function saveForOrdinaryUser(
    content: string,
    modes: { file: number; directory: number }
  ): string {
    const home = temporaryDirectory()
    const place = join(home, 'config')
    mkdirSync(place)
    writeFileSync(join(place, 'config.json'), content)
    chmodSync(home, 0o755)
    if (isRoot())
      for (const each of [place, join(place, 'config.json')]) chownSync(each, 54_321, 54_321)
    chmodSync(join(place, 'config.json'), modes.file)
    chmodSync(place, modes.directory)
    onTestFinished(() => chmodSync(place, 0o700))
    return place
  }

  test('read the file gets a hint, and the file is left unchanged', async () => {
    const place = saveForOrdinaryUser('{"environment":"staging"}', { file: 0, directory: 0o700 })
    for (const argv of [
      ['env', 'list'],
      ['env', 'use', 'production']
    ]) {
      const { code, stdout, stderr } = await asOrdinaryUser(argv, { PETSTORE_CONFIG_DIR: place })
      expect({ code, stdout }).toEqual({ code: 9, stdout: '' })
      expect(JSON.parse(stderr).error.hint).toBe(`chmod u+rwX ${place}/config.json`)
    }
    expect(statSync(join(place, 'config.json')).mode & 0o777).toBe(0)
    chmodSync(join(place, 'config.json'), 0o600)
    expect(readFileSync(join(place, 'config.json'), 'utf8')).toBe('{"environment":"staging"}')
  })

  test('enter the directory above gets a hint that names it', async () => {
    const place = saveForOrdinaryUser('{}', { file: 0o600, directory: 0o700 })
    const blocked = dirname(place)
    if (isRoot()) chownSync(blocked, 54_321, 54_321)
    chmodSync(blocked, 0)
    const { code, stderr } = await asOrdinaryUser(['env', 'list'], { PETSTORE_CONFIG_DIR: place })
    chmodSync(blocked, 0o755)
    expect({ code, hint: JSON.parse(stderr).error.hint }).toEqual({
      code: 9,
      hint: `chmod u+rwX ${blocked}`
    })
  })

  test('write the local data can still read it', async () => {
    const place = saveForOrdinaryUser('{}', { file: 0o600, directory: 0o700 })
    const env = { PETSTORE_CONFIG_DIR: place }
    const add = ['pets', 'add', '--name', 'Rex', '--category-id', '1', '--env', 'local']
    expect((await asOrdinaryUser(add, env)).code).toBe(0)
    const inputs = temporaryDirectory()
    chmodSync(inputs, 0o777)
    const rows = join(inputs, 'pets.ndjson')
    writeFileSync(rows, '{"name":"A","categoryId":1}\n', { mode: 0o644 })
    for (const [target, mode] of [
      [place, 0o500],
      [join(place, 'local.db'), 0o400]
    ] as const) {
      const before = statSync(target).mode & 0o777
      chmodSync(target, mode)
      const files = readdirSync(place)
      const list = await asOrdinaryUser(
        ['pets', 'list', '--env', 'local', '--jq', '.[-1].name'],
        env
      )
      expect(list).toMatchObject({ code: 0, stdout: 'Rex\n', stderr: '' })
      const { code, stderr } = await asOrdinaryUser(add, env)
      expect({ code, hint: JSON.parse(stderr).error.hint }).toEqual({
        code: 9,
        hint: `chmod u+w ${target}`
      })
      const imported = await asOrdinaryUser(
        ['pets', 'import', rows, '--env', 'local', '--journal', `${rows}.j`],
        env
      )
      expect(imported).toMatchObject({
        code: 9,
        stderr: expect.stringContaining(`chmod u+w ${target}`)
      })
      expect(readdirSync(place)).toEqual(files)
      chmodSync(target, before)
    }
  })

  needs('setpriv', 'root')('be trusted: a config file of another user', () => {
    test('is refused, and one of root is read', async () => {
      const place = saveForOrdinaryUser('{"environment":"staging"}', {
        file: 0o644,
        directory: 0o755
      })
      const asAnother = (argv: string[]) =>
        spawnCli(argv, {
          env: { PETSTORE_CONFIG_DIR: place },
          under: ['setpriv', '--reuid=54322', '--regid=54322', '--clear-groups'],
          program: installForAllUsers(),
          cwd: '/'
        })
      const { code, stderr } = await asAnother(['env', 'list'])
      expect({ code, message: JSON.parse(stderr).error.message }).toEqual({
        code: 9,
        message: `${place}/config.json belongs to another user (54321) and was not opened: run petstore as that user`
      })
      chownSync(join(place, 'config.json'), 0, 0)
      expect((await asAnother(['env', 'list'])).code).toBe(0)
    })
  })

  test('write the config directory can still read it', async () => {
    const place = saveForOrdinaryUser('{"environment":"staging"}', {
      file: 0o400,
      directory: 0o500
    })
    const read = await asOrdinaryUser(['env', 'list', '-o', 'tsv'], { PETSTORE_CONFIG_DIR: place })
    expect(read).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining('staging\ttrue')
    })
    expect(
      (await asOrdinaryUser(['pets', 'list', '--env', 'local'], { PETSTORE_CONFIG_DIR: place }))
        .code
    ).toBe(0)
    expect(readdirSync(place)).toEqual(['config.json'])
  })

  test('write the home can read settings, but gets 9 when saving them', async () => {
    const home = temporaryDirectory()
    chmodSync(home, 0o555)
    const read = await asOrdinaryUser(['env', 'list'], { HOME: home })
    expect(read).toMatchObject({ code: 0, stderr: '' })
    const written = await asOrdinaryUser(['env', 'use', 'staging'], { HOME: home })
    expect(written).toMatchObject({ code: 9, stdout: '' })
    expect(JSON.parse(written.stderr).error.hint).toContain('PETSTORE_CONFIG_DIR')
    expect(readdirSync(home)).toEqual([])
  })

  test('write the home gets 9 from an import, whose rows would be lost', async () => {
    const home = temporaryDirectory()
    writeFileSync(join(home, 'pets.ndjson'), '{"name":"a","categoryId":1}\n', { mode: 0o644 })
    chmodSync(home, 0o555)
    const argv = ['pets', 'import', join(home, 'pets.ndjson'), '--env', 'local']
    const { code, stdout, stderr } = await asOrdinaryUser(argv, { HOME: home })
    expect({ code, stdout }).toEqual({ code: 9, stdout: '' })
    expect(JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error).toMatchObject({
      code: 'local',
      message: expect.stringMatching(/^the local data in .* cannot be written: permission denied$/),
      hint: expect.stringMatching(/^export PETSTORE_CONFIG_DIR=/)
    })
    expect(readdirSync(home)).toEqual(['pets.ndjson'])
  })

  test('read one journal can still import other files', async () => {
    const place = saveForOrdinaryUser('{}', { file: 0o600, directory: 0o700 })
    const env = { PETSTORE_CONFIG_DIR: place }
    const inputs = temporaryDirectory()
    chmodSync(inputs, 0o755)
    const add = (name: string) => {
      const path = join(inputs, `${name}.ndjson`)
      writeFileSync(path, `{"name":"${name}","categoryId":1}\n`, { mode: 0o644 })
      return asOrdinaryUser(['pets', 'import', path, '--env', 'local'], env)
    }
    const errorOf = (stderr: string) => JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error
    expect((await add('first')).code).toBe(0)
    const journals = join(place, 'journals')
    const [journal = ''] = readdirSync(journals).filter(name => name.endsWith('.journal'))
    chmodSync(join(journals, journal), 0o200)

    expect((await add('second')).code).toBe(0)
    const problem = {
      code: 'local',
      message: expect.stringMatching(/^the journal .*\.journal.* permission denied$/)
    }
    const again = await add('first')
    expect({ code: again.code, error: errorOf(again.stderr) }).toMatchObject({
      code: 9,
      error: problem
    })
  })

  needs('setpriv', 'root')('be found in /etc/passwd', () => {
    test.each([
      ['without HOME', { HOME: undefined }],
      ['with an empty HOME', { HOME: '' }]
    ])('can read, %s', async (_what, env) => {
      const program = installForAllUsers()
      const cwd = temporaryDirectory()
      chmodSync(cwd, 0o777)
      const run = (...argv: string[]) => spawnCli(argv, { env, cwd, under: asUnknownUser, program })
      expect(await run('env', 'list')).toMatchObject({ code: 0, stderr: '' })
      const list = await run('pets', 'list', '--env', 'local')
      expect(list.code).toBe(0)
      expect(JSON.parse(list.stderr).notice.code).toBe('not-saved')
      const written = await run('env', 'use', 'staging')
      expect(written).toMatchObject({ code: 9, stdout: '' })
      expect(JSON.parse(written.stderr).error.hint).toContain('PETSTORE_CONFIG_DIR')
      expect(readdirSync(cwd)).toEqual([])
    })
  })
})

describe('the lock', () => {
  const hold = () => takeLock({ file: path, what: 'the config file', milliseconds: 0 })

  test('of another program is waited for; then the command exits with 9 and the path of the lock', async () => {
    const release = await hold()
    const { code, stdout, stderr } = await spawnCli(['env', 'use', 'staging'], {
      env: { PETSTORE_CONFIG_DIR: directory }
    })
    release?.()
    expect({ code, stdout }).toEqual({ code: 9, stdout: '' })
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'local',
      message: `another petstore process is using the config file ${path} (lock: ${path}.lock.db)`,
      retryable: true
    })
    expect(readdirSync(directory)).toEqual(['config.json.lock.db'])
  })

  test('of a killed program does not delay others', async () => {
    writeFileSync(path, JSON.stringify({ later: 'x'.repeat(3_000_000) }))
    const killed = startCli(['env', 'use', 'production'], {
      env: { PETSTORE_CONFIG_DIR: directory }
    })
    while (!readdirSync(directory).includes('config.json.lock.db')) await wait(1)
    killed.child.kill('SIGKILL')
    await killed.finished
    expect((await writeIt()).code).toBe(0)
    expect(readdirSync(directory).sort()).toEqual(['config.json', 'config.json.lock.db'])
  })

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143]
  ] as const)('%s ends the wait for it', async (signal, expected) => {
    const release = await hold()
    const running = startCli(['env', 'use', 'staging'], { env: { PETSTORE_CONFIG_DIR: directory } })
    const isWaiting = () => openFiles(running.child.pid).includes(`${path}.lock.db`)
    while (!isWaiting()) await wait(1)
    running.child.kill(signal)
    const { code, signal: killedBy, stdout, stderr } = await running.finished
    release?.()
    expect({ code, killedBy, stdout }).toEqual({ code: expected, killedBy: null, stdout: '' })
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'interrupted', exitCode: expected })
    expect(readdirSync(directory)).toEqual(['config.json.lock.db'])
  })
})

/** The paths of a process's open files. */
function openFiles(pid: number | undefined): string[] {
  try {
    const directory = `/proc/${pid}/fd`
    return readdirSync(directory).map(name => readlinkSync(join(directory, name)))
  } catch {
    // The file was closed between the two calls.
    return []
  }
}
