import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { takeLock } from '../../src/system/lock.ts'
import { isRoot, needs } from '../support/needs.ts'
import { asUnknownUser, installForAllUsers } from '../support/other-user.ts'
import { spawnCli, startCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

describe('a user who cannot', () => {
  /** Root is always permitted, so these tests run as another user. */
  const under = isRoot() ? asUnknownUser : []
  const asOrdinaryUser = (line: string, env: Record<string, string | undefined>, cwd = '/') =>
    spawnCli(line.split(' '), { env, under, program: installForAllUsers(), cwd })

  function saveForOrdinaryUser(file: number, directory: number): string {
    const home = temporaryDirectory()
    chmodSync(home, 0o755)
    const place = join(home, 'config')
    mkdirSync(place)
    const path = join(place, 'config.json')
    writeFileSync(path, '{"environment":"staging"}')
    if (isRoot()) for (const each of [place, path]) chownSync(each, 54_321, 54_321)
    chmodSync(path, file)
    chmodSync(place, directory)
    onTestFinished(() => chmodSync(place, 0o700))
    return place
  }

  test('read the file gets 9, and it is left as it is', async () => {
    const place = saveForOrdinaryUser(0, 0o700)
    for (const line of ['env list', 'env use production'])
      expect(await asOrdinaryUser(line, { PETSTORE_CONFIG_DIR: place })).toMatchObject({
        code: 9,
        stdout: '',
        stderr: expect.stringContaining('permission denied')
      })
    chmodSync(join(place, 'config.json'), 0o600)
    expect(readFileSync(join(place, 'config.json'), 'utf8')).toBe('{"environment":"staging"}')
  })

  test('write the directory can read, and gets 9 when saving', async () => {
    const place = saveForOrdinaryUser(0o400, 0o500)
    const env = { PETSTORE_CONFIG_DIR: place }
    expect((await asOrdinaryUser('env list -o tsv', env)).stdout).toContain('staging\ttrue')
    const saving = await asOrdinaryUser('env use local', env)
    expect(saving).toMatchObject({ code: 9, stderr: expect.stringContaining('is unchanged') })
    expect(readdirSync(place)).toEqual(['config.json'])
  })

  needs('setpriv', 'root')('be found in /etc/passwd', () => {
    test.each([undefined, ''])('can run with HOME=%j, and gets 9 when saving', async HOME => {
      const cwd = temporaryDirectory()
      chmodSync(cwd, 0o777)
      expect((await asOrdinaryUser('env list', { HOME }, cwd)).code).toBe(0)
      for (const line of ['env use staging', 'pets list --env local', 'serve']) {
        const saving = await asOrdinaryUser(line, { HOME }, cwd)
        expect(saving).toMatchObject({ code: 9, stdout: '' })
        expect(saving.stderr).toContain('export PETSTORE_CONFIG_DIR=')
      }
      expect(readdirSync(cwd)).toEqual([])
    })
  })
})

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143]
] as const)('%s ends the wait for the lock of another program', async (signal, expected) => {
  const directory = temporaryDirectory()
  const file = join(directory, 'config.json')
  const lock = { file, what: 'the config file', milliseconds: 0 }
  const release = await takeLock({ ...lock, signal: new AbortController().signal })
  onTestFinished(release)
  const running = startCli(['env', 'use', 'staging'], { env: { PETSTORE_CONFIG_DIR: directory } })
  while (!hasOpen(running.child.pid, `${file}.lock.db`)) await new Promise(setImmediate)
  running.child.kill(signal)
  const { code, stdout } = await running.finished
  expect({ code, stdout }).toEqual({ code: expected, stdout: '' })
  expect(readdirSync(directory)).toEqual(['config.json.lock.db'])
})

function hasOpen(pid: number | undefined, path: string): boolean {
  const descriptors = `/proc/${pid}/fd`
  return readdirSync(descriptors).some(name => {
    // What is no file has no such path, and any may be closed by now.
    const link = statSync(join(descriptors, name), { throwIfNoEntry: false })
    return link?.isFile() && existsSync(path) && link.ino === statSync(path).ino
  })
}

test('a config file that is a named pipe is 9, and waits for no writer', async () => {
  const place = temporaryDirectory()
  const path = join(place, 'config.json')
  execFileSync('mkfifo', [path])
  for (const line of ['config list', 'config set timeout 5'])
    expect(await spawnCli(line.split(' '), { env: { PETSTORE_CONFIG_DIR: place } })).toMatchObject({
      code: 9,
      stderr: expect.stringContaining(`the config file ${path} is a named pipe`)
    })
})
