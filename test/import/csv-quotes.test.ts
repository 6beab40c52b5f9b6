import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ImportRow, readRows } from '../../src/import/rows.ts'

async function rowsOf(content: string, chunkSize = content.length): Promise<ImportRow[]> {
  async function* chunks() {
    for (let start = 0; start < content.length; start += chunkSize)
      yield Buffer.from(content.slice(start, start + chunkSize))
  }
  const rows: ImportRow[] = []
  const { batches } = readRows(chunks(), { name: 'pets', format: 'csv' })
  for await (const batch of batches) rows.push(...batch)
  return rows
}

/** Returns the line, the bytes and the problem of each row. */
async function read(content: string, chunkSize?: number) {
  const rows = await rowsOf(content, chunkSize)
  return rows.map(row => ({
    line: row.raw.number,
    text: row.raw.bytes.toString(),
    problem: 'problem' in row ? row.problem : undefined
  }))
}

const wrong = 'its quotes are not valid CSV'

test('a record with wrong quotes ends where its quotes end, and is one invalid row', async () => {
  const record = '"Rex "x,"multi\nFoo,3\nBar,4"'
  expect(await read(`name,categoryId\n${record}\nLast,5\n`)).toEqual([
    { line: 2, text: record, problem: wrong },
    { line: 5, text: 'Last,5', problem: undefined }
  ])
})

test('a line with wrong quotes does not take the next line with it', async () => {
  const record = '"The "Big" one: list'
  expect(await read(`name,categoryId\n${record}\nLast,5\n`)).toEqual([
    { line: 2, text: record, problem: wrong },
    { line: 3, text: 'Last,5', problem: undefined }
  ])
})

/**
 * Generated records with wrong quotes, after a header and before `Last,5`. The lines on which
 * records begin are those of `csv.reader` in Python 3.11.
 */
test.each<[records: string, lines: readonly number[]]>([
  [';x"y,""\r\n,",\r\n11"c""\n', [2, 3, 5]],
  ['""d\ne"1\r\n,x"y;,"d\ne"\n', [2, 3, 4, 6]],
  [';,";x"y"1;\r\n1;x"y;""\n', [2, 3, 4]],
  ['""d\ne"a"d\ne"1,\n""\n', [2, 3, 4, 5, 6]],
  ['"","""d\ne""c""c"1x"y1"1"d\ne"a\n', [2, 4, 5]],
  ['"","\r\n1\n""\r\n";\n', [2, 6]],
  ['"\na""""1\r\nb ,";a\n', [2, 5]],
  ['a"""d\ne"1;;"\n"d\ne"""b b \n', [2, 3, 4, 6]],
  ['"c""d\ne"x"y,1""c"1,,1;a\n', [2, 4]],
  ['";\r\n,"""d\ne";\n', [2, 4, 5]],
  ['"b \n"1"c",,1\n', [2, 4]],
  ['x"yb ",,,""\n"d\ne"","d\ne"\n', [2, 3, 5, 6]],
  ['"d\ne""d\ne""c"\n"c";""\n""d\ne"\n', [2, 5, 6, 7, 8]],
  ['a"\r\nb "c",""d\ne"""d\ne"\r\na"a\n', [2, 3, 4, 5, 6, 7]],
  ['"d\ne"\n""d\ne"x"y""b x"y,b a"d\ne";\n', [2, 4, 5, 6, 7]],
  [',b \n"d\ne"x"y"b \n', [2, 3, 5]],
  [',",1\r\n1b ;"x"y"\n', [2, 4]],
  ['""c""""b ""\n"""\r\n",\n', [2, 3, 5]],
  ['"\r\n1;;x"y,"d\ne"b \n', [2, 5]],
  ['"\r\n,\r\na","a,\r\nx"y"\n', [2, 6]],
  [',x"y"d\ne"\nb ,"d\ne""1"c"a\n', [2, 3, 4, 6]],
  ['x"y\n"c";","d\ne"""d\ne";";""\n', [2, 3, 5, 6]],
  ['"1";x"y"c""\n', [2, 3]],
  [',""b b ,"d\ne"\r\nb \na;\n', [2, 4, 5, 6]],
  ['""""b 1";"\n', [2, 3]],
  ['"a"",\r\n""d\ne"a"\n', [2, 5]],
  ['"""x"y"\r\nx"y,""b ""d\ne"x"y;\n', [2, 3, 4, 5]],
  ['x"y"c"b ab ,"d\ne""d\ne";1,\n', [2, 5]],
  ['a,"d\ne"""c""""d\ne""d\ne""\n', [2, 4, 5, 6]],
  ['"c""d\ne";""\n', [2, 4]]
])('%j ends where Python ends it', async (records, lines) => {
  const content = `name,categoryId\n${records}Last,5\n`
  for (const chunkSize of [content.length, 1]) {
    const rows = await read(content, chunkSize)
    expect(rows.map(({ line }) => line)).toEqual(lines)
    expect(rows.filter(({ problem }) => problem === undefined)).toEqual([
      { line: lines.at(-1), text: 'Last,5', problem: undefined }
    ])
  }
})

test('a record that csv-parse can read has the same cells', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\n', '\r', ' ') })
  const options = { relax_column_count: true, record_delimiter: ['\r\n', '\n'] }
  await fc.assert(
    fc.asyncProperty(cell, cell, fc.boolean(), async (one, other, isQuoted) => {
      const quote = isQuoted ? '"' : ''
      const content = `name,categoryId\n${quote}${one}${quote},1${other}\n`
      let records: string[][]
      try {
        records = parse(content, options)
      } catch {
        return
      }
      const [, [name, ...others] = [], ...more] = records
      if (more.length > 0 || others.join() !== '1' || name?.trim() === '') return
      const [row] = await rowsOf(content)
      expect(row).toMatchObject({ pet: { name } })
    })
  )
})
