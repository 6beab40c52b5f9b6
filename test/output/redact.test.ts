import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRedactor } from '../../src/output/redact.ts'

const key = 'sk_live_"a\\q/c+d%e&f=g'
/** The length of the shortest piece of a key that must not be shown. */
const pieceLength = 12

test.each([
  ['nothing without a secret', 'all is well', [key], 'all is well'],
  ['nothing if there are no secrets', key, [], key],
  ['no empty secret', 'abc', [''], 'abc'],
  ['no secret of three characters, which ordinary words contain', 'tables', ['b', 'ab', 'abl'], 'tables'],
  ['a secret of four characters', 'no: abl8!', ['abl8'], 'no: ***!'],
  ['an unencoded secret', `no: ${key}!`, [key], 'no: ***!'],
  ['a secret at both ends', `${key} and ${key}`, [key], '*** and ***'],
  ['two secrets without a gap', `${key}${key}`, [key], '***'],
  ['a secret in upper case', `no: ${key.toUpperCase()}!`, [key], 'no: ***!'],
  ['a secret in JSON', `{"key":${JSON.stringify(key)}}`, [key], '{"key":"***"}'],
  ['a secret in a form', `key=${new URLSearchParams([['', key]]).toString().slice(1)}&a`, [key], 'key=***&a'],
  ['a short secret with URL encoding', 'key=it%27s%21', ["it's!"], 'key=***'],
  ['a secret that is the start of another', 'sk_1 sk_12', ['sk_1', 'sk_12'], '*** ***'],
  ['a secret with special characters of regular expressions', 'a.bc axbc [cd]', ['a.bc', '[cd]'], '*** axbc ***'],
  ['a secret with a line break', `> ${key.slice(0, 9)}\r\n${key.slice(9)}`, [key], '> ***'],
  ['a secret, but not the line breaks around it', `first\n${key}\nlast`, [key], 'first\n***\nlast'],
  ['no piece of eleven characters', `no: ${key.slice(0, 11)}`, [key], `no: ${key.slice(0, 11)}`],
  ['a slash with a backslash, as in PHP', 'c2Vjcm+V0K2tleS8xMjM\\/Zm9v', ['c2Vjcm+V0K2tleS8xMjM/Zm9v'], '***'],
  ['a plus as \\u002B, as in .NET', 'c2Vjcm\\u002BV0K2tleS8xMjM/Zm9v', ['c2Vjcm+V0K2tleS8xMjM/Zm9v'], '***'],
  ['an HTML escape without a semicolon', 'c2Vjcm&#43V0K2tleS8', ['c2Vjcm+V0K2tleS8'], '***'],
  ['a triple escape', 'c2Vjcm%26amp;%2343;V0K2tleS8', ['c2Vjcm+V0K2tleS8'], '***'],
  ['a key with a line break in JSON', '> sk_live_0\\r\\n  123456789', ['sk_live_0123456789'], '> ***'],
  ['a key in JSON, but not the line breaks around it', `a\\n${key}\\nb`, [key], 'a\\n***\\nb'],
  [
    'Base64 with a line break in JSON',
    'YzJWamNtK1Yw\\nSzJ0bGVTOHhNak0vWm05dg==',
    ['c2Vjcm+V0K2tleS8xMjM/Zm9v'],
    '***==',
  ],
  ['a secret in UTF-16', [...key].join('\0'), [key], '***'],
  ['UTF-16 in hexadecimal digits', Buffer.from(key, 'utf16le').toString('hex'), [key], '***00'],
  ['UTF-16 in Base64, as for PowerShell', Buffer.from(`${key}  `, 'utf16le').toString('base64'), [key], '***AgACAA'],
  ['a secret as a list of characters', JSON.stringify([...'sk_live_0123456789']), ['sk_live_0123456789'], '["***"]'],
  ['no eleven letters and digits with spaces', 's k l i v e 0 1 2 3 4', ['sklive01234567'], 's k l i v e 0 1 2 3 4'],
  ['a key with escaped invisible characters', 'sk1%u2063live%u20630123456789', ['sk1live0123456789'], '***'],
  ['an escaped ampersand before letters', 'sk_1&amp;solution-4&amp;more', ['sk_1&solution-4&more'], '***'],
  ['a short password with an emoji', 'no: p😀ssw!', ['p😀ssw'], 'no: ***!'],
  ['a password of emoji', 'no: 😀🐇😀🐇😀🐇😀!', ['😀🐇😀🐇😀🐇😀'], 'no: ***!'],
  ['a key that contains escapes', 'a%2Fb%2Fc%2Fd%2Fe%2F and a/b/c/d/e/', ['a%2Fb%2Fc%2Fd%2Fe%2F'], '*** and ***'],
])('redacts %s', (_what, text, secrets, redacted) => {
  expect(createRedactor(secrets)(text)).toBe(redacted)
})

/** Ways to write a character. */
const characterEncodings: readonly ((character: string, code: string) => string)[] = [
  (character) => character,
  (_, code) => `\\u00${code}`,
  (_, code) => `\\u00${code.toUpperCase()}`,
  (_, code) => `\\u{${code}}`,
  (_, code) => `\\x${code}`,
  (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
  (_, code) => `%${code}`,
  (_, code) => `%25${code}`,
  (_, code) => `%u00${code}`,
  (character) => `&#${character.charCodeAt(0)};`,
  (_, code) => `&#x${code};`,
  (_, code) => `&amp;#x00${code};`,
  (character) => ({ '&': '&amp;', '<': '&lt;', '/': '&sol;', '+': '&plus;' })[character] ?? character,
  (character) => (/[\w.]/.test(character) ? character : `\\${character}`),
]

/** Ways to write a whole text. */
const textEncodings: readonly ((text: string) => string)[] = [
  (text) => JSON.stringify(text).slice(1, -1),
  (text) => JSON.stringify(JSON.stringify(text)).slice(3, -3),
  (text) => encodeURIComponent(text),
  (text) => encodeURIComponent(encodeURIComponent(text)),
  (text) => text.replace(/[&<>"'/+=]/g, (character) => `&#${character.charCodeAt(0)};`),
  (text) => text.replaceAll('/', '\\/'),
]

const byteEncodings: readonly ((bytes: Buffer) => string)[] = [
  (bytes) => bytes.toString('hex'),
  (bytes) => bytes.toString('hex').toUpperCase(),
  (bytes) => bytes.toString('hex').replace(/..(?=.)/g, '$&:'),
  (bytes) => bytes.toString('hex').replace(/..(?=.)/g, '$& '),
  (bytes) => bytes.toString('hex').replace(/../g, '\\x$&'),
  (bytes) => [...bytes].map((byte) => `0x${byte.toString(16).padStart(2, '0')}`).join(', '),
  (bytes) => [...bytes].join(','),
  (bytes) =>
    JSON.stringify([...bytes], null, 2)
      .slice(1, -1)
      .trim(),
]

const base64Encodings: readonly ((bytes: Buffer) => string)[] = [
  (bytes) => bytes.toString('base64'),
  (bytes) => bytes.toString('base64url'),
  (bytes) => bytes.toString('base64').replaceAll('/', '\\/'),
  (bytes) => bytes.toString('base64').replace(/.{10}(?=.)/g, '$&\r\n'),
  (bytes) => encodeURIComponent(bytes.toString('base64')),
]

const printable = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code))
/** Without characters that are themselves a part of an escape, so that the result is known to the character. */
const plainKey = fc.string({ unit: fc.constantFrom(...'abcxyzABCXYZ0189_-./+=~!@$:?*'), minLength: 12, maxLength: 70 })
/** Keys that look like escapes. */
const confusingKey = fc.string({
  unit: fc.oneof(printable, fc.constantFrom(...'\\%&;#ux25amp0Ff')),
  minLength: 12,
  maxLength: 70,
})
const cutOf = (secret: string) =>
  fc
    .tuple(fc.nat(secret.length - pieceLength), fc.nat(secret.length - pieceLength))
    .map(([start, more]) => secret.slice(start, start + pieceLength + more))
const withPiece = (secrets: fc.Arbitrary<string>) =>
  secrets.chain((secret) => fc.record({ secret: fc.constant(secret), piece: cutOf(secret) }))

/** A key cannot contain a space, so the text around a piece cannot continue it. */
const before = fc.constantFrom('', ' ', '{"message": " ', 'Bearer ', '5 % of ', 'C:\\users\\x ', 'a&b; ', 'ß\n')
const after = fc.constantFrom('', ' ', ' "}', ' 41', ' %41', '\nß')

describe('a piece of a key', () => {
  test('is redacted in any encoding of each character', () => {
    const encodings = fc.array(fc.nat(characterEncodings.length - 1), { minLength: 1, maxLength: 70 })
    fc.assert(
      fc.property(withPiece(plainKey), encodings, before, after, ({ secret, piece }, choices, head, tail) => {
        const encoded = [...piece].map((character, index) => {
          const encode = characterEncodings[choices[index % choices.length] ?? 0]
          return encode?.(character, character.charCodeAt(0).toString(16).padStart(2, '0'))
        })
        expect(createRedactor([secret])(head + encoded.join('') + tail)).toBe(`${head}***${tail}`)
      }),
      { numRuns: 2000 },
    )
  })

  test('is redacted with any separators between its letters and digits', () => {
    const letters = fc.string({ unit: fc.constantFrom(...'abcxyzABCXYZ0189'), minLength: pieceLength, maxLength: 70 })
    const separators = [
      '',
      ' ',
      '-',
      '_',
      '\0',
      '\u0001',
      '\u200b',
      '\u00ad',
      '\u0301',
      '", "',
      "' + '",
      '\n    ',
      '\\r\\n',
    ]
    const escaped = ['\\u200b', '%00', '%E2%80%8B', '&#8203;', '&#x200B;', '&shy;', '<wbr>', '</span><span class="x">']
    const separator = fc.constantFrom(...separators, ...escaped)
    fc.assert(
      fc.property(
        withPiece(letters),
        fc.array(separator, { minLength: 1, maxLength: 70 }),
        ({ secret, piece }, between) => {
          const spread = [...piece].reduce((text, character, index) => {
            return index === 0 ? character : `${text}${between[index % between.length]}${character}`
          }, '')
          expect(createRedactor([secret])(`(${spread})`)).toBe('(***)')
        },
      ),
      { numRuns: 2000 },
    )
  })

  test('is redacted in any nesting of encodings', () => {
    const layers = fc.array(fc.constantFrom(...textEncodings), { maxLength: 3 })
    fc.assert(
      fc.property(withPiece(plainKey), layers, before, after, ({ secret, piece }, encodings, head, tail) => {
        const encoded = encodings.reduce((text, encode) => encode(text), piece)
        expect(createRedactor([secret])(head + encoded + tail)).toBe(`${head}***${tail}`)
      }),
      { numRuns: 1000 },
    )
  })

  test('is redacted as hexadecimal digits or as numbers', () => {
    const encoding = fc.constantFrom(...byteEncodings)
    fc.assert(
      fc.property(withPiece(plainKey), encoding, after, ({ secret, piece }, encode, tail) => {
        const redacted = createRedactor([secret])(`bytes <${encode(Buffer.from(piece))}>${tail}`)
        // The `0x` of the first byte may remain.
        expect(redacted.replace('<0x', '<')).toBe(`bytes <***>${tail}`)
      }),
      { numRuns: 1000 },
    )
  })

  test('is redacted in Base64, at any offset', () => {
    const neighbor = fc.integer({ min: 0, max: 9 }).map((length) => ' '.repeat(length))
    fc.assert(
      fc.property(withPiece(plainKey), neighbor, neighbor, fc.nat(3), ({ secret, piece }, head, tail, cut) => {
        const whole = Buffer.from(`${head}${piece}${tail}`).toString('base64').replace(/=+$/, '')
        const first = Math.min(cut, Math.floor((head.length * 4) / 3))
        const beginning = whole.slice(first, Math.floor((head.length * 4) / 3))
        const rest = whole.slice(Math.ceil(((head.length + piece.length) * 4) / 3))
        expect(createRedactor([secret])(`Basic ${whole.slice(first)}`)).toBe(`Basic ${beginning}***${rest}`)
      }),
      { numRuns: 1000 },
    )
  })

  test('is redacted in escaped, wrapped or nested Base64', () => {
    const encoding = fc.constantFrom(...base64Encodings)
    fc.assert(
      fc.property(withPiece(plainKey), encoding, encoding, fc.boolean(), ({ secret, piece }, one, two, isTwice) => {
        const once = one(Buffer.from(`user: ${piece} `))
        const encoded = isTwice ? two(Buffer.from(once)) : once
        const redacted = createRedactor([secret])(encoded)
        expect(redacted).toContain('***')
        const around = `${one(Buffer.from('user: '))} `
        const longest = isTwice ? two(Buffer.from(around)).length : around.length
        expect(redacted.length).toBeLessThanOrEqual(longest + 20)
      }),
      { numRuns: 1000 },
    )
  })

  test('is redacted even if the key looks like an escape', () => {
    fc.assert(
      fc.property(withPiece(confusingKey), before, after, ({ secret, piece }, head, tail) => {
        const redact = createRedactor([secret])
        // The decoded escapes in the key may also match the text around it, so more may be redacted.
        expect(redact(head + piece + tail)).toContain('***')
        expect(redact(head + piece + tail).length).toBeLessThanOrEqual(head.length + tail.length + 3)
        // Skips keys that consist of escapes only.
        fc.pre(secret.replace(/[\\%&;#]/g, '').length >= pieceLength)
        // The whole key has more than one form of each encoding.
        for (const encode of textEncodings) {
          const redacted = redact(`${head}${encode(secret)} ${tail}`)
          expect(redacted).toContain('***')
          expect(redacted.length).toBeLessThan(head.length + tail.length + 30)
        }
      }),
      { numRuns: 1000 },
    )
  })
})

test('text without a secret is unchanged', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.oneof(printable, fc.constant('\\')) }),
    fc.json(),
  )
  fc.assert(
    fc.property(text, (text) => {
      expect(createRedactor([key, 'abl8!'])(text)).toBe(text)
    }),
  )
})

describe('a megabyte of', () => {
  const secret = 'sk_test_0123456789abcdefghijklmnop'
  test.each([
    ['text', 'the quick brown fox, and a lazy dog; '],
    ['backslashes', '\\'],
    ['percent signs', '%25'],
    ['ampersands', '&amp;'],
    ['one ampersand and its escapes', 'amp;'],
    ['line breaks', '\n'],
    ['hexadecimal digits', '7'],
    ['Base64', 'VVV7dGhl'],
    ['numbers', '115,'],
    ['the beginning of the secret', secret.slice(0, 11)],
  ])('%s is searched to the end', (_what, unit) => {
    const text = `&${unit.repeat(Math.ceil(1_000_000 / unit.length))} `
    expect(createRedactor([secret])(`${text}${secret}`)).toBe(`${text}***`)
  })

  test('a secret of one repeated character', () => {
    expect(createRedactor(['a'.repeat(1000)])('a'.repeat(1_000_000))).toBe('***')
  })
})
