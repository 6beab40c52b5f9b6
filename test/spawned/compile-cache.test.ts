import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { needs } from '../support/needs.ts'
import { isStandalone, spawnCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

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
    test('is not used, as under sudo', async () => {
      const home = temporaryDirectory()
      chownSync(home, 54321, 54321)
      await helpIn(home)
      expect(cachesIn(join(home, '.cache/petstore'))).toBe(0)
    })
  })
})
