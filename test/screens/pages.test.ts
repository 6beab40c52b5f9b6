import { expect, test } from 'vitest'
import { needs } from '../support/needs.ts'
import { runCli } from '../support/run-cli.ts'
import { binPath, nodePath } from '../support/spawn-cli.ts'
import { openTerminal } from '../support/terminal.ts'

/** All texts are in docs/reference.md, and all pages at several widths in test/cli/page.test.ts. */
needs('tmux')('a page of help', () => {
  test.each([
    ['pets', 'import', '--help'],
    ['help', 'environment']
  ])('%s %s %s has the same lines in a terminal and in a pipe', async (...words) => {
    const argv = words.filter(word => word !== undefined)
    const terminal = await openTerminal([nodePath, binPath, ...argv], { rows: 50 })
    expect(await terminal.exitCode()).toBe(0)
    const rows = (await terminal.rows()).map(row => row.trimEnd())
    expect(rows.join('\n')).toBe((await runCli(argv)).stdout.trimEnd())
  })
})
