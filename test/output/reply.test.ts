import { describe, expect, test } from 'vitest'
import { printBytes, printReply } from '../../src/output/reply.ts'
import { type Case, outputOf } from './hosts.ts'

test.each([
  ['are exact in a pipe', false, 'a\u001b[2J', 'a\u001b[2J'],
  ['are harmless in a terminal, and end the line', true, 'a\u001b[2J', 'a␛[2J\n'],
  ['with a final newline get no second one', true, 'a\n', 'a\n']
])('bytes %s', async (_, isTerminal, bytes, text) => {
  const { host, read } = outputOf({ isTerminal })
  await printBytes(host, Buffer.from(bytes))
  expect((await read()).stdout).toBe(text)
})

describe('a reply', () => {
  const printed = async (wanted: Case, body: string | Buffer, isError: boolean) => {
    const { host, output, read } = outputOf({ format: 'table', ...wanted })
    await printReply(host, output, Buffer.from(body), isError)
    return (await read()).stdout
  }

  test.each<[string, Case, boolean, string, string]>([
    ['is exact in a pipe', {}, false, '{"a":1}', '{"a":1}'],
    ['is indented in a terminal', { isTerminal: true }, false, '{"a":1}', '{\n  "a": 1\n}\n'],
    ['that is empty is nothing', { isTerminal: true, jq: '.' }, false, '', ''],
    ['that is not JSON is text', { isTerminal: true }, false, 'no', 'no\n'],
    ['is what --jq makes of it', { jq: '.a' }, false, '{"a":1}', '1\n'],
    ['is not changed by --jq if it is an error', { jq: '.a' }, true, '{"a":1}', '{"a":1}']
  ])('%s', async (_, wanted, isError, body, text) => {
    expect(await printed(wanted, body, isError)).toBe(text)
  })

  test.each(['<html>', Buffer.from([0x22, 0xff, 0x22])])(
    'that --jq cannot read is an error: %s',
    async body => {
      const failure = { exitCode: 9, message: '--jq: the reply is not JSON' }
      await expect(printed({ jq: '.' }, body, false)).rejects.toMatchObject(failure)
    }
  )
})
