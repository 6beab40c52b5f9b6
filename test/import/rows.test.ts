import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ImportFormat, layoutOf } from '../../src/import/formats.ts'
import type { Row } from '../../src/import/row.ts'
import { readRows } from '../../src/import/rows.ts'

interface Given {
  readonly format?: ImportFormat
  readonly ignoreUnknown?: boolean
  /** How many bytes arrive at once. */
  readonly chunk?: number
}

async function rowsOf(input: string | Buffer, { format, ignoreUnknown, chunk = 7 }: Given = {}) {
  const bytes = Buffer.from(input)
  const layout = layoutOf(bytes.toString(), format)
  if (layout === undefined) throw new Error('blank')
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk)
  }
  const rows: Row[] = []
  const { signal } = new AbortController()
  const doNothing = () => {}
  const about = { name: 'FILE', path: '/FILE', sha256: '', layout, chunks, signal }
  const file = { ...about, requireUnchanged: doNothing, close: doNothing }
  for await (const batch of readRows(file, ignoreUnknown)) rows.push(...batch)
  return rows.map(({ line, body, problem }) => `${line} ${body ?? problem}`)
}

const rex = '{"name":"Rex","categoryId":2}'
const sold = '{"name":"Rex","categoryId":2,"status":"sold"}'

test.each<[about: string, input: string, rows: readonly string[], given?: Given]>([
  ['NDJSON', `${rex}\n\n ${sold} \r\n`, [`1 ${rex}`, `3 ${sold}`]],
  ['no line end', rex, [`1 ${rex}`]],
  ['a byte order mark', `\ufeff${rex}\n`, [`1 ${rex}`]],
  ['an array', `[${rex},\n${sold}]`, [`1 ${rex}`, `2 ${sold}`]],
  ['an empty array', '[]', []],
  ['an id, which is dropped', '{"id":7,"name":"Rex","categoryId":2}', [`1 ${rex}`]],
  ['another order and notation', '{"categoryId":2.0,"name":"\\u0052ex"}', [`1 ${rex}`]],
  [
    'large integers',
    '{"name":"Rex","categoryId":9007199254740993}',
    ['1 {"name":"Rex","categoryId":9007199254740993}']
  ],
  ['CSV', 'name,categoryId,status\nRex,2,\nRex,2,sold\n', [`2 ${rex}`, `3 ${sold}`]],
  ['semicolons and another order', 'categoryId;name\r\n2;Rex\r\n', [`2 ${rex}`]],
  ['the separator in a line of its own', 'sep=;\nname;categoryId\nRex;2\n', [`3 ${rex}`]],
  ['tabs', 'name\tstatus\tcategoryId\nRex\t\t2\n', [`2 ${rex}`]],
  [
    'a separator within quotes',
    'name;"category,Id";categoryId\nRex;;2\n',
    [`2 ${rex}`],
    { ignoreUnknown: true }
  ],
  [
    'white space around cells',
    ' name , categoryId\n Rex\t, 2\n\u00a0" Rex " ," 2"\n',
    [`2 ${rex}`, `3 ${rex}`]
  ],
  ['a mark in CSV', '\ufeffname,categoryId\nRex,2\n', [`2 ${rex}`]],
  ['names of columns', 'NAME,Category ID,_status\nRex,2,sold\n', [`2 ${sold}`]],
  ['category-id, id', 'id,Name,category-id\n9,Rex, 2 \n', [`2 ${rex}`]],
  ['empty columns at the end', 'name,categoryId,,\nRex,2,,\nRex,2\n', [`2 ${rex}`, `3 ${rex}`]],
  ['empty lines', 'name,categoryId\n\nRex,2\n,\n\nRex,2\n', [`3 ${rex}`, `6 ${rex}`]],
  [
    'a cell of several lines',
    'name,categoryId\r\n"a\r\nb",2\r\n"Rex",2\r\n',
    ['2 {"name":"a\\r\\nb","categoryId":2}', `4 ${rex}`]
  ],
  [
    'quotes in quotes',
    'name,categoryId\n"a ""b"", c",2\n',
    ['2 {"name":"a \\"b\\", c","categoryId":2}']
  ],
  ['a format that was typed', '[1,2]', ['1 it is not an object'], { format: 'ndjson' }],
  [
    'no objects',
    '[1,null,[]]',
    ['1', '2', '3'].map(line => `${line} it is not an object`),
    { ignoreUnknown: true }
  ],
  [
    'unknown fields left out',
    '{"name":"Rex","categoryId":2,"x":1}',
    [`1 ${rex}`],
    { ignoreUnknown: true }
  ],
  [
    'unknown columns left out',
    'x,name,categoryId\n1,Rex,2\n',
    [`2 ${rex}`],
    { ignoreUnknown: true }
  ]
])('%s', async (_, input, rows, given) => {
  expect(await rowsOf(input, given)).toEqual(rows)
})

test.each([
  ['nonsense\n', 'it is not JSON', { format: 'ndjson' }],
  ['{"name":"Rex"}', 'categoryId is missing'],
  ['{"name":"Rex","categoryId":"3"}', "categoryId '3' is text and not a whole number"],
  ['{"name":"Rex","categoryId":"three"}', "categoryId 'three' is not a whole number"],
  ['{"name":"Rex","categoryId":2,"status":"lost"}', "status 'lost' is not available"],
  ['{"name":" ","categoryId":2}', 'name is blank'],
  ['{"name":"Rex","categoryId":2,"x":1}', "a pet has no field 'x'"],
  ['{"name":"\\ud800","categoryId":2}', "name '\ud800' is not Unicode text"],
  [Buffer.from('{"name":"Zo\xeb","categoryId":2}', 'latin1'), 'it is not UTF-8 text'],
  [Buffer.from('name,categoryId\nZo\xeb,2\n', 'latin1'), 'it is not UTF-8 text'],
  ['name,categoryId\nRex,three\n', "categoryId 'three' is not a whole number"],
  [
    'name,categoryId\nRex,99999999999999999999\n',
    'categoryId 99999999999999999999 has more than 64 bits'
  ],
  [
    'name,categoryId,status\n,2.5,lost\n',
    "name is missing; categoryId '2.5' is not a whole number; status 'lost' is not available"
  ],
  ['name,categoryId\nRex\n', 'it has 1 cell, and the header has 2'],
  ['name,categoryId\nRex,2,3\n', 'it has 3 cells, and the header has 2']
] as [string | Buffer, string, Given?][])('a row %#', async (input, problem, given) => {
  expect(await rowsOf(input, given)).toEqual([expect.stringContaining(` ${problem}`)])
})

test.each<[input: string, problem: string]>([
  [
    'name,x,categoryId,y\nRex,1,2,\n',
    "unknown columns: 'x', 'y'; --ignore-unknown leaves them out"
  ],
  ['name\nRex\n', "there is no column 'categoryId'"],
  [
    'name,category\nRex,1\n',
    "there is no column 'categoryId'; unknown column: 'category'; if 'category' is the categoryId, rename it to 'categoryId'"
  ],
  [
    'kind,name\n1,Rex\n',
    "unknown column: 'kind'; if 'kind' is the categoryId, rename it to 'categoryId'"
  ],
  [
    'Pet name,note,Category No\nRex,,1\n',
    "there is no column 'name' and no column 'categoryId'; unknown columns: 'Pet name', 'note', 'Category No'; if 'Pet name' is the name, rename it to 'name'; if 'Category No' is the categoryId, rename it to 'categoryId'"
  ],
  [
    'Rex,2,\n',
    "there is no column 'name' and no column 'categoryId'; unknown columns: 'Rex', '2' "
  ],
  ['name,Name,categoryId\nRex,a,2\n', "there are two columns 'name'"],
  ['name,categoryId\nA,1\n"B,2\nC,3\n', 'the quotes that open in line 3 are never closed'],
  [
    `name,categoryId\n"${'B,2\n'.repeat(300_000)}`,
    'the row in line 2 is longer than 1 MiB: its quotes may be never closed'
  ],
  ['name,categoryId\nA 5",1\n', 'the quotes in line 2 do not enclose a whole cell'],
  [`[${rex}`, 'FILE: '],
  [`{${' '.repeat(1_100_000)}`, 'line 1 is longer than 1 MiB'],
  [`[${' '.repeat(17_000_000)}]`, ".[]' jq -c '.[]' /FILE"]
])('an input is refused as a whole: %#', async (input, problem) => {
  const { code, message, hint } = await rowsOf(input, { chunk: 16_384 }).catch(error => error)
  expect([code, `${message} ${hint}`]).toEqual(['usage', expect.stringContaining(problem)])
})

test('every line end is one, in any mixture, also within quotes', async () => {
  const lineEnd = fc.constantFrom('\n', '\r\n', '\r')
  const name = fc.array(fc.oneof(lineEnd, fc.constantFrom('a', '"', ',', ' ', 'é')))
  const written = ([text, end]: readonly [string, string]) =>
    `"${text.replaceAll('"', '""')}",2${end}`
  const linesOf = (text: string) => text.split(/\r\n|\n|\r/).length - 1
  const rows = fc.array(
    fc.tuple(
      name.map(parts => parts.join('')),
      lineEnd
    )
  )
  await fc.assert(
    fc.asyncProperty(rows, lineEnd, fc.integer({ min: 1, max: 9 }), async (rows, end, chunk) => {
      const expected: string[] = []
      let line = 2
      for (const row of rows) {
        const shown = JSON.stringify(row[0].trim())
        expected.push(
          `${line} ${shown === '""' ? 'name is missing' : `{"name":${shown},"categoryId":2}`}`
        )
        line += linesOf(written(row))
      }
      const input = `name,categoryId${end}${rows.map(written).join('')}`
      expect(await rowsOf(input, { chunk })).toEqual(expected)
    })
  )
})
