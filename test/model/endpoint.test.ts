import { expect, test } from 'vitest'
import { checkKey, fingerprint } from '../../src/model/endpoint.ts'

test.each(['sk_live_1', 'sk_live_1\n', 'sk_live_1\r\n'])('%j is a key', text => {
  expect(checkKey(text)).toBe('sk_live_1')
})

test.each(['\n', 'a b', 'a\n\n', 'a\0', 'a\x7f', 'clé', '\ufeffa'])('%j is no key', text => {
  const message = expect.stringMatching(/^PETSTORE_API_KEY (is empty|cannot be)/)
  expect(() => checkKey(text, 'PETSTORE_API_KEY')).toThrow(
    expect.objectContaining({ code: 'auth', message })
  )
})

test('the fingerprint of a key is the beginning of its SHA-256', async () => {
  // printf abc | sha256sum
  expect(await fingerprint('abc')).toBe('ba7816bf')
})
