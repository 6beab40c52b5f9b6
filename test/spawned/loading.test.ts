import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadedBy } from '../support/loaded.ts'
import { needs } from '../support/needs.ts'
import { recordingServer } from '../support/recording-server.ts'
import { isStandalone, spawnCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

/** Modules that take a few milliseconds each. */
const forTls = ['http2', 'tls', '_tls_wrap', 'crypto']
const expensive = [...forTls, 'http', 'https', 'child_process', 'internal/deps/undici/undici']
const pets = [{ id: 1, name: 'Rex', categoryId: 2, status: 'available' }]

describe('a command loads only what it needs', () => {
  test.each([
    ['--version', 1],
    ['--help', 2],
    ['pets list --help', 2],
    ['help exit-codes', 2]
  ])('%s', async (line, most) => {
    const { code, files, modules } = await loadedBy(line.split(' '))
    expect(code).toBe(0)
    expect(files.length).toBeLessThanOrEqual(most)
    expect(modules.filter(name => [...expensive, 'net'].includes(name))).toEqual([])
  })

  test('pets list over http: nothing for TLS, also with a saved key', async () => {
    const home = temporaryDirectory()
    const server = await recordingServer({ json: pets })
    const login = ['auth', 'login', '--no-verify', '--base-url', `${server.url}/v1`]
    await spawnCli(login, { home, input: 'secret' })
    const { code, files, modules } = await loadedBy(['pets', 'list'], { home })
    expect(code).toBe(0)
    expect(files.length).toBeLessThanOrEqual(4)
    expect(modules.filter(name => expensive.includes(name))).toEqual([])
  })

  test('pets list --env local: nothing of the network', async () => {
    const { code, modules } = await loadedBy(['pets', 'list', '--env', 'local'])
    expect(code).toBe(0)
    const ofNetwork = ['net', 'tls', 'http', 'http2', 'internal/deps/undici/undici']
    expect(modules.filter(name => ofNetwork.includes(name))).toEqual([])
  })
})

describe.skipIf(isStandalone)("Node's compile cache", () => {
  /** Node 20 has none. */
  const expected = 'enableCompileCache' in process.getBuiltinModule('node:module') ? 1 : 0
  const cachesIn = (directory: string) =>
    existsSync(directory) ? readdirSync(directory).length : 0

  async function helpIn(home: string, env: Record<string, string> = {}) {
    const { code, stderr } = await spawnCli(['--help'], { home, env, cwd: '/' })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  }

  test('is in ~/.cache or XDG_CACHE_HOME, for the user alone', async () => {
    const home = temporaryDirectory()
    await helpIn(home)
    await helpIn(home, { XDG_CACHE_HOME: join(home, 'own') })
    for (const directory of [join(home, '.cache/petstore'), join(home, 'own/petstore')]) {
      expect(cachesIn(directory)).toBe(expected)
      if (expected > 0) expect(statSync(directory).mode & 0o777).toBe(0o700)
    }
  })

  test('is not used where others can write, and nothing is written in a home like /proc', async () => {
    const home = temporaryDirectory()
    const directory = join(home, '.cache/petstore')
    mkdirSync(directory, { recursive: true })
    chmodSync(directory, 0o777)
    await helpIn(home)
    expect(cachesIn(directory)).toBe(0)
    await helpIn('/proc')
  })

  needs('root')('of another user', () => {
    test.each(['', '.cache', '.cache/petstore'])('is not used, as under sudo: %j', async folder => {
      const home = temporaryDirectory()
      const directory = join(home, '.cache/petstore')
      mkdirSync(directory, { recursive: true, mode: 0o700 })
      chownSync(join(home, folder), 54321, 54321)
      await helpIn(home)
      expect(cachesIn(directory)).toBe(0)
    })
  })
})
