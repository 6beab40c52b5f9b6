import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { needs, withOwnPids } from '../support/needs.ts'
import { spawnCli, startCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

const list = ['pets', 'list', '--env', 'local', '--retries', '0']
const add = (name: string) => [
  ...['pets', 'add', '--name', name, '--category-id', '1'],
  ...['--env', 'local', '--retries', '0']
]

/** Runs a program that gets a signal from the operating system when it makes a call on a file. */
function withSignal(signal: string, call: string, path: string, output = '/dev/null'): string[] {
  const traced = [`--trace-path=${path}`, `--trace=${call}`, `--inject=${call}:signal=${signal}`]
  return ['strace', '-f', '--quiet=all', '-o', output, ...traced]
}

/** A home with local data; its log is where changes are written first. */
async function usedHome() {
  const home = temporaryDirectory()
  expect(await spawnCli(list, { home })).toMatchObject({ code: 0 })
  return { home, log: join(home, '.config', 'petstore', 'local.db-wal') }
}

/** Starts a command that stops at the call. Returns a function that lets it continue. */
async function pausedProgram(home: string, argv: readonly string[], call: string, path: string) {
  const output = join(home, 'strace')
  const under = withSignal('SIGSTOP:when=1', call, path, output)
  const running = startCli(argv, { home, under })
  running.child.stdin.end()
  const stoppedProcess = () => {
    const text = existsSync(output) ? readFileSync(output, 'utf8') : ''
    return /^(\d+) +--- stopped by SIGSTOP ---$/m.exec(text)?.[1]
  }
  const pid = Number(await vi.waitUntil(stoppedProcess, { timeout: 20_000 }))
  let isPaused = true
  onTestFinished(() => {
    if (isPaused) process.kill(pid, 'SIGKILL')
  })
  return () => {
    isPaused = false
    process.kill(pid, 'SIGCONT')
    return running.finished
  }
}

const isLocked = {
  code: 7,
  error: expect.objectContaining({ code: 'service', status: 503, retryable: true })
}

async function attempt(argv: readonly string[], home: string, under: readonly string[] = []) {
  const { code, stderr } = await spawnCli(argv, { home, under })
  const { error } = stderr === '' ? {} : JSON.parse(stderr)
  // A hint that moves or deletes the data would lose what is fine.
  expect(error?.hint ?? '').toMatch(/^(petstore .*)?$/)
  return { code, error }
}

needs('strace', 'a PID namespace')('while another petstore is paused', () => {
  test.each([
    ['this system', []],
    ['another container', withOwnPids]
  ])('in a change, reads continue and changes are refused: from %s', async (_, under) => {
    const { home, log } = await usedHome()
    const resume = await pausedProgram(home, add('Paused'), 'pwrite64', log)
    expect(await attempt(list, home, under)).toEqual({ code: 0, error: undefined })
    expect(await attempt(add('Refused'), home, under)).toEqual(isLocked)
    expect(await resume()).toMatchObject({ code: 0 })
    expect(await attempt(add('Later'), home, under)).toEqual({ code: 0, error: undefined })
    const names = await spawnCli([...list, '--jq', '.[10:][].name'], { home })
    expect(names.stdout).toBe('Paused\nLater\n')
  })

  test('in its opening, a command says that the data is locked', { timeout: 60_000 }, async () => {
    const { home, log } = await usedHome()
    // It leaves a log, which the next program reads while it excludes all others. The first sync
    // is that of the log's head.
    const under = withSignal('SIGKILL:when=2', 'fsync,fdatasync', log)
    expect(await spawnCli(add('Killed'), { home, under })).toMatchObject({ signal: 'SIGKILL' })
    const resume = await pausedProgram(home, list, 'pread64', log)
    const serve = ['serve', '--port', '0', '--json', '--data', log.replace(/-wal$/, '')]
    const [read, change, service] = await Promise.all(
      [list, add('Refused'), serve].map(argv => attempt(argv, home))
    )
    expect(read).toEqual(isLocked)
    expect(change).toEqual(isLocked)
    expect(service).toEqual({
      code: 9,
      error: expect.objectContaining({
        code: 'local',
        message: expect.stringContaining('another program has locked the database'),
        retryable: true
      })
    })
    expect(await resume()).toMatchObject({ code: 0 })
    expect(await attempt(add('Later'), home)).toEqual({ code: 0, error: undefined })
  })
})
