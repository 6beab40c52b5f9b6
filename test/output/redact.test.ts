import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRedactor } from '../../src/output/redact.ts'

const key = 'sk_live_"a\\b/c+d%e&f=g'

describe('createRedactor', () => {
  test.each([
    ['nothing secret', 'all is well', [key], 'all is well'],
    ['no secrets', key, [], key],
    ['an empty secret', 'abc', [''], 'abc'],
    ['a secret of three characters, which words have too', 'tables', ['b', 'ab', 'abl'], 'tables'],
    ['a secret of four', 'no: abl8!', ['abl8'], 'no: ***!'],
    ['as it is', `no: ${key}!`, [key], 'no: ***!'],
    ['twice', `${key} ${key}`, [key], '*** ***'],
    ['in JSON', `{"key":${JSON.stringify(key)}}`, [key], '{"key":"***"}'],
    ['percent-encoded', `?key=${encodeURIComponent(key)}&a`, [key], '?key=***&a'],
    ['percent-encoded in lower case', '?a%2fbc', ['a/bc'], '?***'],
    ['as a field of a form', 'key=it%27s%21', ["it's!"], 'key=***'],
    ['one that begins another', 'sk_1 sk_12', ['sk_1', 'sk_12'], '*** ***'],
    ['signs that mean something in a pattern', 'a.bc axbc [cd]', ['a.bc', '[cd]'], '*** axbc ***'],
  ])('%s', (_what, text, secrets, redacted) => {
    expect(createRedactor(secrets)(text)).toBe(redacted)
  })

  test.each(['', 'a', 'ab', 'user:', 'a-longer-user:'])('covers Base64 behind %j', (before) => {
    for (const encoding of ['base64', 'base64url'] as const) {
      for (const after of ['', '!', '!!']) {
        const encoded = Buffer.from(`${before}${key}${after}`).toString(encoding)
        const redacted = createRedactor([key])(`Authorization: Basic ${encoded}`)
        expect(redacted).toContain('***')
        const rest = redacted.replace('Authorization: Basic ', '').replace('***', '')
        // What is left beside the stars holds no more than a neighbour and the bits that it shares.
        expect(rest.length).toBeLessThanOrEqual(Math.ceil((before.length + after.length + 2) / 3) * 4 + 4)
      }
    }
  })

  test('leaves no printable key readable', () => {
    const printable = fc.string({
      unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
      minLength: 4,
    })
    fc.assert(
      fc.property(printable, fc.string(), fc.string(), (secret, before, after) => {
        fc.pre(!'***'.includes(secret) && !secret.includes('***'))
        const redacted = createRedactor([secret])(`${before} ${secret} ${after}`)
        expect(redacted).not.toContain(` ${secret} `)
        expect(createRedactor([secret])(JSON.stringify({ text: `${before} ${secret}` }))).not.toContain(secret)
      }),
    )
  })
})
