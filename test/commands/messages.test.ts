import { expect, test } from 'vitest'
import { runCli } from '../support/run-cli.ts'
import { service } from './service.ts'

const reply = { id: 'm1', message: 'hello', status: 'queued', createdAt: '2026-01-01T00:00:00Z' }

const serving = (json: unknown = reply) => service({ status: 202, json })

test.each([
  [['hello'], '', 'hello'],
  [[], 'two\nlines\n\n', 'two\nlines\n'],
  [['-'], 'a line\r\n', 'a line'],
  [['-'], '  ', '  '],
  [['é\u202e'], '', 'é\u202e']
])('messages send %j with the input %j sends %j', async (words, stdin, message) => {
  const { server, env } = await serving()
  const run = await runCli(['messages', 'send', ...words], { env, stdin })
  expect(run).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(run.stdout)).toEqual(reply)
  expect(server.requests).toMatchObject([{ method: 'POST', path: '/messages' }])
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({ message })
})

test('one line in a terminal confirms it, and says that it is only queued', async () => {
  const { env } = await serving()
  const run = await runCli(['messages', 'send', 'hello'], { env, terminal: true })
  expect(run).toMatchObject({ code: 0, stdout: '' })
  expect(run.stderr.match(/\n/g)).toHaveLength(1)
  expect(run.stderr).toMatch(/sent message m1 to production; it is queued, not delivered yet/)
})

test.each([
  [[''], '', 'the message is empty'],
  [[], '\n', 'the message is empty']
])('%j with the input %j is a usage error, and nothing is sent', async (words, stdin, problem) => {
  const { server, env } = await serving()
  const run = await runCli(['messages', 'send', ...words], { env, stdin })
  expect(run).toMatchObject({ code: 2, stdout: '' })
  expect(JSON.parse(run.stderr).error.message).toBe(problem)
  expect(server.connections()).toBe(0)
})
