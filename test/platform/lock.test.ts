import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { Failure } from '../../src/failure.ts'
import { takeLock } from '../../src/platform/lock.ts'
import { pause } from '../../src/platform/promises.ts'
import { loadSqlite } from '../../src/platform/sqlite.ts'
import { bundle } from '../support/bundle.ts'
import { isRoot, needs, withOwnPids } from '../support/needs.ts'
import { temporaryDirectory } from '../support/temp.ts'

let programs: string
let holderProgram: string
let directory: string
let file: string
let lock: string

beforeAll(async () => {
  programs = mkdtempSync(join(tmpdir(), 'petstore-lock-'))
  holderProgram = await bundle(join(import.meta.dirname, 'lock-holder.ts'), programs)
})
afterAll(() => rmSync(programs, { recursive: true, force: true }))

beforeEach(() => {
  directory = temporaryDirectory()
  file = join(directory, 'data.json')
  lock = `${file}.lock.db`
})

const take = (options: { file?: string; milliseconds?: number; signal?: AbortSignal } = {}) =>
  takeLock({ file, what: 'the file', milliseconds: 0, ...options })

const heldByAnother = () => ({
  code: 'local',
  message: `another petstore process is using the file ${file} (lock: ${lock})`
})

describe('in one process', () => {
  test('a second lock is refused until the first is released', async () => {
    const release = await take()
    await expect(take()).rejects.toMatchObject(heldByAnother())
    release?.()
    const releaseSecond = await take()
    expect(releaseSecond).toBeTypeOf('function')
    releaseSecond?.()
  })

  test('the lock is one empty, private file, and the protected file is not touched', async () => {
    const umask = process.umask(0o277)
    const release = await take().finally(() => process.umask(umask))
    expect(readdirSync(directory)).toEqual(['data.json.lock.db'])
    expect(lstatSync(lock)).toMatchObject({ size: 0 })
    expect(lstatSync(lock).mode & 0o777).toBe(0o600)
    release?.()
    expect(readdirSync(directory)).toEqual(['data.json.lock.db'])
  })

  test('a release ends a wait, and the wait does not block the event loop', async () => {
    const release = await take()
    const waiting = take({ milliseconds: 60_000 })
    // A blocking wait would prevent these turns of the event loop.
    for (let turn = 0; turn < 3; turn += 1) await pause(20)
    release?.()
    const releaseSecond = await waiting
    releaseSecond?.()
  })

  test('a wait ends when its signal aborts', async () => {
    const release = await take()
    const controller = new AbortController()
    const waiting = take({ milliseconds: 60_000, signal: controller.signal })
    const reason = new Failure('interrupted', 'interrupted')
    controller.abort(reason)
    await expect(waiting).rejects.toBe(reason)
    release?.()
  })

  test('a wait fails after the time limit, and can be repeated', async () => {
    const release = await take()
    await expect(take({ milliseconds: 50 })).rejects.toMatchObject({
      ...heldByAnother(),
      isRetryable: true
    })
    release?.()
  })

  test.each(['link', 'link-to-link', 'other/data.json', 'other/../data.json'])(
    '%s is locked by its real path',
    async name => {
      writeFileSync(file, '')
      symlinkSync('data.json', join(directory, 'link'))
      symlinkSync('link', join(directory, 'link-to-link'))
      mkdirSync(join(directory, 'below'))
      symlinkSync(join(directory, 'below'), join(directory, 'other'))
      symlinkSync('../data.json', join(directory, 'below', 'data.json'))
      const release = await take({ file: join(directory, name) })
      await expect(take()).rejects.toMatchObject(heldByAnother())
      release?.()
    }
  )

  test('a link to a file that does not exist yet is locked by its target', async () => {
    symlinkSync('data.json', join(directory, 'link'))
    const release = await take({ file: join(directory, 'link') })
    await expect(take()).rejects.toMatchObject(heldByAnother())
    release?.()
  })

  test('twenty callers all get the lock, one at a time', async () => {
    let inside = 0
    let most = 0
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const release = await take({ milliseconds: 60_000 })
        inside += 1
        most = Math.max(most, inside)
        await pause(1)
        inside -= 1
        release?.()
      })
    )
    expect(most).toBe(1)
  })
})

describe('another file at the path of the lock', () => {
  const left = {
    code: 'local',
    message: expect.stringContaining(`.lock.db is not a petstore lock`)
  }

  test('a file with other content is refused and left unchanged', async () => {
    writeFileSync(lock, 'mine'.repeat(1000))
    await expect(take()).rejects.toMatchObject(left)
    expect(readFileSync(lock, 'utf8')).toBe('mine'.repeat(1000))
  })

  test('a database of another program is refused and left unchanged', async () => {
    const database = await loadSqlite()(lock)
    database.exec('CREATE TABLE theirs (id INTEGER)')
    database.close()
    const before = readFileSync(lock)
    await expect(take()).rejects.toMatchObject(left)
    expect(readFileSync(lock)).toEqual(before)
  })

  test('a link is refused and not followed', async () => {
    symlinkSync('elsewhere', lock)
    await expect(take()).rejects.toMatchObject(left)
    expect(readdirSync(directory)).toEqual(['data.json.lock.db'])
  })

  test('a directory is refused', async () => {
    mkdirSync(lock)
    await expect(take()).rejects.toMatchObject(left)
  })

  test('a missing directory is an error with the path', async () => {
    const missing = join(directory, 'missing', 'data.json')
    await expect(take({ file: missing })).rejects.toMatchObject({
      code: 'local',
      message: `cannot lock ${missing}.lock.db: no such file or directory`,
      hint: `ls -ld ${join(directory, 'missing')}`
    })
  })

  test.skipIf(isRoot())('a read-only directory is an error with the reason', async () => {
    chmodSync(directory, 0o500)
    await expect(take()).rejects.toMatchObject({
      code: 'local',
      message: `cannot lock ${lock}: permission denied`
    })
  })

  test('a link left by version 0.1.0 is ignored', async () => {
    symlinkSync('1.0123456789abcdef', `${file}.lock`)
    const release = await take()
    release?.()
  })
})

describe('between processes', () => {
  test('a second lock is refused until the holder is killed', async () => {
    const holder = await startHolder([])
    await expect(take()).rejects.toMatchObject(heldByAnother())
    holder.kill('SIGKILL')
    await once(holder, 'exit')
    const release = await take()
    release?.()
  })

  needs('unshare', 'a PID namespace')('in separate PID namespaces', () => {
    test('a second lock is refused, even with equal PIDs, until the holder is killed', async () => {
      const holder = await startHolder(withOwnPids)
      await expect(take()).rejects.toMatchObject(heldByAnother())
      expect(await firstLine(start(withOwnPids))).toBe(heldByAnother().message)
      holder.kill('SIGKILL')
      await once(holder, 'exit')
      expect(await firstLine(start(withOwnPids, '60000'))).toBe('held')
    })
  })
})

function start(under: readonly string[], milliseconds = '0'): ChildProcess {
  const [command = '', ...rest] = [...under, process.execPath, holderProgram, file, milliseconds]
  const child = spawn(command, rest, { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  return child
}

async function startHolder(under: readonly string[]): Promise<ChildProcess> {
  const holder = start(under)
  expect(await firstLine(holder)).toBe('held')
  return holder
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  for await (const chunk of stdout ?? []) return String(chunk).trim()
  return ''
}
