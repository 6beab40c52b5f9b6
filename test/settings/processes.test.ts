import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundle } from '../support/bundle.ts'
import { needs, withOwnPids } from '../support/needs.ts'
import { temporaryDirectory } from '../support/temp.ts'

let programs: string
let writer: string

beforeAll(async () => {
  programs = mkdtempSync(join(tmpdir(), 'petstore-writer-'))
  chmodSync(programs, 0o755)
  writer = await bundle(join(import.meta.dirname, 'writer.ts'), programs)
})
afterAll(() => rmSync(programs, { recursive: true, force: true }))

test('twenty programs that write at once lose nothing', () => writeAtOnce(20))

needs('unshare', 'a PID namespace')('in containers that share the config directory', () => {
  test('twenty programs that write at once lose nothing', () => writeAtOnce(20, withOwnPids))
})

async function writeAtOnce(count: number, under: readonly string[] = []): Promise<void> {
  const directory = temporaryDirectory()
  const names = Array.from({ length: count }, (_, index) => `environment-${index}`)
  const results = await Promise.all(names.map((name) => run([directory, name], { under })))
  expect(results).toEqual(names.map(() => ({ code: 0, stdout: '' })))
  expect(Object.keys(savedIn(directory)).sort()).toEqual(names.sort())
}

test('programs killed at any moment leave a valid file, and the next write removes their temporary files', async () => {
  const directory = temporaryDirectory()
  await run([directory, 'first'])
  for (let round = 0; round < 20; round += 1) {
    const child = spawn(process.execPath, [writer, directory, 'killed', '3000000'], { stdio: 'ignore' })
    const ended = once(child, 'exit')
    await Promise.race([ended, wait(40 + round * 6)])
    child.kill('SIGKILL')
    await ended
    expect(savedIn(directory)).toMatchObject({ first: { apiKey: 'kkkkkkkk' } })
  }
  expect(await run([directory, 'last'])).toEqual({ code: 0, stdout: '' })
  expect(readdirSync(directory).sort()).toEqual(['config.json', 'config.json.lock.db'])
})

test('a file that this user cannot read is left unchanged', async () => {
  const directory = temporaryDirectory()
  const file = join(directory, 'config.json')
  await run([directory, 'first'])
  const before = readFileSync(file)
  // Root can read every file, so the program runs as another user.
  const isRoot = process.getuid?.() === 0
  const user = isRoot ? { uid: 65_534, gid: 65_534 } : {}
  if (!isRoot) chmodSync(file, 0)
  for (const args of [[directory], [directory, 'second']]) {
    const { code, stdout } = await run(args, user)
    expect(code).toBe(9)
    expect(JSON.parse(stdout)).toMatchObject({ code: 'local', hint: expect.stringMatching(/^chmod u\+rwX /) })
  }
  chmodSync(file, 0o600)
  expect(readFileSync(file)).toEqual(before)
})

interface RunOptions {
  readonly under?: readonly string[]
  readonly uid?: number
  readonly gid?: number
}

function run(args: string[], { under = [], ...user }: RunOptions = {}): Promise<{ code: number; stdout: string }> {
  const [command = '', ...rest] = [...under, process.execPath, writer, ...args]
  return new Promise((resolve) => {
    const child = execFile(command, rest, { cwd: '/', ...user }, (_error, stdout) =>
      resolve({ code: child.exitCode ?? -1, stdout }),
    )
  })
}

function savedIn(directory: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(directory, 'config.json'), 'utf8')).environments
}
