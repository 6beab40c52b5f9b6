import { deepStrictEqual } from 'node:assert/strict'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  exactInteger,
  isExactNumber,
  parseIfJson,
  parseJson,
  placeOfJsonError,
  stringifyJson
} from '../../src/text/json.ts'
import { anyText } from '../support/any-text.ts'

/** Any number that JSON allows, in any notation. */
const numberText = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(
      fc.constantFrom(
        '0',
        '9007199254740991',
        '9007199254740992',
        '9007199254740993',
        '9223372036854775807'
      ),
      fc.bigInt({ min: 0n, max: 10n ** 40n }).map(String),
      fc.nat(1000).map(String)
    ),
    fc.oneof(fc.constant(''), fc.stringMatching(/^\.\d{1,20}$/)),
    fc.oneof(fc.constant(''), fc.stringMatching(/^[eE][+-]?\d{1,3}$/))
  )
  .map(parts => parts.join(''))

/** JSON texts with numbers in every notation, duplicate keys and awkward keys. */
const { document } = fc.letrec<{ document: string }>(tie => ({
  document: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    numberText,
    fc.oneof(anyText, numberText, fc.constantFrom('":-0', '1.0', '\\')).map(s => JSON.stringify(s)),
    fc.constantFrom('true', 'false', 'null'),
    fc.array(tie('document'), { maxLength: 4 }).map(items => `[${items.join(' , ')}]`),
    fc
      .array(
        fc.tuple(fc.constantFrom('a', 'b', '1', '__proto__', 'constructor', '-0'), tie('document')),
        {
          maxLength: 4
        }
      )
      .map(
        entries => `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`
      )
  )
}))

/** What JSON.parse returns: every number as the nearest double. */
function asDoubles(value: unknown): unknown {
  if (typeof value === 'bigint' || isExactNumber(value)) return Number(value.toString())
  if (Array.isArray(value)) return value.map(asDoubles)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, asDoubles(item)]))
}

describe('parseJson', () => {
  it.each<[string, unknown]>([
    ['-1.5', -1.5],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['9007199254740992', 9007199254740992n],
    ['-9223372036854775808', -(2n ** 63n)],
    ['{"a":1,"a":9007199254740993}', { a: 9007199254740993n }],
    ['{"a":9007199254740993,"a":1}', { a: 1 }],
    ['{"a":"9007199254740993 -0 1.0"}', { a: '9007199254740993 -0 1.0' }]
  ])('%s', (text, value) => {
    expect(parseJson(text)).toStrictEqual(value)
  })

  it.each(['1.0', '1e3', '-0', '0.1000000000000000055', '1e400', '1E5'])(
    '%s keeps its text',
    text => {
      const value = parseJson(text)
      expect(isExactNumber(value)).toBe(true)
      expect(String(value)).toBe(text)
      expect(stringifyJson({ a: [parseJson(`[${text}]`)] })).toBe(`{"a":[[${text}]]}`)
    }
  )

  it.each(['', '[1,]', '01', '"\n"', '9007199254740993 x', '\ufeff1'])(
    'refuses %j as JSON.parse does',
    text => {
      expect(() => parseJson(text)).toThrow(SyntaxError)
    }
  )

  it.each(['[', '{"a":', '[{"a":"\\\\"},'])(
    'refuses deep nesting before anything is parsed: %j',
    level => {
      expect(() => parseJson(level.repeat(200_000))).toThrow('nested more than')
      expect(() => parseJson(`"${level.repeat(2000)}`)).toThrow(SyntaxError)
    }
  )

  test('equals JSON.parse once its numbers are rounded', () => {
    fc.assert(
      fc.property(document, text => {
        // Vitest's own comparison fails on a property named `constructor`.
        deepStrictEqual(asDoubles(parseJson(text)), JSON.parse(text))
      }),
      { numRuns: 200 }
    )
  })

  test('keeps the text of every number', () => {
    fc.assert(
      fc.property(fc.array(numberText), numbers => {
        const text = `{"a":[${numbers.join(',')}]}`
        expect(stringifyJson(parseJson(text))).toBe(text)
      }),
      { numRuns: 200 }
    )
  })
})

it.each([
  ['{\n  "a": x}', 'line 2'],
  ['', 'line 1'],
  ['{}', undefined]
])('places the error in %j', (text, place) => {
  expect(placeOfJsonError(text)).toBe(place)
})

describe('parseIfJson', () => {
  test.each([
    ['a text', '{"id": 9007199254740993}', { id: 9007199254740993n }],
    ['bytes', Buffer.from('null'), null],
    ['bytes after a byte order mark', Buffer.from('\ufeff[]'), []],
    ['text that is not JSON', '{id: 1}', undefined],
    ['no bytes', Buffer.alloc(0), undefined],
    ['bytes that are not UTF-8', Buffer.from('"\u00e9"', 'latin1'), undefined]
  ])('reads %s', (_, source, value) => {
    expect(parseIfJson(source)).toStrictEqual(value)
  })
})

describe('stringifyJson', () => {
  test('writes what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 0, 2), (value, indent) => {
        expect(stringifyJson(value, { indent })).toBe(JSON.stringify(value, null, indent))
      })
    )
  })

  test('writes strings that can be read back, without characters that act on a terminal', () => {
    fc.assert(
      fc.property(anyText, text => {
        const written = stringifyJson({ [text]: text })
        expect(JSON.parse(written)).toEqual({ [text]: text })
        expect(written).not.toMatch(
          /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\u200b\ufeff]/u
        )
      })
    )
  })

  it.each([
    ['\\u001b[2J', '\u001b[2J'],
    ['\\udb40\\udc41', '\u{e0041}'],
    ['é 犬 👩\u200d👧', 'é 犬 👩\u200d👧']
  ])('%s', (written, text) => {
    expect(stringifyJson(text)).toBe(`"${written}"`)
  })

  it.each([
    ['9007199254740991', '9007199254740991'],
    ['9007199254740992', '"9007199254740992"'],
    ['-9007199254740992', '"-9007199254740992"'],
    ['[9007199254740993.0,1.0,0.5]', '["9007199254740993",1.0,0.5]'],
    ['{"id":-9223372036854775808}', '{"id":"-9223372036854775808"}']
  ])('int64 as strings: %s', (text, written) => {
    expect(stringifyJson(parseJson(text), { int64AsStrings: true })).toBe(written)
    expect(stringifyJson(parseJson(text))).toBe(text)
  })
})

describe('exactInteger', () => {
  it.each<[string, bigint | undefined]>([
    ['1.0', 1n],
    ['1e3', 1000n],
    ['-0', 0n],
    ['9007199254740993.000', 9007199254740993n],
    ['0.9223372036854775807e19', 2n ** 63n - 1n],
    ['1.5', undefined],
    ['1e999999999', undefined],
    ['"7"', undefined]
  ])('%s', (text, integer) => {
    expect(exactInteger(parseJson(text))).toBe(integer)
  })

  it('is undefined for a double that may be rounded', () => {
    expect(exactInteger(2 ** 53)).toBeUndefined()
  })
})
