import { expect, test } from 'vitest'
import { renderPage } from '../../src/cli/page.ts'
import { program } from '../../src/cli/program.ts'
import { helpTopics } from '../../src/cli/topics.ts'
import { commandName, walkTree } from '../../src/cli/tree.ts'
import { examplesIn } from '../../src/commands/declare.ts'
import { commandsOnPage } from '../support/examples.ts'
import { runCli } from '../support/run-cli.ts'

/** The pages that are made for the width of the terminal; a topic is a finished page. */
const pages = walkTree(program).map(commandName)
const wordsOf = (path: string) => path.split(' ').filter(word => word !== '')
const examples = [
  ...walkTree(program).flatMap(command => examplesIn(command)),
  ...helpTopics().flatMap(({ page }) => commandsOnPage(page))
]

/** Breaking these would change them: a command, its comment in a script, and a single long word. */
const isUnbreakable = (line: string) =>
  examples.some(([command, about]) => line.trim() === command || line === `# ${about}`) ||
  !line.replace(/^\s*([#-] )?/, '').includes(' ')

test.each([20, 27, 40, 57, 80, 132, 300])(
  'every page fits a terminal of %i columns',
  async columns => {
    for (const page of pages) {
      const { stdout } = await runCli(['help', ...wordsOf(page)], {
        columns,
        terminal: { stdout: true },
        env: noColor
      })
      const tooWide = stdout
        .split('\n')
        .filter(line => line.length > columns && !isUnbreakable(line))
      expect({ page, tooWide }).toEqual({ page, tooWide: [] })
      expect(stdout).not.toMatch(/[ \t]$|\(\)|undefined/m)
    }
  }
)

const noColor = { NO_COLOR: '1' }

test('every example fits 80 columns', () => {
  expect(examples.flat().filter(text => text.length > 78)).toEqual([])
})

test('a comment that is wrapped is a comment on each line', () => {
  const commands = [['petstore', 'a comment that needs two lines here']] as const
  expect(renderPage([{ commands }], 30).split('\n')).toEqual([
    '  # a comment that needs two',
    '  # lines here',
    '  petstore'
  ])
})

test.each([20, 40, 132])(
  'every page has the same words at %i columns and in a pipe',
  async columns => {
    // A comment of an example repeats its mark on each line.
    const wordsIn = (page: string) => page.replace(/^ *# /gm, '').split(/\s+/)
    for (const page of pages) {
      const argv = ['help', ...wordsOf(page)]
      const { stdout } = await runCli(argv, { columns, terminal: { stdout: true }, env: noColor })
      expect(wordsIn(stdout)).toEqual(wordsIn((await runCli(argv)).stdout))
    }
  }
)

test('every page has the same lines at 80 columns and in a pipe', async () => {
  for (const page of pages) {
    const argv = ['help', ...wordsOf(page)]
    const { stdout } = await runCli(argv, { columns: 80, terminal: { stdout: true }, env: noColor })
    expect(stdout).toBe((await runCli(argv)).stdout)
  }
})

test('a page uses the width of the terminal', async () => {
  const linesAt = async (columns: number) => {
    const { stdout } = await runCli(['help', 'serve'], { columns, terminal: { stdout: true } })
    return stdout.split('\n').length
  }
  expect(await linesAt(300)).toBeLessThan(await linesAt(80))
})

test('a description is beside its term if 28 columns are left for it, else below', () => {
  const description = 'a description that is as wide'
  const linesAt = (width: number) =>
    renderPage([{ entries: [['--name', description]] }], width).split('\n')
  expect(linesAt(10 + 28)).toEqual(['  --name  a description that is as', '          wide'])
  expect(linesAt(10 + 27)).toEqual(['  --name', `      ${description}`])
})

test('a page in a pipe has 80 columns, whatever the width of the terminal on stderr', async () => {
  const inPipe = await runCli(['--help'], { columns: 300, terminal: { stderr: true } })
  expect(inPipe.stdout).toBe((await runCli(['--help'], { columns: 80 })).stdout)
})
