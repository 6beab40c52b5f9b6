import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { needs } from '../support/needs.ts'
import { spawnCli, startCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

function makePipe(name: string) {
  const directory = temporaryDirectory()
  const pipe = join(directory, name)
  execFileSync('mkfifo', [pipe])
  return { directory, pipe }
}

needs('mkfifo')('a named pipe without a writer', () => {
  test.each(['import', 'add --file'])('a signal ends pets %s', async words => {
    const { pipe } = makePipe('pipe')
    const running = startCli(['pets', ...words.split(' '), pipe, '--env', 'local'])
    const files = `/proc/${running.child.pid}/fd`
    const isOpen = () =>
      readdirSync(files).some(
        name => statSync(join(files, name), { throwIfNoEntry: false })?.ino === statSync(pipe).ino
      )
    await vi.waitFor(() => expect(isOpen()).toBe(true), { timeout: 10_000 })
    running.child.kill('SIGINT')
    expect(await running.finished).toMatchObject({ code: 130, stdout: '' })
  })

  test('is no config file, and is not waited for', async () => {
    const { directory, pipe } = makePipe('config.json')
    const env = { PETSTORE_CONFIG_DIR: directory }
    const run = await spawnCli(['config', 'list'], { env })
    const message = expect.stringContaining(`the config file ${pipe} is a named pipe`)
    expect(run).toMatchObject({ code: 9, stderr: message })
  })
})
