import { expect, test } from 'vitest'
import { buildProgram } from '../../src/cli/program.ts'
import { topics } from '../../src/cli/topics.ts'
import { pathBelow, walkTree } from '../../src/cli/tree.ts'
import { needs } from '../support/needs.ts'
import { binPath, nodePath, spawnCli } from '../support/spawn-cli.ts'
import { openTerminal } from '../support/terminal.ts'

const commandPages = walkTree(buildProgram('0.0.0')).map((command) => `${pathBelow(command)} --help`.trim())
// The skill is a file for programs, with longer lines.
const topicPages = topics.filter(({ text }) => text === undefined).map(({ name }) => `help ${name}`)
const pages = ['', ...commandPages, ...topicPages]

/** More pages would exceed the scrollback of the terminal. */
const pagesPerTerminal = 8

/** Their texts are in docs/reference.md, and other widths in test/cli/page.test.ts. */
needs('tmux')('the pages of help', () => {
  test('have the same lines in a color terminal of 80 columns and in a pipe', { timeout: 120_000 }, async () => {
    for (let first = 0; first < pages.length; first += pagesPerTerminal) {
      const names = pages.slice(first, first + pagesPerTerminal)
      const shown = await pagesOnScreen(names)
      const printed = await Promise.all(names.map(async (page) => (await spawnCli(argvOf(page))).stdout.trimEnd()))
      expect(shown).toEqual(printed)
    }
  })

  test('have bold headings in a color terminal', async () => {
    const terminal = await openTerminal([nodePath, binPath, 'pets', 'list', '--help'])
    expect(await terminal.exitCode()).toBe(0)
    expect(await terminal.screen({ withEscapes: true })).toContain('\u001b[1mUsage:')
  })
})

async function pagesOnScreen(names: readonly string[]): Promise<string[]> {
  const script = names.map((name) => `echo '${separator}'; "$0" "$1" ${name}`).join('\n')
  const terminal = await openTerminal(['bash', '-c', script, nodePath, binPath], { columns: 80, rows: 50 })
  expect(await terminal.exitCode()).toBe(0)
  const rows = (await terminal.rows()).map((row) => row.trimEnd())
  return rows
    .join('\n')
    .split(new RegExp(`^${separator}\\n`, 'm'))
    .slice(1)
    .map((page) => page.trimEnd())
}

const separator = '-----8<-----'

const argvOf = (page: string) => page.split(' ').filter((word) => word !== '')
