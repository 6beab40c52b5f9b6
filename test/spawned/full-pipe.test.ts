import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { cleanEnvironment, programCommand, startCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

/** A blocking descriptor of a pipe that another program has filled, and that no program reads. */
function fullPipe(): number {
  const path = join(temporaryDirectory(), 'pipe')
  execFileSync('mkfifo', [path])
  const filler = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  try {
    for (;;) writeSync(filler, Buffer.alloc(4096))
  } catch {
    // It is full.
  }
  const pipe = openSync(path, constants.O_RDWR)
  onTestFinished(() => {
    for (const descriptor of [filler, pipe]) closeSync(descriptor)
  })
  return pipe
}

async function endOf(child: ChildProcess) {
  const since = performance.now()
  await once(child, 'close')
  return { code: child.exitCode, signal: child.signalCode, isPrompt: performance.now() - since < 2000 }
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
const add = ['pets', 'add', '--name', 'Rex', '--category-id', '2']

describe('while stdout is full, a signal ends the program', () => {
  test.each<[argv: string[], signal: 'SIGINT' | 'SIGTERM', code: number, message?: string]>([
    [['pets', 'list'], 'SIGTERM', 143, 'terminated'],
    [add, 'SIGINT', 130, 'interrupted, but pet 11 was added'],
    [['pets', 'list', '--watch', '0.1'], 'SIGINT', 130],
    [['serve', '--port', '0', '--data', ':memory:'], 'SIGTERM', 0],
  ])('%j, %s: %i', async (argv, signal, code, message) => {
    const [command = '', ...words] = programCommand
    const child = spawn(command, [...words, ...argv, ...(argv[0] === 'serve' ? [] : ['--env', 'local'])], {
      env: cleanEnvironment(temporaryDirectory()),
      stdio: ['ignore', fullPipe(), 'pipe'],
    })
    const errors: Buffer[] = []
    child.stderr?.on('data', (chunk: Buffer) => errors.push(chunk))
    // Longer than it takes to start and to fill the pipe further.
    await pause(2500)
    expect(child.exitCode).toBeNull()
    child.kill(signal)
    expect(await endOf(child)).toEqual({ code, signal: null, isPrompt: true })
    const last = Buffer.concat(errors).toString().trimEnd().split('\n').at(-1)
    if (message === undefined) return
    expect(JSON.parse(last ?? '').error).toMatchObject({ code: 'interrupted', exitCode: code, message })
    if (argv === add) expect(JSON.parse(last ?? '').error).toMatchObject({ changed: true, id: 11 })
  })

  test('and stderr too', async () => {
    const pipe = fullPipe()
    const [command = '', ...words] = programCommand
    const child = spawn(command, [...words, ...add, '--env', 'local'], {
      env: cleanEnvironment(temporaryDirectory()),
      stdio: ['ignore', pipe, pipe],
    })
    await pause(2500)
    child.kill('SIGTERM')
    expect(await endOf(child)).toEqual({ code: 143, signal: null, isPrompt: true })
  })
})

test('after a change, stderr says so before jq runs, which only a signal can end', async () => {
  const running = startCli([...add, '--env', 'local', '--jq', 'def forever: forever; forever'])
  await running.printed('stderr', '{"notice":{"code":"changed","message":"pet 11 was added"}}')
  const killed = setInterval(() => running.child.kill('SIGINT'), 200)
  const { code, signal, stdout } = await running.finished
  clearInterval(killed)
  expect(signal === 'SIGINT' || code === 130).toBe(true)
  expect(stdout).toBe('')
})
