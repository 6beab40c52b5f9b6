import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { readableCells, renderTable } from '../../src/output/table.ts'
import { petColumns, plainStyle } from '../../src/output/view.ts'
import { activeCharacter, awkwardNames, hostileNames } from './hostile.ts'
import { coloredStyle } from './hosts.ts'

const pets = [
  { id: 1n, name: 'Rex', categoryId: 1n, status: 'available' },
  { id: 22n, name: '日本語の猫', categoryId: 10n, status: 'sold' },
  { id: 9223372036854775807n, name: '👩🏽‍🚀', categoryId: -9223372036854775808n }
]

const everyName = [...hostileNames.map(([, name]) => name), ...awkwardNames].map((name, index) => ({
  id: BigInt(index),
  name,
  categoryId: 1n,
  status: 'pending'
}))

const linesOf = (table: string) => table.split('\n').slice(0, -1)
const plain = { width: undefined, style: plainStyle }

describe('renderTable', () => {
  test('aligns columns by their width in a terminal, numbers to the right', () => {
    expect(renderTable(pets, { ...plain, columns: petColumns.names })).toBe(
      [
        '                 id  name                  categoryId  status',
        '                  1  Rex                            1  available',
        '                 22  日本語の猫                    10  sold',
        '9223372036854775807  👩🏽‍🚀          -9223372036854775808',
        ''
      ].join('\n')
    )
  })

  test('is only a header if there are no rows', () => {
    expect(renderTable([], { ...plain, columns: petColumns.names })).toBe(
      'id  name  categoryId  status\n'
    )
  })

  test.each([
    ['an absent field', {}, ''],
    ['null', { name: null }, ''],
    ['true as a mark', { name: true }, '✓'],
    ['false as a mark', { name: false }, '✗'],
    ['a list', { name: [1n, 'a b'] }, '[1,"a b"]'],
    ['an object', { name: { big: 9007199254740993n } }, '{"big":9007199254740993}'],
    ['a name that every object inherits', { toString: 'x' }, '']
  ])('shows %s', (_what, row, shown) => {
    expect(renderTable([row], { ...plain, columns: ['name'] })).toBe(`name\n${shown}\n`)
  })

  test('shows nothing for a field of the prototype', () => {
    expect(renderTable([{}], { ...plain, columns: ['constructor'] })).toBe('constructor\n\n')
  })

  test.each(hostileNames)('shows one harmless line per row: %s', (_what, name) => {
    const lines = linesOf(
      renderTable([{ name, status: name }], { ...plain, columns: ['name', 'status'] })
    )
    expect(lines).toHaveLength(2)
    for (const line of lines) expect(line).not.toMatch(activeCharacter)
  })

  test('marks only the row that is in use', () => {
    const rows = [{ inUse: true }, { inUse: false }]
    expect(renderTable(rows, { ...plain, columns: ['inUse'] })).toBe('inUse\n✓\n\n')
  })

  test('truncates nothing outside a terminal', () => {
    const name = 'x'.repeat(5000)
    expect(renderTable([{ name }], { ...plain, columns: ['name'] })).toBe(`name\n${name}\n`)
  })

  test('aligns numbers to the right even if some are missing', () => {
    const rows = [{ id: 1n }, { id: null }, {}, { id: 1000n }]
    expect(renderTable(rows, { ...plain, columns: ['id'] })).toBe('  id\n   1\n\n\n1000\n')
  })

  test('keeps ids whole as long as other columns can shrink', () => {
    const row = {
      id: 9223372036854775807n,
      name: 'a name that is rather long',
      categoryId: 7n,
      status: 'available'
    }
    expect(
      linesOf(renderTable([row], { columns: petColumns.names, width: 40, style: plainStyle }))
    ).toEqual([
      '                 id  name   cate…  stat…',
      '9223372036854775807  a na…      7  avai…'
    ])
  })

  test('gives room to URLs and the first column, before titles, empty columns and other text', () => {
    const row = {
      environment: 'production',
      inUse: true,
      baseUrl: 'http://127.0.0.1:4010/v1',
      key: 'saved',
      fingerprint: '14463c34',
      accepted: null
    }
    const columns = Object.keys(row)
    const tableOf = (width: number) => linesOf(renderTable([row], { ...plain, columns, width }))
    expect(tableOf(72)).toEqual([
      'environme…  inUse  baseUrl                   key    fingerpri…  accepted',
      'production  ✓      http://127.0.0.1:4010/v1  saved  14463c34'
    ])
    expect(tableOf(60)).toEqual([
      'environme…  in…  baseUrl                   key    fing…  ac…',
      'production  ✓    http://127.0.0.1:4010/v1  saved  1446…'
    ])
    expect(tableOf(40)).toEqual([
      'environm…  in…  baseUrl    key  fi…  ac…',
      'producti…  ✓    http://1…  sa…  14…'
    ])
  })
})

describe.each([
  ['plain', false],
  ['colored', true]
])('a %s table in a terminal', (_what, isColored) => {
  const widths = [
    ...Array.from({ length: 41 }, (_, index) => index + 20),
    79,
    80,
    81,
    132,
    200,
    300
  ]

  test('fits narrow and wide terminals, without trailing spaces', async () => {
    const style = isColored ? await coloredStyle() : plainStyle
    for (const width of widths) {
      for (const line of linesOf(
        renderTable([...pets, ...everyName], { columns: petColumns.names, width, style })
      )) {
        expect(stringWidth(line)).toBeLessThanOrEqual(width)
        expect(stripVTControlCharacters(line)).not.toMatch(/\s$/u)
      }
    }
  })

  test('starts the last column at the same position on every line', async () => {
    const style = isColored ? await coloredStyle() : plainStyle
    const rows = everyName.map(({ name }) => ({ name, mark: '|' }))
    for (const width of widths) {
      const places = linesOf(renderTable(rows, { columns: ['name', 'mark'], width, style }))
        .slice(1)
        .map(line => stringWidth(stripVTControlCharacters(line).replace(/\|$/, '')))
      expect(new Set(places).size).toBe(1)
    }
  })

  test('fits and aligns any names', async () => {
    const style = isColored ? await coloredStyle() : plainStyle
    const name = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom('日', '한', '🐶', '👨‍👩‍👧', 'é', '\t', '\u001b', ' ') })
    )
    fc.assert(
      fc.property(
        fc.array(fc.record({ name, mark: fc.constant('|') })),
        fc.integer({ min: 20, max: 300 }),
        (rows, width) => {
          const lines = linesOf(renderTable(rows, { columns: ['name', 'mark'], width, style }))
          expect(lines).toHaveLength(rows.length + 1)
          const ends = lines.slice(1).map(line => stringWidth(line))
          expect(new Set(ends).size).toBeLessThanOrEqual(1)
          expect(Math.max(...lines.map(line => stringWidth(line)))).toBeLessThanOrEqual(width)
        }
      )
    )
  })
})

test('color adds nothing but escapes, to the header and the statuses', async () => {
  const colored = renderTable(pets, {
    columns: petColumns.names,
    width: 80,
    style: await coloredStyle()
  })
  expect(stripVTControlCharacters(colored)).toBe(
    renderTable(pets, { columns: petColumns.names, width: 80, style: plainStyle })
  )
  expect(colored).toContain('\u001b[1mid\u001b[22m')
  expect(colored).toContain('\u001b[32mavailable\u001b[39m')
})

test.each([
  ['available', '32'],
  ['pending', '33'],
  ['queued', '33'],
  ['sold', '2']
])('the status %s has the color %s', async (status, color) => {
  const table = renderTable([{ id: 1n, status }], {
    columns: ['id', 'status'],
    width: 80,
    style: await coloredStyle()
  })
  expect(table).toContain(`\u001b[${color}m${status}\u001b[`)
})

test.each([
  ['inUse', [true, false, undefined], ['✓', '', '']],
  ['keySaved', [true, false, undefined], ['✓', '✗', '']],
  ['name', [true, 'Rex', false], ['true', 'Rex', 'false']],
  ['name', ['true'], ['✓']]
])('the table shows the column %s with %j as %j', (column, values, texts) => {
  const rows = values.map(value => (value === undefined ? {} : { [column]: value }))
  expect(readableCells(rows, column)).toEqual(texts)
})
