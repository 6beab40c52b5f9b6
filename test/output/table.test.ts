import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { unpainted } from '../../src/output/paint.ts'
import { renderTable } from '../../src/output/table.ts'
import { petColumns, type Row } from '../../src/output/view.ts'
import { activeCharacter, awkwardNames, hostileNames } from './hostile.ts'
import { colored } from './hosts.ts'

const linesOf = async (
  rows: readonly Row[],
  columns: readonly string[],
  width?: number,
  paint = unpainted
) => {
  const table = await renderTable(rows, { columns, width, paint, int64AsStrings: false })
  return table.split('\n').slice(0, -1)
}

const pets = [
  { id: 1n, name: 'Rex', categoryId: 1n, status: 'available' },
  { id: 22n, name: '日本語の猫', categoryId: 10n, status: 'sold' },
  { id: 9223372036854775807n, name: '👩🏽‍🚀', categoryId: -9223372036854775808n }
]

test('aligns columns by their width in a terminal, numbers to the right', async () => {
  expect(await linesOf(pets, petColumns.names)).toEqual([
    '                 id  name                  categoryId  status',
    '                  1  Rex                            1  available',
    '                 22  日本語の猫                    10  sold',
    '9223372036854775807  👩🏽‍🚀          -9223372036854775808'
  ])
})

test.each([
  ['an absent field', {}, ''],
  ['null', { name: null }, ''],
  ['the text true', { name: 'true' }, 'true'],
  ['a list', { name: [1n, 'a b'] }, '[1,"a b"]'],
  ['a name that every object inherits', { toString: 'x' }, ''],
  ['a long name whole in a pipe', { name: 'x'.repeat(10_000) }, 'x'.repeat(10_000)],
  [
    'no more than can be measured',
    { name: '\u200d'.repeat(10_001) },
    `${'\\u{200d}'.repeat(1250).slice(0, 9999)}…`
  ]
])('shows %s', async (_what, row, shown) => {
  expect(await linesOf([row], ['name'])).toEqual(['name', shown])
})

test.each(hostileNames)('shows one harmless line per row: %s', async (_what, name) => {
  const lines = await linesOf([{ name, status: name }], ['name', 'status', name])
  expect(lines).toHaveLength(2)
  for (const line of lines) expect(line).not.toMatch(activeCharacter)
})

test.each([
  [
    59,
    '                 id  name                categoryId  status',
    '9223372036854775807  a name that is lo…           7  sold'
  ],
  [42, '                 id  name   categ…  status', '9223372036854775807  a na…       7  sold']
])('in %i columns, the widest is cut, but no number', async (width, ...lines) => {
  const row = {
    id: 9223372036854775807n,
    name: 'a name that is long',
    categoryId: 7n,
    status: 'sold'
  }
  expect(await linesOf([row], petColumns.names, width)).toEqual(lines)
})

test('a table of URLs that does not fit is whole', async () => {
  const row = { name: 'production', baseUrl: 'https://pets.example/v1', idempotent: false }
  const lines = await linesOf([row], ['name', 'baseUrl', 'idempotent'], 30)
  expect(lines[1]).toBe('production  https://pets.example/v1  false')
  const [, narrower] = await linesOf([row], ['name', 'baseUrl', 'idempotent'], 40)
  expect(narrower).toContain('https://pets.example/v1')
})

describe.each([false, true])('in a terminal, colored: %s', isColored => {
  const unit = fc.constantFrom('日', '한', '🐶', '👨‍👩‍👧', 'é', 'e\u0301', '\t', '\u001b', ' ', 'a')
  const anyName = fc.oneof(fc.string(), fc.string({ unit }), fc.constantFrom(...awkwardNames))

  test('any names fit and are aligned', async () => {
    const paint = isColored ? await colored() : unpainted
    const rows = fc.array(fc.record({ name: anyName, mark: fc.constant('|') }))
    const property = fc.asyncProperty(
      rows,
      fc.integer({ min: 20, max: 300 }),
      async (pets, width) => {
        const lines = await linesOf(pets, ['name', 'mark'], width, paint)
        expect(lines).toHaveLength(pets.length + 1)
        const ends = lines.slice(1).map(line => stringWidth(line))
        expect(new Set(ends).size).toBeLessThanOrEqual(1)
        for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width)
      }
    )
    await fc.assert(property)
  })
})

test('color adds nothing but escapes, to the heading and the statuses', async () => {
  const lines = await linesOf(pets, petColumns.names, 80, await colored())
  expect(lines.map(stripVTControlCharacters)).toEqual(await linesOf(pets, petColumns.names, 80))
  expect(lines[0]).toContain('\u001b[1mname\u001b[22m')
  expect(lines[1]).toContain('\u001b[32mavailable\u001b[39m')
  expect(lines[1]).not.toContain('\u001b[32mRex')
})
