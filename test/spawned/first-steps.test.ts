import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { needs } from '../support/needs.ts'
import { runCli } from '../support/run-cli.ts'
import { cleanEnvironment, programWords, spawnCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

const run = promisify(execFile)

describe('the built program', () => {
  test('lists the pets of the local service on a fresh machine', async () => {
    const { code, stdout, stderr } = await spawnCli(['pets', 'list', '--env', 'local', '--status', 'available'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout).length).toBeGreaterThan(0)
  })

  test('works with a notice if nothing can be saved', async () => {
    const { code, stdout, stderr } = await spawnCli(['pets', 'list', '--env', 'local'], {
      env: { HOME: '/dev/null/home' },
    })
    expect(code).toBe(0)
    expect(JSON.parse(stdout).length).toBeGreaterThan(0)
    expect(JSON.parse(stderr).notice.code).toBe('not-saved')
  })

  test('prints only its version', async () => {
    expect(await spawnCli(['--version'])).toEqual({ code: 0, signal: null, stdout: '0.1.0\n', stderr: '' })
  })

  test.each(['--help', '-h', 'help'])('prints the help page that the sources define: %s', async (word) => {
    const { stdout } = await runCli([word])
    expect(await spawnCli([word])).toEqual({ code: 0, signal: null, stdout, stderr: '' })
  })

  test('saves an untested key from a pipe, and prints it with auth token', async () => {
    const home = temporaryDirectory()
    const login = ['auth', 'login', '--base-url', 'https://pets.example/v1', '--no-verify']
    expect(await spawnCli(login, { home, input: 'sk_test_12345678\n' })).toMatchObject({ code: 0, stdout: '' })
    expect((await spawnCli(['auth', 'token'], { home })).stdout).toBe('sk_test_12345678\n')
  })
})

needs('jq')('in a pipe', () => {
  test('jq counts the pets', async () => {
    const home = temporaryDirectory()
    const script = `set -euo pipefail; ${programWords} pets list --env local --status available | jq length`
    const { stdout, stderr } = await run('bash', ['-c', script], { env: cleanEnvironment(home) })
    expect(Number(stdout)).toBeGreaterThan(0)
    expect(stderr).toBe('')
  })

  test('head ends a list without an error', async () => {
    const home = temporaryDirectory()
    const script = `set -euo pipefail; ${programWords} pets list --env local | head -1`
    const { stdout, stderr } = await run('bash', ['-c', script], { env: cleanEnvironment(home) })
    expect({ stdout, stderr }).toEqual({ stdout: '[\n', stderr: '' })
  })
})
