import { describe, expect, test } from 'vitest'
import { largestJson } from '../../src/model/json.ts'
import { createOutput } from '../../src/output/output.ts'
import { printBytes, printReply } from '../../src/output/reply.ts'
import { recordingHost, undisturbed } from './hosts.ts'

function printerOf({ isTerminal = false, jq }: { isTerminal?: boolean; jq?: string }) {
  const { host, read } = recordingHost({ isTerminal })
  const chosen = { format: 'table', color: 'never', jq, quiet: false } as const
  const output = createOutput({
    host,
    settings: async () => chosen,
    presentation: async () => chosen,
    ...undisturbed
  })
  return { host, output, read }
}

describe('bytes', () => {
  test.each([
    ['are exact in a pipe', false, 'a\u001b[2J', 'a\u001b[2J'],
    ['are harmless in a terminal, and end the line', true, 'a\u001b[2J', 'a␛[2J\n'],
    ['with a final newline get no second one', true, 'a\n', 'a\n'],
    ['that are empty write nothing in a terminal', true, '', '']
  ])('%s', async (_, isTerminal, bytes, text) => {
    const { host, read } = printerOf({ isTerminal })
    await printBytes(host, Buffer.from(bytes))
    expect((await read()).stdout).toBe(text)
  })
})

test('a character that two pieces of a large reply share is whole in a terminal', async () => {
  const { host, read } = printerOf({ isTerminal: true })
  const text = `${'x'.repeat(2 ** 20 - 1)}é\u001b[2J`
  await printBytes(host, Buffer.from(text))
  expect((await read()).stdout).toBe(`${text.replace('\u001b', '␛')}\n`)
})

describe('a reply', () => {
  test.each([
    ['is exact in a pipe', {}, false, '{"a":1}', '{"a":1}'],
    ['is indented in a terminal', { isTerminal: true }, false, '{"a":1}', '{\n  "a": 1\n}\n'],
    ['that is not JSON is text', { isTerminal: true }, false, 'no', 'no\n'],
    ['is what --jq makes of it', { jq: '.a' }, false, '{"a":1}', '1\n'],
    ['is not changed by --jq if it is an error', { jq: '.a' }, true, '{"a":1}', '{"a":1}'],
    [
      'is indented in a terminal if it is an error',
      { jq: '.a', isTerminal: true },
      true,
      '{"a":1}',
      '{\n  "a": 1\n}\n'
    ]
  ])('%s', async (_, options, isError, body, text) => {
    const { host, output, read } = printerOf(options)
    await printReply(host, output, Buffer.from(body), isError)
    expect((await read()).stdout).toBe(text)
  })

  test.each(['<html>', Buffer.from([0x22, 0xff, 0x22])])(
    'that is not JSON is an error with --jq: %s',
    async body => {
      const { host, output } = printerOf({ jq: '.' })
      const printed = printReply(host, output, Buffer.from(body), false)
      await expect(printed).rejects.toMatchObject({
        code: 'local',
        message: '--jq: the reply is not JSON'
      })
    }
  )

  describe('that is larger than the largest JSON', () => {
    const body = Buffer.from(`[${' '.repeat(largestJson)}]`)

    test('is not parsed in a terminal, but printed as it is', async () => {
      const { host, output, read } = printerOf({ isTerminal: true })
      await printReply(host, output, body, false)
      expect((await read()).stdout === `${body}\n`).toBe(true)
    })

    test('is an error with --jq', async () => {
      const { host, output, read } = printerOf({ jq: 'length' })
      await expect(printReply(host, output, body, false)).rejects.toMatchObject({
        code: 'local',
        message: '--jq: the reply is larger than 8 MiB'
      })
      expect((await read()).stdout).toBe('')
    })
  })
})
