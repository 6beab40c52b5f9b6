import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
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

const pause = (milliseconds: number) => new Promise(resolve => setTimeout(resolve, milliseconds))
const add = ['pets', 'add', '--name', 'Rex', '--category-id', '2', '--env', 'local']

/**
 * Starts the program with full pipes, sends the signal when it waits for their reader, and resolves
 * to its end.
 */
async function interrupted(
  argv: readonly string[],
  signal: 'SIGINT' | 'SIGTERM',
  isStderrFull = false
) {
  const [command = '', ...words] = programCommand
  const pipe = fullPipe()
  const child = spawn(command, [...words, ...argv], {
    env: cleanEnvironment(temporaryDirectory()),
    stdio: ['ignore', pipe, isStderrFull ? pipe : 'pipe']
  })
  const errors: Buffer[] = []
  child.stderr?.on('data', (chunk: Buffer) => errors.push(chunk))
  await pause(5000)
  const isWaiting = child.exitCode === null
  const closed = once(child, 'close')
  child.kill(signal)
  const isPrompt = await Promise.race([closed.then(() => true), pause(2000).then(() => false)])
  const last = Buffer.concat(errors).toString().trimEnd().split('\n').at(-1)
  return {
    isWaiting,
    isPrompt,
    code: child.exitCode,
    error: last ? JSON.parse(last).error : undefined
  }
}

test('while a pipe is full, a signal ends the program, and stderr says what was changed', async () => {
  const ends = await Promise.all([
    interrupted(['pets', 'list', '--env', 'local'], 'SIGTERM'),
    interrupted(add, 'SIGINT'),
    interrupted(add, 'SIGTERM', true),
    interrupted(['pets', 'list', '--watch', '0.1', '--env', 'local'], 'SIGINT'),
    interrupted(['serve', '--port', '0', '--data', ':memory:'], 'SIGTERM')
  ])
  const added = {
    message: 'interrupted, but pet 11 was added',
    exitCode: 130,
    changed: true,
    id: 11
  }
  expect(ends).toMatchObject([
    {
      isWaiting: true,
      isPrompt: true,
      code: 143,
      error: { code: 'interrupted', message: 'terminated' }
    },
    { isWaiting: true, isPrompt: true, code: 130, error: added },
    { isWaiting: true, isPrompt: true, code: 143, error: undefined },
    { isWaiting: true, isPrompt: true, code: 130, error: undefined },
    { isWaiting: true, isPrompt: true, code: 0 }
  ])
})

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends an endless jq expression', async sent => {
  const running = startCli(['pets', 'list', '--env', 'local', '--jq', 'def f: f; f'])
  // The signal must arrive while jq runs, so it is sent again and again.
  const killing = setInterval(() => running.child.kill(sent), 200)
  const { code, signal, stdout } = await running.finished
  clearInterval(killing)
  expect([signal, code]).toContain(signal === null ? { SIGINT: 130, SIGTERM: 143 }[sent] : sent)
  expect(stdout).toBe('')
})
