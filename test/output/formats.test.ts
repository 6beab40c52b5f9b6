import { parse as parseCsv } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { unpainted } from '../../src/output/paint.ts'
import { renderCsv, renderTsv } from '../../src/output/text-formats.ts'
import type { Row } from '../../src/output/view.ts'
import { anyText } from '../support/any-text.ts'
import { activeCharacter, hostileNames } from './hostile.ts'

const plain = { width: undefined, paint: unpainted, int64AsStrings: false }
const csvOf = (rows: readonly Row[], columns: readonly string[], width?: number) =>
  renderCsv(rows, { ...plain, columns, width }, true)
const cellText = fc.oneof(
  anyText,
  fc.string({
    unit: fc.constantFrom('"', ',', '\r', '\n', '\t', '\\', ' ', 'a', '\u001b', 't', 'u')
  })
)

/** A TSV parser that supports only the escapes of JSON. */
const readTsv = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map(line => line.split('\t').map(cell => JSON.parse(`"${cell.replaceAll('"', '\\"')}"`)))

/** UTF-8 cannot encode a lone surrogate. */
const asWritten = (text: string) => Buffer.from(text).toString()

const readCsv = (text: string): string[][] =>
  parseCsv(text, { relax_column_count: false, record_delimiter: '\r\n' })

describe('csv', () => {
  test.each([
    ['an absent field as an empty cell', [{ id: 1n }], 'id,name\r\n1,\r\n'],
    ['commas and quotes', [{ id: 1n, name: 'a "b", c' }], 'id,name\r\n1,"a ""b"", c"\r\n'],
    ['a newline', [{ id: 1n, name: 'a\nb' }], 'id,name\r\n1,"a\nb"\r\n'],
    ['a lone carriage return', [{ id: 1n, name: 'a\rb' }], 'id,name\r\n1,"a\rb"\r\n'],
    [
      'a nested value',
      [{ id: 1n, name: { a: [2n ** 63n - 1n] } }],
      'id,name\r\n1,"{""a"":[9223372036854775807]}"\r\n'
    ],
    ['an unchanged control', [{ id: 1n, name: '\u001b[2J' }], 'id,name\r\n1,\u001b[2J\r\n']
  ])('writes %s', (_what, rows, text) => {
    expect(csvOf(rows, ['id', 'name'])).toBe(text)
  })

  test('is read back exactly by csv-parse for any cells', () => {
    const table = fc
      .integer({ min: 1, max: 4 })
      .chain(count => fc.array(fc.array(cellText, { minLength: count, maxLength: count })))
    fc.assert(
      fc.property(table, cells => {
        const columns = (cells[0] ?? ['', '']).map((_, index) => `column ${index}`)
        const rows = cells.map(row =>
          Object.fromEntries(row.map((cell, index) => [`column ${index}`, cell]))
        )
        expect(readCsv(csvOf(rows, columns))).toEqual([
          columns,
          ...cells.map(row => row.map(asWritten))
        ])
      })
    )
  })

  test.each(hostileNames)('is harmless in a terminal, and still CSV: %s', (_what, name) => {
    const text = csvOf([{ name, nested: { name } }], ['name', 'nested'], 80)
    const [, line = '', ...rest] = text.split('\r\n')
    expect(line).not.toMatch(activeCharacter)
    expect(rest).toEqual([''])
    expect(readCsv(text)).toHaveLength(2)
  })
})

describe('tsv', () => {
  test.each([
    ['an absent field as an empty cell', [{ name: 'Rex' }], '\tRex\n'],
    [
      'tab, newline, carriage return, backslash',
      [{ id: 1n, name: 'a\tb\nc\rd\\e' }],
      '1\ta\\tb\\nc\\rd\\\\e\n'
    ],
    [
      'other controls',
      [{ id: 1n, name: '\u0000\u001b\u009b\u202e\ud800' }],
      '1\t\\u0000\\u001b\\u009b\\u202e\\ud800\n'
    ],
    ['unchanged quotes', [{ id: 1n, name: '"a"' }], '1\t"a"\n'],
    ['a nested value', [{ id: 1n, name: { a: '\t' } }], '1\t{"a":"\\\\t"}\n']
  ])('writes %s', (_what, rows, text) => {
    expect(renderTsv(rows, { ...plain, columns: ['id', 'name'] })).toBe(text)
  })

  test.each(hostileNames)('is one harmless line per row: %s', (_what, name) => {
    const text = renderTsv([{ id: 1n, name }], { ...plain, columns: ['id', 'name'] })
    expect(text.slice(2, -1)).not.toMatch(activeCharacter)
    expect(readTsv(text)).toEqual([['1', name]])
  })

  test('is read back exactly', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ a: cellText, b: cellText })), rows => {
        expect(readTsv(renderTsv(rows, { ...plain, columns: ['a', 'b'] }))).toEqual(
          rows.map(({ a, b }) => [a, b])
        )
      })
    )
  })
})
