import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { needs } from '../support/needs.ts'
import { recordingServer } from '../support/recording-server.ts'
import { runCli } from '../support/run-cli.ts'
import { cleanEnvironment, programCommand } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { openTerminal } from '../support/terminal.ts'

const run = promisify(execFile)

const key = 'sk_test_12345678'

needs('expect')('auth login through expect', () => {
  test.each(['xterm', 'dumb'])('never shows the key, also with TERM=%s', async term => {
    const home = temporaryDirectory()
    const script = [
      `set timeout 20; spawn -noecho ${programCommand.join(' ')} auth login --no-verify`,
      // Before the program asks.
      'send "https://pets.example/v1\\r"',
      'expect "hidden"; send "$env(KEY)\\r"; expect eof',
      'lassign [wait] pid id os code; exit $code'
    ].join('\n')
    const env = { ...cleanEnvironment(home), TERM: term, KEY: key }
    const { stdout } = await run('expect', ['-c', script], { env })
    expect(stdout).toContain("logged in to 'production' (key ")
    expect(stdout).not.toContain('sk_test')
  })
})

needs('tmux')('auth login in a terminal', () => {
  test('prompts for the URL and the key, and never shows the key', async () => {
    const server = await recordingServer({ json: [] })
    const home = temporaryDirectory()
    const terminal = await openTerminal([...programCommand, 'auth', 'login'], { home })
    await terminal.waitFor('Base URL of')
    await terminal.type(server.url)
    await terminal.press('Enter')
    await terminal.waitFor("API key for 'production'")
    await terminal.type(key)
    await terminal.press('Enter')
    expect(await terminal.exitCode()).toBe(0)
    const screen = await terminal.screen({ withEscapes: true })
    expect(screen).not.toContain(key)
    expect(screen).toContain("logged in to 'production' (key ")
    expect((await runCli(['auth', 'token'], { home })).stdout).toBe(`${key}\n`)
  })

  test('takes the URL and the key from one paste, and never shows the key', async () => {
    const server = await recordingServer({ json: [] })
    const home = temporaryDirectory()
    const argv = ['auth', 'login', '--env', 'dev']
    const terminal = await openTerminal([...programCommand, ...argv], { home })
    await terminal.waitFor('Base URL of')
    await terminal.type(`${server.url}\r${key}\r${key}\r`)
    expect(await terminal.exitCode()).toBe(0)
    const screen = await terminal.screen({ withEscapes: true })
    expect(screen).not.toContain('sk_test')
    expect(screen).toContain("logged in to 'dev' (key ")
    expect((await runCli(['auth', 'token', '--env', 'dev'], { home })).stdout).toBe(`${key}\n`)
  })

  test('Ctrl-C at the prompt exits with 130 and saves nothing', async () => {
    const home = temporaryDirectory()
    const terminal = await openTerminal([...programCommand, 'auth', 'login'], { home })
    await terminal.waitFor('Base URL of')
    await terminal.press('C-c')
    expect(await terminal.exitCode()).toBe(130)
    expect(readdirSync(home)).toEqual([])
  })
})
