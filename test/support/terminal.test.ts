import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { needs } from './needs.ts'
import { openTerminal } from './terminal.ts'

const node = (script: string) => [process.execPath, '-e', script]

needs('tmux')('a terminal', () => {
  test('is a TTY of the given size', async () => {
    const terminal = await openTerminal(
      node('console.log([0, 1, 2].every((fd) => tty.isatty(fd)), process.stdout.columns, process.stdout.rows)'),
      { columns: 100, rows: 30 },
    )
    await terminal.waitFor('true 100 30')
    expect(await terminal.exitCode()).toBe(0)
    expect(await terminal.screen()).toBe('true 100 30')
  })

  test('types text, presses keys and waits for output', async () => {
    const terminal = await openTerminal(node("process.stdin.on('data', (line) => console.log('got <' + line + '>'))"))
    await terminal.type("it's $HOME; a -l --b")
    await terminal.press('Enter')
    await terminal.waitFor("got <it's $HOME; a -l --b")
    await terminal.press('C-c')
    expect(await terminal.exitCode()).toBe(130)
  })

  test('shows colors as escapes on request', async () => {
    const terminal = await openTerminal(node("console.log('\\x1b[31mred\\x1b[0m', '🐈 ü')"))
    await terminal.exitCode()
    expect(await terminal.screen()).toBe('red 🐈 ü')
    expect(await terminal.screen({ withEscapes: true })).toContain('\x1b[31mred')
  })

  test('has a clean environment with the given variables', async () => {
    const terminal = await openTerminal(node('console.log(process.env.CI, process.env.PETSTORE_ENV)'), {
      env: { PETSTORE_ENV: 'local' },
    })
    await terminal.waitFor('undefined local')
  })

  test('is resized while a command runs', async () => {
    const terminal = await openTerminal(
      node(
        "console.log('up'); process.stdout.on('resize', () => console.log('now', process.stdout.columns)); setInterval(() => {}, 1e6)",
      ),
    )
    await terminal.waitFor('up')
    await terminal.resize(60, 10)
    await terminal.waitFor('now 60')
  })

  test("returns a command's exit code", async () => {
    const terminal = await openTerminal(node('process.exitCode = 7'))
    expect(await terminal.exitCode()).toBe(7)
  })

  test('reports the screen if the expected text does not appear', async () => {
    const terminal = await openTerminal(node("console.log('something else')"))
    await terminal.waitFor('else')
    await expect(terminal.waitFor('never', { within: 0 })).rejects.toThrow(/never did not appear.*something else/s)
  })

  test('ends its command when it is closed', async () => {
    const terminal = await openTerminal(node("console.log('pid', process.pid); setInterval(() => {}, 1e6)"))
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
