import { describe, expect, test } from 'vitest'
import { needs } from '../support/needs.ts'
import { binPath, nodePath, spawnCli } from '../support/spawn-cli.ts'
import { openTerminal } from '../support/terminal.ts'

const pages = [
  ['--help'],
  ['pets', 'list', '--help'],
  ['help', 'exit-codes'],
  ['help', 'formats'],
  ['help', 'environment'],
  ['help', 'import'],
  ['help', 'security'],
]

needs('tmux')('a page of help', () => {
  describe.each(pages.map((argv) => [argv.join(' '), argv] as const))('%s', (_, argv) => {
    test('has the same words in a color terminal and in a pipe', async () => {
      const { stdout } = await spawnCli(argv)
      const terminal = await openTerminal([nodePath, binPath, ...argv], { columns: 80, rows: 50 })
      expect(await terminal.exitCode()).toBe(0)
      expect(await terminal.screen({ withEscapes: true })).toContain('\u001b[1m')
      expect(wordsOf(await terminal.screen())).toEqual(wordsOf(stdout))
    })
  })
})

const wordsOf = (text: string) => text.trim().split(/\s+/)
