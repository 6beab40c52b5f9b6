import { execFile } from 'node:child_process'
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
      'expect "hidden"; send "$env(KEY)\\r"; expect "none"; send "\\r"; expect eof',
      'lassign [wait] pid id os code; exit $code'
    ].join('\n')
    const env = { ...cleanEnvironment(home), TERM: term, KEY: key }
    const { stdout } = await run('expect', ['-c', script], { env })
    expect(stdout).toContain("logged in to 'production' (key ")
    expect(stdout).not.toContain('sk_test')
  })
})

needs('tmux')('auth login in a terminal', () => {
  test('takes all answers from one paste, and never shows the key', async () => {
    const server = await recordingServer({ json: [] })
    const home = temporaryDirectory()
    const argv = [...programCommand, 'auth', 'login', '--env', 'dev']
    const terminal = await openTerminal(argv, { home })
    await terminal.waitFor('Base URL of')
    await terminal.type(`${server.url}\r${key}\r\r`)
    expect(await terminal.exitCode()).toBe(0)
    const screen = await terminal.screen({ withEscapes: true })
    expect(screen).not.toContain('sk_test')
    expect(screen).toContain("logged in to 'dev' (key ")
    expect((await runCli(['auth', 'token', '--env', 'dev'], { home })).stdout).toBe(`${key}\n`)
  })
})
