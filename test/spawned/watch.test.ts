import { expect, test } from 'vitest'
import { needs } from '../support/needs.ts'
import { programCommand, spawnCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { openTerminal } from '../support/terminal.ts'

needs('tmux')('in a terminal', () => {
  test.each([40, 80])('of %i columns, a watch adds a line for each change', async columns => {
    const home = temporaryDirectory()
    const watch = [...programCommand, 'pets', 'list', '--env', 'local', '--watch', '0.1']
    const terminal = await openTerminal(watch, { home, columns })
    await terminal.waitFor('Biscuit')
    const pet = ['--name', 'Zoë 🐇', '--category-id', '2']
    await spawnCli(['pets', 'add', '--env', 'local', ...pet], { home })
    const shown = await terminal.waitFor(/\d\d:\d\d:\d\d added 11 {2}Zoë 🐇 {2}2$/m)
    expect(shown.match(/Biscuit/g)).toHaveLength(1)
    await terminal.press('C-c')
    expect(await terminal.exitCode()).toBe(130)
    expect(await terminal.screen()).not.toContain('error')
  })
})
