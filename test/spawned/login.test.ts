import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { needs } from '../support/needs.ts'
import { recordingServer } from '../support/recording-server.ts'
import { runCli } from '../support/run-cli.ts'
import { programCommand } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { openTerminal } from '../support/terminal.ts'

const key = 'sk_test_12345678'

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

  test('Ctrl-C at the prompt exits with 130 and saves nothing', async () => {
    const home = temporaryDirectory()
    const terminal = await openTerminal([...programCommand, 'auth', 'login'], { home })
    await terminal.waitFor('Base URL of')
    await terminal.press('C-c')
    expect(await terminal.exitCode()).toBe(130)
    expect(readdirSync(home)).toEqual([])
  })
})
