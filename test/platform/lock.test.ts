import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { realPrograms } from '../../src/platform/host.ts'
import { holdLock, withLock } from '../../src/platform/lock.ts'
import { temporaryDirectory } from '../support/temp.ts'

const token = '0123456789abcdef'
let directory: string
let path: string

beforeEach(() => {
  directory = temporaryDirectory()
  path = join(directory, 'config.json.lock')
})

test('a lock names its holder while the section runs, and is gone afterwards', async () => {
  const holder = await withLock(path, realPrograms(), () => readlinkSync(path))
  expect(holder).toMatch(new RegExp(`^${process.pid}\\.[0-9a-f]{16}$`))
  expect(readdirSync(directory)).toEqual([])
})

test('a lock is given back when the section fails', async () => {
  await expect(
    withLock(path, realPrograms(), () => {
      throw new RangeError('failed')
    }),
  ).rejects.toThrow(RangeError)
  expect(readdirSync(directory)).toEqual([])
})

describe('an abandoned lock is taken over', () => {
  test('from a dead program, by one of many at a time', async () => {
    symlinkSync(`${deadPid()}.${token}`, path)
    let running = 0
    const section = () => {
      running += 1
      expect(running).toBe(1)
      running -= 1
    }
    await Promise.all(Array.from({ length: 20 }, () => withLock(path, realPrograms(), section)))
    expect(readdirSync(directory)).toEqual([])
  })

  test('from a dead program whose heir died in taking it over, and the heir of that one too', async () => {
    const [first, second, third] = [deadPid(), deadPid(), deadPid()].map((pid) => `${pid}.${token}`)
    symlinkSync(`${first}`, path)
    symlinkSync(`${second}`, `${path}.${first}`)
    symlinkSync(`${third}`, `${path}.${first}.${second}`)
    await withLock(path, realPrograms(), () => undefined)
    expect(readdirSync(directory)).toEqual([])
  })

  test('from a program that had the number of this one, as in a container', async () => {
    symlinkSync(`${process.pid}.${token}`, path)
    await withLock(path, realPrograms(), () => undefined)
    expect(existsSync(path)).toBe(false)
  })

  test('but not while another living program is taking it over', async () => {
    const dead = `${deadPid()}.${token}`
    const { pid } = livingProgram()
    symlinkSync(dead, path)
    symlinkSync(`${pid}.${token}`, `${path}.${dead}`)
    await expect(withLock(path, realPrograms(), () => undefined)).rejects.toMatchObject({ code: 'local' })
    expect(readlinkSync(path)).toBe(dead)
  })
})

describe('a lock that stays held ends in 9 after five seconds', () => {
  test("with the living holder's number", async () => {
    const { pid } = livingProgram()
    symlinkSync(`${pid}.${token}`, path)
    const begun = performance.now()
    await expect(withLock(path, realPrograms(), () => undefined)).rejects.toMatchObject({
      code: 'local',
      exitCode: 9,
      isRetryable: true,
      message: expect.stringContaining(`process ${pid}`),
    })
    expect(performance.now() - begun).toBeGreaterThan(5_000)
    expect(readlinkSync(path)).toBe(`${pid}.${token}`)
  })

  test('with the way to remove it where it is no lock of this program', async () => {
    writeFileSync(path, 'foreign')
    await expect(withLock(path, realPrograms(), () => undefined)).rejects.toMatchObject({
      code: 'local',
      hint: `rm ${path}`,
    })
    expect(existsSync(path)).toBe(true)
  })
})

test('a lock that its holder gives back in time is waited for', async () => {
  const holder = livingProgram()
  symlinkSync(`${holder.pid}.${token}`, path)
  const waiting = withLock(path, realPrograms(), () => 'mine')
  holder.kill('SIGKILL')
  expect(await waiting).toBe('mine')
})

describe('a lock that is held', () => {
  test('is there until it is given back', async () => {
    const release = await holdLock(path, realPrograms(), 'the journal')
    expect(readlinkSync(path)).toMatch(new RegExp(`^${process.pid}\\.`))
    release()
    expect(readdirSync(directory)).toEqual([])
  })

  test('refuses a second one at once, with the number of the first', async () => {
    const { pid } = livingProgram()
    symlinkSync(`${pid}.${token}`, path)
    await expect(holdLock(path, realPrograms(), 'the journal')).rejects.toMatchObject({
      code: 'local',
      isRetryable: true,
      message: `another program (process ${pid}) is at work on the journal`,
    })
    expect(readlinkSync(path)).toBe(`${pid}.${token}`)
  })

  test('is not held by the dead', async () => {
    symlinkSync(`${deadPid()}.${token}`, path)
    const release = await holdLock(path, realPrograms(), 'the journal')
    expect(readlinkSync(path)).toMatch(new RegExp(`^${process.pid}\\.`))
    release()
  })
})

/** The number of a program that has ended and was waited for. */
function deadPid(): number {
  return spawnSync(process.execPath, ['--version']).pid
}

function livingProgram(): ChildProcess {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  return child
}
