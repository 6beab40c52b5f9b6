import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRedactor } from '../../src/output/redact.ts'
import { anyText } from '../support/any-text.ts'

const key = 'sk_live_"a\\q/c+d%e&f=g'
/** The length of the shortest piece of a key that must not be shown. */
const pieceLength = 12

test.each([
  ['nothing without a secret', 'all is well', [key], 'all is well'],
  ['nothing if there are no secrets', key, [], key],
  ['no empty secret', 'abc', [''], 'abc'],
  [
    'no secret of three characters, which ordinary words contain',
    'tables',
    ['b', 'ab', 'abl'],
    'tables'
  ],
  ['a secret of four characters', 'no: abl8!', ['abl8'], 'no: ***!'],
  ['a secret at both ends', `${key} and ${key}`, [key], '*** and ***'],
  ['two secrets without a gap', `${key}${key}`, [key], '***'],
  [
    'a secret in lower case, as in the name of a header',
    `x-${key.toLowerCase()}: 1`,
    [key],
    'x-***: 1'
  ],
  [
    'a secret in a form',
    `key=${new URLSearchParams([['', key]]).toString().slice(1)}&a`,
    [key],
    'key=***&a'
  ],
  ['a secret that is the start of another', 'sk_1 sk_12', ['sk_1', 'sk_12'], '*** ***'],
  ['a secret, but not the line breaks around it', `first\n${key}\nlast`, [key], 'first\n***\nlast'],
  ['no piece of eleven characters', `no: ${key.slice(0, 11)}`, [key], `no: ${key.slice(0, 11)}`],
  [
    'a slash with a backslash, as in PHP',
    'c2Vjcm+V0K2tleS8xMjM\\/Zm9v',
    ['c2Vjcm+V0K2tleS8xMjM/Zm9v'],
    '***'
  ],
  [
    'a plus as \\u002B, as in .NET',
    'c2Vjcm\\u002BV0K2tleS8xMjM/Zm9v',
    ['c2Vjcm+V0K2tleS8xMjM/Zm9v'],
    '***'
  ],
  [
    'an escape beside an unknown entity',
    '&copy;c2Vjcm&plus;V0K2tleS8',
    ['c2Vjcm+V0K2tleS8'],
    '&copy;***'
  ],
  ['numbers of characters without a semicolon', '&#115&#0107&#x5F&#X006c!', ['sk_l'], '***!'],
  [
    'a short password in hex and in Base64',
    '68756e74657232 dTpodW50ZXIy',
    ['hunter2'],
    '*** dTp***'
  ],
  ['a password of emoji with percent-encoding', encodeURIComponent('😀🐇😀!'), ['😀🐇😀!'], '***'],
  ['a key that contains escapes', 'a%2Fb%2Fc%2Fd%2Fe%2F', ['a%2Fb%2Fc%2Fd%2Fe%2F'], '***']
])('redacts %s', (_what, text, secrets, redacted) => {
  expect(createRedactor(secrets)(text)).toBe(redacted)
})

/** Ways to write a character. */
const characterEncodings: readonly ((character: string, code: string) => string)[] = [
  character => character,
  (_, code) => `\\u00${code}`,
  (_, code) => `\\u00${code.toUpperCase()}`,
  (_, code) => `%${code}`,
  (_, code) => `%${code.toUpperCase()}`,
  character => `&#${character.charCodeAt(0)};`,
  (_, code) => `&#x${code};`,
  character => ({ '&': '&amp;', '<': '&lt;', '/': '&sol;', '+': '&plus;' })[character] ?? character
]

/**
 * Without characters that are themselves a part of an escape, so that the result is known to the
 * character.
 */
const plainKey = fc.string({
  unit: fc.constantFrom(...'abcxyzABCXYZ0189_-./+=~!@$:?*'),
  minLength: 12,
  maxLength: 70
})
const pieceOf = plainKey.chain(secret =>
  fc
    .tuple(fc.nat(secret.length - pieceLength), fc.nat(secret.length - pieceLength))
    .map(([start, more]) => {
      return { secret, piece: secret.slice(start, start + pieceLength + more) }
    })
)

/** A key cannot contain a space, so the text around a piece cannot continue it. */
const before = fc.constantFrom(
  '',
  ' ',
  '{"message": " ',
  'Bearer ',
  '5 % of ',
  'C:\\users\\x ',
  'a&b; ',
  'ß\n'
)
const after = fc.constantFrom('', ' ', ' "}', ' 41', ' %41', '\nß')

describe('a piece of a key', () => {
  test('is redacted in any encoding of each character', () => {
    const encodings = fc.array(fc.nat(characterEncodings.length - 1), {
      minLength: 1,
      maxLength: 70
    })
    fc.assert(
      fc.property(pieceOf, encodings, before, after, ({ secret, piece }, choices, head, tail) => {
        const encoded = [...piece].map((character, index) => {
          const encode = characterEncodings[choices[index % choices.length] ?? 0]
          return encode?.(character, character.charCodeAt(0).toString(16).padStart(2, '0'))
        })
        expect(createRedactor([secret])(head + encoded.join('') + tail)).toBe(`${head}***${tail}`)
      }),
      { numRuns: 300 }
    )
  })

  test('is redacted in hex', () => {
    fc.assert(
      fc.property(pieceOf, after, fc.boolean(), ({ secret, piece }, tail, isUpper) => {
        const hex = Buffer.from(piece).toString('hex')
        const redacted = createRedactor([secret])(
          `bytes <${isUpper ? hex.toUpperCase() : hex}>${tail}`
        )
        expect(redacted).toBe(`bytes <***>${tail}`)
      })
    )
  })

  test('is redacted in Base64, at any offset', () => {
    const neighbor = fc.integer({ min: 0, max: 9 }).map(length => ' '.repeat(length))
    fc.assert(
      fc.property(pieceOf, neighbor, neighbor, ({ secret, piece }, head, tail) => {
        const whole = Buffer.from(`${head}${piece}${tail}`).toString('base64').replace(/=+$/, '')
        const beginning = whole.slice(0, Math.ceil((head.length * 4) / 3))
        const rest = whole.slice(Math.floor(((head.length + piece.length) * 4) / 3))
        const redacted = createRedactor([secret])(`Basic ${whole}`)
        expect(redacted).toContain('***')
        // A character of a neighbor may look like one of the secret.
        expect(`Basic ${beginning}***${rest}`.length - redacted.length).toBeOneOf([0, 1, 2])
      }),
      { numRuns: 300 }
    )
  })
})

test('text without a secret is unchanged', () => {
  const printable = fc.integer({ min: 0x21, max: 0x7e }).map(code => String.fromCharCode(code))
  const text = fc.oneof(anyText, fc.string({ unit: printable }), fc.json())
  fc.assert(
    fc.property(text, text => {
      expect(createRedactor([key, 'abl8!'])(text)).toBe(text)
    })
  )
})

test.each([
  ['aaaa*bbbb(cccc)dddd', 'aaaa&ast;bbbb&lpar;cccc&rpar;dddd'],
  ['tr1<ky>key"x;y', 'tr1&ltky&gtkey&quotx;y'],
  ['a,b;c[d]e{f}g|h?i', 'a&comma;b&semi;c&lsqb;d&rsqb;e&lcub;f&rcub;g&vert;h&quest;i']
])('%j is found with the names of characters in HTML', (secret, written) => {
  expect(createRedactor([secret])(`<p>${written}</p>`)).toBe('<p>***</p>')
})

describe('a megabyte of', () => {
  const secret = 'sk_test_0123456789abcdefghijklmnop'
  test.each([
    ['text', 'the quick brown fox, and a lazy dog; '],
    ['backslashes', '\\'],
    ['percent signs', '%25'],
    ['ampersands', '&amp;'],
    ['the beginning of the secret', secret.slice(0, 11)]
  ])('%s is searched to the end', (_what, unit) => {
    const text = `&${unit.repeat(Math.ceil(1_000_000 / unit.length))} `
    expect(createRedactor([secret])(`${text}${secret}`)).toBe(`${text}***`)
  })

  test('a secret of one repeated character', () => {
    expect(createRedactor(['a'.repeat(1000)])('a'.repeat(1_000_000))).toBe('***')
  })
})
