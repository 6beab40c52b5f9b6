import { expect, test } from 'vitest'
import { needs } from '../support/needs.ts'
import { recordingServer } from '../support/recording-server.ts'
import { runCli } from '../support/run-cli.ts'
import { programCommand } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { openTerminal } from '../support/terminal.ts'

const key = 'sk_test_12345678'

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
