import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/failure.ts'
import { stringifyJson } from '../../src/model/json.ts'
import { errorText, noticeText } from '../../src/output/messages.ts'
import { createRedactor } from '../../src/output/redact.ts'
import { plainStyle } from '../../src/output/view.ts'
import { activeCharacter, hostileNames } from './hostile.ts'
import { coloredStyle } from './hosts.ts'

const redact = (text: string) => text
const plain = { stringify: undefined, redact, style: plainStyle, verbose: false }
const json = { ...plain, stringify: stringifyJson }

const refused = new Failure('auth', 'the key was refused', {
  hint: 'petstore auth login',
  status: 401,
  serviceCode: 'unauthorized'
})

describe('errorText', () => {
  test.each([
    ['an error', new Failure('usage', 'no such command'), 'error: no such command\n'],
    ['an error with a hint', refused, 'error: the key was refused\nhint: petstore auth login\n']
  ])('writes %s', (_what, failure, text) => {
    expect(errorText(failure, plain)).toBe(text)
  })

  test.each([
    [
      refused,
      '{"error":{"code":"auth","message":"the key was refused","exitCode":4,"hint":"petstore auth login","status":401,"serviceCode":"unauthorized","retryable":false}}\n'
    ],
    [
      new Failure('unreachable', 'no connection', { isRetryable: true }),
      '{"error":{"code":"unreachable","message":"no connection","exitCode":6,"retryable":true}}\n'
    ],
    [
      new Failure('service', 'busy', { isRetryable: true, waitSeconds: 29.2 }),
      '{"error":{"code":"service","message":"busy","exitCode":7,"retryable":true,"retryAfter":30}}\n'
    ],
    [
      new Failure('interrupted', 'terminated', { exitCode: 143 }),
      '{"error":{"code":"interrupted","message":"terminated","exitCode":143,"retryable":false}}\n'
    ]
  ])('writes one line of JSON: %s', (failure, text) => {
    expect(errorText(failure, json)).toBe(text)
  })

  test('shows the stack and the causes only with --verbose', () => {
    const failure = new Failure('unexpected', 'a fault', {
      cause: new TypeError('x is\u001b[2J undefined')
    })
    for (const options of [plain, json]) {
      expect(errorText(failure, options)).not.toContain('messages.test')
      const text = errorText(failure, { ...options, verbose: true })
      expect(text.match(/messages\.test/g)?.length).toBeGreaterThan(1)
      expect(text).toMatch(/caused by: TypeError: x is(␛|\\u001b)\[2J undefined/)
      expect(text.replaceAll('\n', '')).not.toMatch(activeCharacter)
    }
    expect(JSON.parse(errorText(failure, { ...json, verbose: true })).error.code).toBe('unexpected')
  })

  test('writes the id of a pet exactly', () => {
    const failure = new Failure('local', 'full', { change: { id: 9007199254740993n } })
    expect(errorText(failure, json)).toContain('"id":9007199254740993}')
  })

  test('masks a key that the service returned as the id of a message', () => {
    const failure = new Failure('local', 'full', { change: { id: 'sk_test_12345678' } })
    const redact = (text: string) => text.replace('sk_test_12345678', '***')
    expect(JSON.parse(errorText(failure, { ...json, redact })).error.id).toBe('***')
  })

  test('shows a cause that is no error', () => {
    const failure = new Failure('unexpected', 'one', { cause: 'only words' })
    expect(errorText(failure, { ...plain, verbose: true })).toContain('caused by: only words')
  })

  test.each(hostileNames)('is two harmless lines: %s', (_what, text) => {
    const failure = new Failure('rejected', `refused: ${text}`, { hint: text, serviceCode: text })
    const lines = errorText(failure, plain)
    expect(lines.split('\n')).toHaveLength(3)
    expect(lines.replaceAll('\n', '')).not.toMatch(activeCharacter)

    const line = errorText(failure, json)
    expect(line.slice(0, -1)).not.toMatch(activeCharacter)
    expect(JSON.parse(line).error).toMatchObject({
      message: `refused: ${text}`,
      hint: text,
      serviceCode: text
    })
  })

  test('has no secret in any part, and stays valid JSON for any secret', () => {
    for (const secret of ['sk_live_123', 'error', 'code', '""""', '\\\\\\\\', '::::', 'aaaa']) {
      const failure = new Failure('auth', `no: ${secret}`, { serviceCode: secret })
      const { error } = JSON.parse(
        errorText(failure, { ...json, verbose: true, redact: createRedactor([secret]) })
      )
      expect(error.code).toBe('auth')
      for (const part of [error.message, error.serviceCode, error.stack])
        expect(part).not.toContain(secret)
    }
  })

  test('has no hint with something masked, which a shell would read as a pattern', () => {
    const hint = 'petstore messages send sk_live_123'
    const failure = new Failure('usage', 'no: sk_live_123', { hint })
    const redact = createRedactor(['sk_live_123'])
    expect(errorText(failure, { ...plain, redact })).toBe('error: no: ***\n')
    expect(JSON.parse(errorText(failure, { ...json, redact })).error).not.toHaveProperty('hint')
    expect(errorText(failure, plain)).toContain(`hint: ${hint}\n`)
  })
})

describe('noticeText', () => {
  test('writes a line, or a line of JSON', () => {
    expect(noticeText('deprecated', 'gone soon', plain)).toBe('notice: gone soon\n')
    expect(noticeText('deprecated', 'gone soon', json)).toBe(
      '{"notice":{"code":"deprecated","message":"gone soon"}}\n'
    )
  })

  test.each(hostileNames)('is one harmless line: %s', (_what, text) => {
    for (const options of [plain, json]) {
      const line = noticeText('more', text, options)
      expect(line.endsWith('\n')).toBe(true)
      expect(line.slice(0, -1)).not.toMatch(activeCharacter)
    }
    expect(JSON.parse(noticeText('more', text, json)).notice.message).toBe(text)
  })

  test('has no secret', () => {
    expect(noticeText('more', 'key sk_1', { ...plain, redact: createRedactor(['sk_1']) })).toBe(
      'notice: key ***\n'
    )
  })
})

test('only the label has color, and JSON has none', async () => {
  const style = await coloredStyle()
  expect(errorText(refused, { ...plain, style })).toBe(
    '\u001b[31merror:\u001b[39m the key was refused\n\u001b[2mhint:\u001b[22m petstore auth login\n'
  )
  expect(noticeText('more', 'there is more', { ...plain, style })).toBe(
    '\u001b[33mnotice:\u001b[39m there is more\n'
  )
  for (const line of [
    errorText(refused, { ...json, style }),
    noticeText('a', 'b', { ...json, style })
  ]) {
    expect(stripVTControlCharacters(line)).toBe(line)
  }
})
