import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { needs } from '../support/needs.ts'
import { openTerminal } from '../support/terminal.ts'

const node = (script: string) => [process.execPath, '-e', script]

needs('tmux')('a terminal', () => {
  test('reports the screen if the expected text does not appear', async () => {
    const terminal = await openTerminal(node("console.log('something else')"))
    await terminal.waitFor('else')
    await expect(terminal.waitFor('never', { within: 0 })).rejects.toThrow(
      /never did not appear.*something else/s
    )
  })

  test('ends its command when it is closed', async () => {
    const terminal = await openTerminal(
      node("console.log('pid', process.pid); setInterval(() => {}, 1e6)")
    )
    const shown = await terminal.waitFor(/pid \d+/)
    await terminal.close()
    const pid = /pid (\d+)/.exec(shown)?.[1]
    await expect.poll(() => isRunning(String(pid)), { timeout: 10_000 }).toBe(false)
  })
})

/** An ended process stays in the table as a zombie until its parent reads its exit code. */
async function isRunning(pid: string): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z')
  return !/\) [ZX]/.test(stat)
}
