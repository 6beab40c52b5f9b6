import { execFileSync } from 'node:child_process'
import { readdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { needs } from '../support/needs.ts'
import { startCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

/** Starts a command that reads a named pipe, and waits until it has opened it. */
async function startWithPipe(...words: string[]) {
  const pipe = join(temporaryDirectory(), 'pipe')
  execFileSync('mkfifo', [pipe])
  const running = startCli(['pets', ...words, pipe, '--env', 'local'])
  const files = `/proc/${running.child.pid}/fd`
  const opened = () =>
    readdirSync(files).map(name => {
      try {
        return readlinkSync(join(files, name))
      } catch {
        // It was closed meanwhile.
        return undefined
      }
    })
  await vi.waitFor(() => expect(opened()).toContain(pipe), { timeout: 10_000 })
  return { running, pipe }
}

needs('mkfifo')('a named pipe', () => {
  test.each([
    [['import'], 'SIGINT', 130],
    [['import'], 'SIGTERM', 143],
    [['add', '--file'], 'SIGINT', 130]
  ] as const)('without a writer: %j ends with a signal (%s)', async (words, signal, code) => {
    const { running } = await startWithPipe(...words)
    running.child.kill(signal)
    expect(await running.finished).toMatchObject({ code, stdout: '' })
  })

  test('is read when its writer comes', async () => {
    const { running, pipe } = await startWithPipe('import')
    writeFileSync(pipe, 'name,categoryId\nRex,2\n')
    expect(await running.finished).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"line":2,"outcome":"added"')
    })
  })
})
