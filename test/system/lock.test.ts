import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { Failure } from '../../src/failure.ts'
import { takeLock } from '../../src/system/lock.ts'
import { pause } from '../../src/system/promises.ts'
import { bundle } from '../support/bundle.ts'
import { needs, withOwnPids } from '../support/needs.ts'
import { temporaryDirectory } from '../support/temp.ts'

let programs = ''
let holderProgram = ''
let file = ''

beforeAll(async () => {
  programs = mkdtempSync(join(tmpdir(), 'petstore-lock-'))
  holderProgram = await bundle(join(import.meta.dirname, 'lock-holder.ts'), programs)
})
afterAll(() => rmSync(programs, { recursive: true }))
beforeEach(() => {
  file = join(temporaryDirectory(), 'data.json')
})

const { signal } = new AbortController()
const take = (milliseconds = 0, stop = signal) =>
  takeLock({ file, what: 'the file', milliseconds, signal: stop })

const heldByAnother = () => ({
  code: 'local',
  isRetryable: true,
  message: `another petstore process is using the file ${file}`
})

test('a second lock is refused until the first is released', async () => {
  const release = await take()
  await expect(take(50)).rejects.toMatchObject(heldByAnother())
  release()
  const releaseSecond = await take()
  releaseSecond()
  expect(statSync(`${file}.lock.db`)).toMatchObject({ size: 0, mode: 0o100600 })
})

test('a wait blocks nothing, and ends with its signal', async () => {
  const release = await take()
  const controller = new AbortController()
  const waiting = take(60_000, controller.signal)
  await pause(50)
  const reason = new Failure('interrupted', 'interrupted')
  controller.abort(reason)
  await expect(waiting).rejects.toBe(reason)
  release()
})

test('fifty callers all get the lock, one at a time', async () => {
  let inside = 0
  const work = async () => {
    const release = await take(60_000)
    expect(inside++).toBe(0)
    await pause(1)
    inside--
    release()
  }
  await Promise.all(Array.from({ length: 50 }, work))
})

test('what is no lock is refused', async () => {
  writeFileSync(`${file}.lock.db`, 'mine'.repeat(1000))
  const problem = `the file ${file} cannot be locked: file is not a database`
  await expect(take()).rejects.toMatchObject({ code: 'local', message: problem })
})

test('kill -9 of its holder frees the lock', async () => {
  const holder = await startHolder([])
  await expect(take()).rejects.toMatchObject(heldByAnother())
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  const release = await take()
  release()
})

needs('unshare', 'a PID namespace')('in separate PID namespaces', () => {
  test('a second lock is refused, even with equal PIDs, until the holder is killed', async () => {
    const holder = await startHolder(withOwnPids)
    expect(await firstLine(start(withOwnPids))).toBe(heldByAnother().message)
    holder.kill('SIGKILL')
    await once(holder, 'exit')
    expect(await firstLine(start(withOwnPids, '60000'))).toBe('held')
  })
})

function start(under: readonly string[], milliseconds = '0'): ChildProcess {
  const [command = '', ...rest] = [...under, process.execPath, holderProgram, file, milliseconds]
  const child = spawn(command, rest, { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
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
