import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/failure.ts'
import { type ImportFormat, InputStart } from '../../src/import/format.ts'
import { type ImportRow, readRows } from '../../src/import/rows.ts'

const byteOrderMark = Buffer.from('\ufeff')

/** A row's result, short enough for a table. */
type Brief = readonly [line: number, result: unknown]

async function* chunksOf(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  let start = 0
  for (let index = 0; start < bytes.length; index += 1) {
    const end = start + (sizes[index % sizes.length] ?? bytes.length)
    yield bytes.subarray(start, end)
    start = end
  }
}

async function read(
  content: string | Buffer,
  format?: ImportFormat,
  sizes = [1 << 20]
): Promise<ImportRow[]> {
  const chunks = chunksOf(Buffer.from(content), sizes)
  const rows: ImportRow[] = []
  for await (const batch of readRows(chunks, { name: 'pets', format }).batches) rows.push(...batch)
  return rows
}

const brief = (rows: readonly ImportRow[]): Brief[] =>
  rows.map(row => [row.raw.number, 'pet' in row ? Object.values(row.pet) : row.problem])

describe('NDJSON', () => {
  test.each<[what: string, content: string | Buffer, expected: Brief[]]>([
    [
      'one row per line',
      '{"name":"a","categoryId":1}\n{"name":"b","categoryId":2,"status":"sold"}\n',
      [
        [1, ['a', 1n]],
        [2, ['b', 2n, 'sold']]
      ]
    ],
    ['no final newline', '{"name":"a","categoryId":1}', [[1, ['a', 1n]]]],
    [
      'CRLF and blank lines, which count as lines',
      '\r\n \t\r\n{"name":"a","categoryId":1}\r\n\r\n{"name":"b","categoryId":2}\r\n',
      [
        [3, ['a', 1n]],
        [5, ['b', 2n]]
      ]
    ],
    ['a byte order mark', '\ufeff{"name":"a","categoryId":1}\n', [[1, ['a', 1n]]]],
    [
      'two byte order marks, as in concatenated files',
      '\ufeff\ufeff{"name":"a","categoryId":1}\n{"name":"b","categoryId":1}\n',
      [
        [1, expect.stringContaining('not valid JSON')],
        [2, ['b', 1n]]
      ]
    ],
    [
      'the largest integer',
      '{"name":"a","categoryId":9223372036854775807}',
      [[1, ['a', 9223372036854775807n]]]
    ],
    ['an id, which is dropped', '{"id":9,"name":"a","categoryId":1}', [[1, ['a', 1n]]]],
    [
      'a line that is not JSON',
      'x\n{"name":"a","categoryId":1}\n',
      [
        [1, expect.stringContaining('it is not JSON')],
        [2, ['a', 1n]]
      ]
    ],
    [
      'bytes that are not UTF-8',
      Buffer.from(
        '{"name":"a","categoryId":1}\n{"name":"\xff","categoryId":1}\n{"name":"b","categoryId":2}',
        'latin1'
      ),
      [
        [1, ['a', 1n]],
        [2, 'it is not UTF-8 text'],
        [3, ['b', 2n]]
      ]
    ],
    [
      'another field',
      '{"name":"a","categoryId":1,"colour":"red"}',
      [[1, "a pet has no field 'colour'"]]
    ],
    [
      'an integer beyond 64 bits',
      '{"name":"a","categoryId":9223372036854775808}',
      [[1, expect.stringContaining('categoryId must be a 64-bit integer')]]
    ],
    ['a blank name', '{"name":" ","categoryId":1}', [[1, 'name must not be blank']]],
    [
      'a line with an array',
      '{"name":"a","categoryId":1}\n[]\n',
      [
        [1, ['a', 1n]],
        [2, 'it must be an object']
      ]
    ]
  ])('%s', async (_, content, expected) => {
    expect(brief(await read(content, 'ndjson'))).toEqual(expected)
  })
})

describe('a JSON array', () => {
  test.each<[what: string, content: string, expected: Brief[]]>([
    ['an empty array', ' [ ] ', []],
    [
      'over several lines',
      '[\n  {\n "name":"a",\n "categoryId":1\n },\n {"name":"]},{[\\"","categoryId":2}]\n',
      [
        [1, ['a', 1n]],
        [2, [']},{["', 2n]]
      ]
    ],
    [
      'on one line',
      '[{"name":"a","categoryId":1},{"name":"b","categoryId":2}]',
      [
        [1, ['a', 1n]],
        [2, ['b', 2n]]
      ]
    ],
    [
      'truncated in an element',
      '[{"name":"a","categoryId":1},\n{"name":"b","cat',
      [
        [1, ['a', 1n]],
        [2, 'the array is cut off here']
      ]
    ],
    [
      'truncated in a string',
      '[{"name":"a","categoryId":1},\n{"name":"b]',
      [
        [1, ['a', 1n]],
        [2, 'the array is cut off here']
      ]
    ],
    [
      'truncated between elements',
      '[{"name":"a","categoryId":1},\n{"name":"b","categoryId":1}\n',
      [
        [1, ['a', 1n]],
        [2, 'the array is cut off here']
      ]
    ],
    [
      'one malformed element',
      '[{"name":"a","categoryId":1},{name:"b"},\n{"name":"c","categoryId":3}]',
      [
        [1, ['a', 1n]],
        [2, expect.stringContaining('it is not JSON')],
        [3, ['c', 3n]]
      ]
    ],
    [
      'an extra comma',
      '[{"name":"a","categoryId":1},\n]',
      [
        [1, ['a', 1n]],
        [2, 'there is no element between two commas']
      ]
    ],
    [
      'text after the end',
      '[{"name":"a","categoryId":1}]\n{"name":"b","categoryId":2}\n',
      [
        [1, ['a', 1n]],
        [2, 'it comes after the end of the array']
      ]
    ],
    [
      'text after the end that is longer than a row',
      `[{"name":"a","categoryId":1}]\n${'x'.repeat(1 << 20)}`,
      [
        [1, ['a', 1n]],
        [2, 'it comes after the end of the array']
      ]
    ]
  ])('%s', async (_, content, expected) => {
    expect(brief(await read(content, 'json'))).toEqual(expected)
  })

  test('has elements without the space around them', async () => {
    const rows = await read('[ 1 \n, 2\t]', 'json', [1])
    expect(rows.map(({ raw }) => Buffer.from(raw.bytes).toString())).toEqual(['1', '2'])
  })

  test('must begin with a bracket', async () => {
    await expect(read('{"name":"a","categoryId":1}', 'json')).rejects.toMatchObject({
      code: 'usage'
    })
  })
})

describe('CSV', () => {
  test.each<[what: string, content: string | Buffer, expected: Brief[]]>([
    ['columns in another order', 'categoryId,status,name\n1,sold,a\n', [[2, ['a', 1n, 'sold']]]],
    [
      'a byte order mark, CRLF, blank lines',
      '\ufeffname,categoryId\r\n\r\na,1\r\n  \r\nb,2\r\n',
      [
        [3, ['a', 1n]],
        [5, ['b', 2n]]
      ]
    ],
    [
      'quoted cells with quotes, commas and line breaks',
      'name,categoryId\n"a, ""b""\nc",1\n"d",2',
      [
        [2, ['a, "b"\nc', 1n]],
        [4, ['d', 2n]]
      ]
    ],
    ['an empty status, which is dropped', 'id,name,categoryId,status\n7,a,1,\n', [[2, ['a', 1n]]]],
    ['spaces, which stay', 'name,categoryId\n a ,1\n', [[2, [' a ', 1n]]]],
    [
      'the smallest integer',
      'name,categoryId\na,-9223372036854775808\n',
      [[2, ['a', -9223372036854775808n]]]
    ],
    [
      'an invalid number',
      'name,categoryId\na,1.5\nb,2',
      [
        [2, expect.stringContaining('categoryId must be a 64-bit integer')],
        [3, ['b', 2n]]
      ]
    ],
    [
      'too many cells',
      'name,categoryId\na,1,x\nb,2\n',
      [
        [2, 'it has 3 cells, but the header has 2'],
        [3, ['b', 2n]]
      ]
    ],
    [
      'too few',
      'name,categoryId\na\nb,2\n',
      [
        [2, 'it has 1 cell, but the header has 2'],
        [3, ['b', 2n]]
      ]
    ],
    [
      'an unknown column with a value',
      'name,categoryId,colour\na,1,red\nb,2,\n',
      [
        [2, "a pet has no field 'colour'"],
        [3, ['b', 2n]]
      ]
    ],
    [
      'a quote inside a field',
      'name,categoryId\nx"y,1\nb,2\n',
      [
        [2, 'its quotes are not valid CSV'],
        [3, ['b', 2n]]
      ]
    ],
    [
      'text after a closing quote',
      'name,categoryId\n"a"b,1\nb,2\n',
      [
        [2, 'its quotes are not valid CSV'],
        [3, ['b', 2n]]
      ]
    ],
    [
      'an unclosed quote',
      'name,categoryId\n"a,1\nb,2\nc,3\n',
      [
        [2, 'a quote is opened on this line and never closed'],
        [3, ['b', 2n]],
        [4, ['c', 3n]]
      ]
    ],
    [
      'bytes that are not UTF-8',
      Buffer.from('name,categoryId\n\xff,1\nb,2\n', 'latin1'),
      [
        [2, 'it is not UTF-8 text'],
        [3, ['b', 2n]]
      ]
    ],
    [
      'doubled carriage returns, as after two conversions, with an invalid row',
      'name,categoryId\r\r\na,1\r\r\nb"c,2\r\r\n',
      [
        [2, ['a', 1n]],
        [3, 'its quotes are not valid CSV']
      ]
    ],
    ['only the header', 'name,categoryId\n', []],
    [
      'semicolons, as a spreadsheet writes them where the comma is for decimals',
      '\ufeffname;categoryId;status\r\n"a;b";1;\r\nc,d;2;sold\r\n',
      [
        [2, ['a;b', 1n]],
        [3, ['c,d', 2n, 'sold']]
      ]
    ],
    [
      'tabs, with an empty first column',
      '\n\tname\tcategoryId\n\ta, b;c\t1\n',
      [[3, ['a, b;c', 1n]]]
    ],
    [
      'a header in quotes, with other separators in them',
      '"id";"name";"categoryId"\n7;"a ""b""\nc";1\n"d"e;"f",2\n',
      [
        [2, ['a "b"\nc', 1n]],
        [4, 'its quotes are not valid CSV']
      ]
    ],
    ['a header alone, without a line break', 'name;categoryId', []]
  ])('%s', async (_, content, expected) => {
    expect(brief(await read(content, 'csv'))).toEqual(expected)
  })

  test.each([
    [
      'no header',
      'Rex,1\nBella,2\n',
      "pets, line 1: the header has the columns 'Rex', '1'; an import needs"
    ],
    [
      'a header without a required column',
      '\nname,status\nRex,sold\n',
      "pets, line 2: the header has the columns 'name', 'status'; an import needs"
    ],
    ['a duplicate column', 'name,categoryId,name\n', "the column 'name' twice"]
  ])('%s is an error that gives the line', async (_, content, words) => {
    await expect(read(content, 'csv')).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(words)
    })
  })
})

test.each(['', ' \n\t\n', '\ufeff'])('an empty input (%j) is an error', async content => {
  await expect(read(content)).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('is empty')
  })
})

test.each([
  ['\n [{"name":"a","categoryId":1}]', 1],
  ['\n{"name":"a","categoryId":1}', 2],
  ['\nname,categoryId\na,1', 3]
])('the format of %j is detected from the first character', async (content, line) => {
  expect(brief(await read(content))).toEqual([[line, ['a', 1n]]])
})

test.each([
  ['a field twice', '{"name":"a","categoryId":1,"categoryId":2}', 'it has the same field twice'],
  [
    'a field twice, with a colon in its text',
    '{"name":"a:\\"b","name":"b","categoryId":1}',
    'it has the same field twice'
  ],
  [
    'a field twice, with a brace in its text',
    '{"name":"a{b","name":"c","categoryId":1}',
    'it has the same field twice'
  ],
  [
    'a field twice, beside an object',
    '{"id":{"a":1,"b":2},"name":"a","name":"b","categoryId":1}',
    'it has the same field twice'
  ],
  ['an object in a list', '[{"name":"a","categoryId":1}]', 'it must be an object'],
  [
    'text that is not Unicode',
    '{"name":"\\ud800","categoryId":1}',
    'name must be Unicode text without NUL'
  ],
  ['text with NUL', '{"name":"a\\u0000b","categoryId":1}', 'name must be Unicode text without NUL']
])('a row with %s is invalid', async (_, row, problem) => {
  for (const [format, content] of [
    ['ndjson', row],
    ['json', `[${row}]`]
  ] as const) {
    expect(brief(await read(content, format))).toEqual([[1, problem]])
  }
})

test('the colons and the quotes in a text are no fields', async () => {
  expect(brief(await read('{"name":"a:b\\"c\\\\","categoryId":1}', 'ndjson'))).toEqual([
    [1, ['a:b"c\\', 1n]]
  ])
  expect(brief(await read('{"id":{"a":{"b":1}},"name":"a","categoryId":1}', 'ndjson'))).toEqual([
    [1, ['a', 1n]]
  ])
})

test('megabytes of empty lines before the first row take no more time for each line than few', async () => {
  const cpuTime = async (lines: number) => {
    const content = `${'\n'.repeat(lines)}{"name":"a","categoryId":1}`
    const begun = process.cpuUsage()
    expect(brief(await read(content, undefined, [1 << 15]))).toEqual([[lines + 1, ['a', 1n]]])
    return process.cpuUsage(begun).user
  }
  const leastTime = async (lines: number) =>
    Math.min(await cpuTime(lines), await cpuTime(lines), await cpuTime(lines))
  // Four times the lines. The least time of the processor, because a busy machine only adds to it.
  expect((await leastTime(1 << 24)) / (await leastTime(1 << 22))).toBeLessThan(10)
})

test('blank lines before the first row are counted and not held, however long they are', () => {
  for (const blank of ['\n'.repeat(1 << 16), ' '.repeat(1 << 16)]) {
    const start = new InputStart()
    for (const byte of byteOrderMark) start.push(Buffer.of(byte))
    for (let count = 0; count < 24; count += 1) start.push(Buffer.from(blank))
    expect(start.bytes().length).toBeLessThanOrEqual(1 << 20)
    start.push(Buffer.from('{'))
    const lines = blank.startsWith('\n') ? 24 << 16 : 0
    expect({ line: start.line, format: start.format() }).toEqual({
      line: lines + 1,
      format: 'ndjson'
    })
  }
})

test.each([
  ['{', true],
  ['[', true],
  ['name,categoryId', false],
  ['name,categoryId\n', true],
  ['x'.repeat(1 << 20), false],
  ['x'.repeat((1 << 20) + 1), true]
])(
  'rows are read as soon as their format and the header of CSV have arrived: %#',
  (text, isComplete) => {
    const start = new InputStart()
    start.push(Buffer.from(text))
    expect(start.isComplete()).toBe(isComplete)
  }
)

test('the row that an interruption cuts off is left out', async () => {
  const reason = new Failure('interrupted', 'interrupted')
  async function* chunks() {
    yield Buffer.from('{"name":"a","categoryId":1}\n{"name":"b"')
    throw reason
  }
  const rows: ImportRow[] = []
  const reading = async () => {
    for await (const batch of readRows(chunks(), { name: 'pets' }).batches) rows.push(...batch)
  }
  await expect(reading()).rejects.toBe(reason)
  expect(brief(rows)).toEqual([[1, ['a', 1n]]])
})

describe('a row of more than 1 MiB', () => {
  const large = 'x'.repeat(3 << 20)
  test.each<[ImportFormat, string, number]>([
    [
      'ndjson',
      `{"name":"a","categoryId":1}\n{"name":"${large}","categoryId":1}\n{"name":"b","categoryId":2}\n`,
      2
    ],
    [
      'json',
      `[{"name":"a","categoryId":1},\n{"name":"${large}","categoryId":1},\n{"name":"b","categoryId":2}]`,
      2
    ],
    ['csv', `name,categoryId\na,1\n${large},1\nb,2\n`, 3],
    ['csv', `name,categoryId\na,1\n"${large}",1\nb,2\n`, 3]
  ])('%s has one problem, and the other rows are read', async (format, content, line) => {
    const rows = await read(content, format, [1 << 16])
    const problems = rows.filter(row => 'problem' in row)
    expect(brief(rows).filter(([, result]) => Array.isArray(result))).toEqual([
      [line - 1, ['a', 1n]],
      [line + 1, ['b', 2n]]
    ])
    expect(new Set(problems.map(({ raw }) => raw.number))).toEqual(new Set([line]))
    expect(problems).toMatchObject([{ problem: 'it is longer than 1 MiB' }])
  })

  const sizes = [1000, 1 << 16, 1 << 22]

  test.each(sizes)(
    'counts once if it is the last row and has no line break (in chunks of %i)',
    async size => {
      for (const row of [
        'x'.repeat(1 << 20),
        'x'.repeat((1 << 20) + 1),
        `"${'x'.repeat(1 << 20)}`
      ]) {
        const rows = await read(`name,categoryId\n${row}`, 'csv', [size])
        expect(brief(rows)).toEqual([[2, expect.any(String)]])
      }
    }
  )

  test.each(sizes)('is refused from the first byte beyond 1 MiB (in chunks of %i)', async size => {
    for (const isQuoted of [false, true]) {
      const rowOf = (length: number) => {
        const name = 'x'.repeat(length - ',1'.length - (isQuoted ? 2 : 0))
        return isQuoted ? `"${name}",1` : `${name},1`
      }
      const rows = await read(
        `name,categoryId\n${rowOf(1 << 20)}\n${rowOf((1 << 20) + 1)}\nb,2\n`,
        'csv',
        [size]
      )
      expect(rows.map(row => ('pet' in row ? row.pet.categoryId : row.problem))).toEqual([
        1n,
        'it is longer than 1 MiB',
        2n
      ])
    }
  })

  test.each<ImportFormat>(['ndjson', 'json'])(
    '%s, too, is refused from the first byte beyond 1 MiB',
    async format => {
      const rowOf = (length: number) => {
        const [start, end] = ['{"name":"', '","categoryId":1}']
        return `${start}${'x'.repeat(length - start.length - end.length)}${end}`
      }
      const rows = [rowOf(1 << 20), rowOf((1 << 20) + 1)]
      const content = format === 'json' ? `[${rows.join()}]` : rows.join('\n')
      expect((await read(content, format)).map(row => 'problem' in row && row.problem)).toEqual([
        false,
        'it is longer than 1 MiB'
      ])
    }
  )

  test.each(sizes)(
    'with line breaks has an error on its first line, and is followed by valid rows (in chunks of %i)',
    async size => {
      const lines = Array.from({ length: 1100 }, () => `${'x'.repeat(999)}`)
      const rows = await read(`name,categoryId\n"${lines.join('\n')}",1\nb,2\n`, 'csv', [size])
      expect(brief(rows)[0]).toEqual([
        2,
        'a quote is opened on this line and not closed within 1 MiB'
      ])
      expect(brief(rows).at(-1)).toEqual([1102, ['b', 2n]])
      expect(rows).toHaveLength(1101)
    }
  )
})

test.each<ImportFormat>(['ndjson', 'json', 'csv'])(
  '%s is read in the same way for any split into chunks',
  async format => {
    const parts = [
      '{"name":"ü","categoryId":1}',
      '"',
      '""',
      '"a\nb",2',
      ',',
      '\n',
      '\r\n',
      '[',
      ']',
      '{',
      '\\',
      ' ',
      'x,1',
      'é'
    ]
    const heads = { ndjson: '', json: '[', csv: 'name,categoryId\n' }
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...parts), { maxLength: 20 }),
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 5 }),
        async (texts, sizes) => {
          const content = `${heads[format]}x${texts.join('')}`
          const [whole, cut] = await Promise.all([
            read(content, format),
            read(content, format, sizes)
          ])
          expect(brief(cut)).toEqual(brief(whole))
          expect(cut.map(({ raw }) => Buffer.from(raw.bytes))).toEqual(
            whole.map(({ raw }) => Buffer.from(raw.bytes))
          )
        }
      ),
      { numRuns: 100 }
    )
  }
)

test('before the first row, places are lines', () => {
  expect(readRows(chunksOf(Buffer.from('[]'), [1]), { name: 'pets' }).layout()).toEqual({
    format: 'ndjson'
  })
})
