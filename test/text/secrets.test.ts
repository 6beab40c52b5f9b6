import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSecrets } from '../../src/text/secrets.ts'

function redactOf(secret: string) {
  const { addSecret, redact } = createSecrets()
  addSecret(secret)
  return redact
}

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')
const upper = (text: string) => text.replace(/[\da-f]+$/, digits => digits.toUpperCase())
/** Without backslashes, and what may be an escape itself. */
const plain = (key: string) => key.replaceAll('\\', '').replace(/%[\da-f]{2}|u[\da-f]{4}/gi, '')
/** What a service may write for a character of a key. */
const formsOf = (character: string) => {
  const code = character.charCodeAt(0)
  const escapes = ['\\u', '\\U', '\\\\u', '\\\\\\\\u'].map(start => `${start}${hex(code, 4)}`)
  const percents = ['%', '%25', `%${'25'.repeat(9)}`].map(start => `${start}${hex(code, 2)}`)
  const nested = ['%5cu', '%255Cu', '\\u005cu', '%5C%75'].map(start => `${start}${hex(code, 4)}`)
  const encoded = [...escapes, ...percents, ...nested]
  return [character, `\\${character}`, `\\\\\\${character}`, ...encoded, ...encoded.map(upper)]
}

test('a key is masked in every mixture of plain characters, escapes and percents', () => {
  const keys = fc.string({
    unit: fc.constantFrom(...'aZ09+/=.-_~%$"\'\\u<&'),
    minLength: 6,
    maxLength: 40
  })
  const written = keys
    .filter(key => plain(key).length > 3)
    .chain(key => {
      const parts = [...key].map(character => fc.constantFrom(...formsOf(character)))
      return fc.tuple(fc.constant(key), fc.tuple(...parts))
    })
  fc.assert(
    fc.property(written, ([key, parts]) => {
      // Backslashes around it are no part of it.
      const left = redactOf(key)(`before ${parts.join('')} after`).replaceAll('\\', '')
      const backslash = '(u005c|%(25)*5c)*'
      expect(left).toMatch(new RegExp(`^before ${backslash}\\*{3}${backslash} after$`, 'i'))
    }),
    { numRuns: 1000 }
  )
})

test('a password may have any character', () => {
  const redact = redactOf('pä😀ss')
  const forms = ['pä😀ss', encodeURIComponent('pä😀ss'), '\\u0070\\u00E4\\ud83d\\\\uDE00ss']
  expect(forms.map(redact)).toEqual(['***', '***', '***'])
})

test('a key may be long', () => {
  const key = 'eyJhbGciOi+/'.repeat(2000)
  expect([key, encodeURIComponent(key)].map(redactOf(key))).toEqual(['***', '***'])
})

test('a secret may contain another one, and short ones are words', () => {
  const { addSecret, redact } = createSecrets()
  for (const secret of ['first', 'first-second', 'abc', '\\\\\\\\a']) addSecret(secret)
  expect(redact('first-second first abc a')).toBe('*** *** abc a')
})

test.each([
  ['backslashes', '\\'.repeat(200_000)],
  ['beginnings', 'sk_li\\'.repeat(40_000)],
  ['escapes', '\\\\\\u0073'.repeat(40_000)],
  ['encoded backslashes', `sk${'%5c\\u005c'.repeat(40_000)}`],
  ['percents', '%252525'.repeat(40_000)],
  ['encoded escapes', '%5C%255Cu0073'.repeat(40_000)],
  ['escapes of escapes', `u${'0075'.repeat(40_000)}`]
])('%s take a time that grows with the text', (_, text) => {
  const redact = redactOf('sk\\\\_li\\ve')
  const started = performance.now()
  expect(redact(text)).toBe(text)
  expect(performance.now() - started).toBeLessThan(1000)
})
