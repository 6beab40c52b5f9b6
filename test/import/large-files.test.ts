import { parse as parseCsv } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import type { ImportFormat } from '../../src/import/format.ts'
import { readRows } from '../../src/import/rows.ts'

const statuses = ['available', 'pending', 'sold'] as const

/** Names that are hard to parse in one of the formats: quotes, line breaks, commas, brackets, text beyond ASCII. */
const names = [
  'Rex',
  'a "quoted" name',
  '"',
  '""',
  'two\nlines',
  'CR\rLF\r\n',
  'a, b',
  ',',
  'back\\slash\\',
  '{"a":[1]}',
  ']',
  'é🐕',
  'x'.repeat(300),
]
const expectedPets = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    name: `${names[index % names.length]}${index % 7 === 0 ? index : ''}`,
    categoryId: 9_007_199_254_740_993n + BigInt(index),
    ...(index % 3 > 0 && { status: statuses[index % 3] }),
  }))
type Pet = ReturnType<typeof expectedPets>[number]

const csvCell = (text: string, isQuoted: boolean) =>
  isQuoted || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

const jsonOf = ({ name, categoryId, status }: Pet) =>
  `{"name":${JSON.stringify(name)},"categoryId":${categoryId}${status === undefined ? '' : `,"status":"${status}"`}}`

const writers: Readonly<Record<ImportFormat, (pets: readonly Pet[]) => string>> = {
  ndjson: (pets) => pets.map((pet, index) => `${jsonOf(pet)}${index % 5 === 0 ? '\r\n' : '\n'}`).join(''),
  json: (pets) => `[${pets.map((pet, index) => `${index % 4 === 0 ? '\n' : ' '}${jsonOf(pet)}`).join(',')}]`,
  csv: (pets) => {
    const rows = pets.map(({ name, categoryId, status = '' }, index) =>
      [csvCell(name, index % 2 === 0), csvCell(String(categoryId), index % 11 === 0), status].join(','),
    )
    return ['name,categoryId,status', ...rows, ''].join('\r\n')
  },
}

async function* inChunks(bytes: Buffer, size: number) {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

describe.each<ImportFormat>(['ndjson', 'json', 'csv'])('a large file as %s', (format) => {
  test.each([
    [1_000, 61],
    [1_000, 1 << 16],
    [20_000, 1 << 16],
  ])('of %i rows in chunks of %i bytes is read exactly', async (count, size) => {
    const expected = expectedPets(count)
    const bytes = Buffer.from(writers[format](expected))
    let index = 0
    const wrong: unknown[] = []
    for await (const rows of readRows(inChunks(bytes, size), { name: 'pets', format: undefined }).batches) {
      for (const row of rows) {
        const pet = expected[index]
        const isRight =
          'pet' in row &&
          row.pet.name === pet?.name &&
          row.pet.categoryId === pet.categoryId &&
          row.pet.status === pet.status
        if (!isRight && wrong.length < 5) wrong.push({ index, row, pet })
        index += 1
      }
    }
    expect(wrong).toEqual([])
    expect(index).toBe(count)
  })
})

test('csv-parse reads the same cells from these files', () => {
  const pets = expectedPets(1_000)
  const rows: string[][] = parseCsv(writers.csv(pets))
  expect(rows.slice(1)).toEqual(pets.map(({ name, categoryId, status = '' }) => [name, String(categoryId), status]))
})
