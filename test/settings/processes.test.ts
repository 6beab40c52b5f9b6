import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryDirectory } from '../support/temp.ts'

/** The store in programs of its own: bundled, since Node 20 runs no TypeScript. */
let programs: string
let writer: string

beforeAll(async () => {
  programs = mkdtempSync(join(tmpdir(), 'petstore-writer-'))
  chmodSync(programs, 0o755)
  const bundle = await rolldown({ input: join(import.meta.dirname, 'writer.ts'), platform: 'node', logLevel: 'silent' })
  await bundle.write({ dir: programs, format: 'esm', entryFileNames: 'writer.mjs', chunkFileNames: '[name].mjs' })
  writer = join(programs, 'writer.mjs')
})
afterAll(() => rmSync(programs, { recursive: true, force: true }))

test('twenty programs at once lose nothing', async () => {
  const directory = temporaryDirectory()
  const names = Array.from({ length: 20 }, (_, index) => `environment-${index}`)
  const results = await Promise.all(names.map((name) => run([directory, name])))
  expect(results).toEqual(names.map(() => ({ code: 0, stdout: '' })))
  expect(Object.keys(keptIn(directory)).sort()).toEqual(names.sort())
})

test('killed at any moment they leave a file that parses and, after the next write, no other', async () => {
  const directory = temporaryDirectory()
  await run([directory, 'first'])
  for (let round = 0; round < 20; round += 1) {
    const child = spawn(process.execPath, [writer, directory, 'killed', '3000000'], { stdio: 'ignore' })
    const ended = once(child, 'exit')
    await Promise.race([ended, wait(40 + round * 6)])
    child.kill('SIGKILL')
    await ended
    expect(keptIn(directory)).toMatchObject({ first: { apiKey: 'kkkkkkkk' } })
  }
  expect(await run([directory, 'last'])).toEqual({ code: 0, stdout: '' })
  expect(readdirSync(directory)).toEqual(['config.json'])
})

test('a user who may not read is told so, and the file stays as it is', async () => {
  const directory = temporaryDirectory()
  const file = join(directory, 'config.json')
  await run([directory, 'first'])
  const before = readFileSync(file)
  // Root may read whatever its mode is, and so becomes somebody else.
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

function run(args: string[], user: { uid?: number; gid?: number } = {}): Promise<{ code: number; stdout: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [writer, ...args], { cwd: '/', ...user }, (_error, stdout) =>
      resolve({ code: child.exitCode ?? -1, stdout }),
    )
  })
}

function keptIn(directory: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(directory, 'config.json'), 'utf8')).environments
}
