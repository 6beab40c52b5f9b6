import { expect, test } from 'vitest'
import { buildProgram } from '../../src/cli/program.ts'
import { topics } from '../../src/cli/topics.ts'
import { pathBelow, walkTree } from '../../src/cli/tree.ts'
import { needs } from '../support/needs.ts'
import { eachWidth } from '../support/screen-text.ts'
import { binPath, nodePath, spawnCli } from '../support/spawn-cli.ts'
import { openTerminal } from '../support/terminal.ts'

const commandPages = walkTree(buildProgram('0.0.0')).map((command) => `${pathBelow(command)} --help`.trim())
const topicPages = topics.map(({ name }) => `help ${name}`)
const pages = ['', ...commandPages, ...topicPages]

/** More pages would exceed the scrollback of the terminal. */
const pagesPerTerminal = 8

needs('tmux')('the pages of help', () => {
  test('have the same words in a color terminal and in a pipe, at every width', { timeout: 360_000 }, async () => {
    const texts = await eachWidth(async (columns) => {
      const shown: string[] = []
      for (let first = 0; first < pages.length; first += pagesPerTerminal) {
        shown.push(...(await pagesOnScreen(pages.slice(first, first + pagesPerTerminal), columns)))
      }
      for (const [index, page] of pages.entries()) {
        const { stdout } = await spawnCli(argvOf(page))
        expect({ page, columns, words: wordsOf(shown[index] ?? '') }).toEqual({ page, columns, words: wordsOf(stdout) })
      }
      return pages.map((page, index) => `${'='.repeat(8)} petstore ${page}\n\n${shown[index]}`).join('\n\n')
    })
    await expect(texts).toMatchFileSnapshot('snapshots/pages.txt')
  })

  test('have bold headings in a color terminal', async () => {
    const terminal = await openTerminal([nodePath, binPath, 'pets', 'list', '--help'])
    expect(await terminal.exitCode()).toBe(0)
    expect(await terminal.screen({ withEscapes: true })).toContain('\u001b[1mUsage:')
  })
})

/** The pages on the screen of a terminal, with lines wrapped by the terminal. */
async function pagesOnScreen(names: readonly string[], columns: number): Promise<string[]> {
  const script = names.map((name) => `echo '${separator}'; "$0" "$1" ${name}`).join('\n')
  const terminal = await openTerminal(['bash', '-c', script, nodePath, binPath], { columns, rows: 50 })
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

/** Without whitespace, because a terminal wraps a long command at any character. */
const wordsOf = (text: string) => text.replace(/\s+/g, '')
