import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
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

test('while stdout is full, a signal ends the program, and stderr says what was changed', async () => {
  const [command = '', ...words] = programCommand
  const child = spawn(command, [...words, ...add], {
    env: cleanEnvironment(temporaryDirectory()),
    stdio: ['ignore', fullPipe(), 'pipe']
  })
  const errors = text(child.stderr as Readable)
  await pause(5000)
  expect(child.exitCode).toBeNull()
  child.kill('SIGINT')
  const [code] = await Promise.race([once(child, 'close'), pause(2000).then(() => ['late'])])
  expect(code).toBe(130)
  const message = 'interrupted, but pet 11 was added'
  expect(JSON.parse(await errors).error).toMatchObject({ message, changed: true, id: 11 })
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
