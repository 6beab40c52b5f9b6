import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { recordingServer } from '../support/recording-server.ts'
import { startCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

/** With characters that JSON escapes. */
const canary = 'k"4&+/%y'

test('a crash is reported as a bug, without the key', async () => {
  const server = await recordingServer(() => undefined)
  const crash = join(temporaryDirectory(), 'crash.cjs')
  const fault = `new Error('no address: ' + ${JSON.stringify(canary)})`
  writeFileSync(crash, `process.on('SIGUSR2', () => { throw ${fault} })`)
  const running = startCli(['pets', 'list', '-o', 'table'], {
    env: { PETSTORE_API_KEY: canary, PETSTORE_BASE_URL: server.url },
    nodeArguments: ['--require', crash]
  })
  await server.received(1)
  running.child.kill('SIGUSR2')
  const { code, stderr } = await running.finished
  expect([code, stderr.replace(/\s+/g, ' ')]).toEqual([
    1,
    expect.stringContaining('a bug in petstore: no address: ***')
  ])
  for (const written of [canary, JSON.stringify(canary).slice(1, -1)])
    expect(stderr).not.toContain(written)
})

test('Node writes no key into a diagnostic report', async () => {
  const server = await recordingServer(() => undefined)
  const reports = temporaryDirectory()
  const running = startCli(['pets', 'list'], {
    env: { PETSTORE_API_KEY: canary, PETSTORE_BASE_URL: server.url },
    nodeArguments: ['--report-on-signal', `--report-directory=${reports}`]
  })
  await server.received(1)
  running.child.kill('SIGUSR2')
  await running.printed('stderr', 'Node.js report completed')
  running.child.kill('SIGINT')
  await running.finished
  const [report = ''] = readdirSync(reports)
  const text = readFileSync(join(reports, report), 'utf8')
  expect(JSON.parse(text).environmentVariables).toMatchObject({ PETSTORE_BASE_URL: server.url })
  expect(text).not.toContain(JSON.stringify(canary).slice(1, -1))
})
