import { describe, expect, test } from 'vitest'
import { checkKey, fingerprint } from '../../src/model/endpoint.ts'

describe('a key', () => {
  test.each([
    ['sk_live_1', 'sk_live_1'],
    ['sk_live_1\n', 'sk_live_1'],
    ['sk_live_1\r\n', 'sk_live_1'],
    ['!~"\'$`\\', '!~"\'$`\\']
  ])('%j is accepted', (text, key) => {
    expect(checkKey(text)).toBe(key)
  })

  test.each([
    '',
    '\n',
    'a b',
    ' a',
    'a\n\n',
    'a\nb',
    'a\tb',
    'a\0',
    'a\x7f',
    'clé',
    '\u{1f511}',
    'a\r',
    '\ufeffa'
  ])('%j is refused, and the message does not contain it', text => {
    expect(() => checkKey(text, 'PETSTORE_API_KEY')).toThrow(
      expect.objectContaining({
        code: 'auth',
        message: expect.stringMatching(/^PETSTORE_API_KEY (is empty|cannot be)/)
      })
    )
  })

  test('has a fingerprint: the first eight hex digits of its SHA-256', async () => {
    // printf abc | sha256sum
    expect(await fingerprint('abc')).toBe('ba7816bf')
  })
})
