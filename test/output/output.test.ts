import { Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { petColumns } from '../../src/output/view.ts'
import { type Case, outputOf } from './hosts.ts'

const columns = { names: ['id', 'name'] }
const rex = { id: 1n, name: 'Rex', born: 2020n }

type Output = ReturnType<typeof outputOf>['output']

/** What the work prints on stdout. */
async function stdoutOf(wanted: Case, work: (output: Output) => Promise<unknown>) {
  const { output, read } = outputOf(wanted)
  await work(output)
  return (await read()).stdout
}

const full = () =>
  new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error('full'), { code: 'ENOSPC' }))
  })

describe.each([
  ['table', 'id  name\n 1  Rex\n', 'id  name\n', 'born  id\n2020   1\n', 'id  name\n 1  Rex\n'],
  [
    'json',
    '[\n  {\n    "id": 1,\n    "name": "Rex",\n    "born": 2020\n  }\n]\n',
    '[]\n',
    '[\n  {\n    "born": 2020,\n    "id": 1\n  }\n]\n',
    '{\n  "id": 1,\n  "name": "Rex",\n  "born": 2020\n}\n'
  ],
  [
    'ndjson',
    '{"id":1,"name":"Rex","born":2020}\n',
    '',
    '{"born":2020,"id":1}\n',
    '{"id":1,"name":"Rex","born":2020}\n'
  ],
  ['csv', 'id,name\r\n1,Rex\r\n', 'id,name\r\n', 'born,id\r\n2020,1\r\n', 'id,name\r\n1,Rex\r\n'],
  ['tsv', '1\tRex\n', '', '2020\t1\n', '1\tRex\n']
] as const)('%s', (format, list, empty, fields, item) => {
  test.each<[string, string, Case, (output: Output) => Promise<unknown>]>([
    ['a list', list, {}, output => output.list([rex], columns)],
    ['no rows', empty, {}, output => output.list([], columns, 'no pets')],
    [
      'only the fields, in their order',
      fields,
      { fields: ['born', 'id'] },
      output => output.list([rex], columns)
    ],
    ['one thing', item, {}, output => output.item(rex, columns)]
  ])('writes %s', async (_, text, wanted, work) => {
    expect(await stdoutOf({ ...wanted, format }, work)).toBe(text)
  })
})

test.each<[string, Case, string, string]>([
  ['a text in a terminal', {}, 'no pets', 'no pets\n'],
  ['nothing where a notice says why', {}, '', ''],
  ['an array as JSON', { format: 'json' }, 'no pets', '[]\n']
])('an empty list is %s', async (_, wanted, ifEmpty, text) => {
  const list = (output: Output) => output.list([], columns, ifEmpty)
  expect(await stdoutOf({ format: 'table', isTerminal: true, ...wanted }, list)).toBe(text)
})

test.each<[string, Case, string]>([
  [
    'leaves an absent field out of JSON',
    { format: 'ndjson', fields: ['status', 'id'] },
    '{"id":1}\n'
  ],
  [
    'writes large integers as strings',
    { format: 'ndjson', int64AsStrings: true, fields: ['big'] },
    '{"big":"9007199254740993"}\n'
  ],
  [
    'quotes an empty line of CSV, which would be no row',
    { format: 'csv', fields: ['none'] },
    'none\r\n""\r\n'
  ],
  ['is what --jq makes of it', { jq: '.[0].name' }, 'Rex\n']
])('data %s', async (_, wanted, text) => {
  const row = { ...rex, big: 9007199254740993n }
  expect(await stdoutOf(wanted, output => output.list([row], columns))).toBe(text)
})

test.each([
  ['table', 'always', false, true],
  ['table', 'auto', true, true],
  ['table', 'never', true, false],
  ['json', 'always', true, false]
] as const)(
  '%s, color %s, terminal %s: colored %s',
  async (format, color, isTerminal, isColored) => {
    const wanted = { format, color, isTerminal }
    const text = await stdoutOf(wanted, output => output.list([rex], columns))
    expect(text.includes('\u001b[')).toBe(isColored)
  }
)

describe('a change at the service', () => {
  const sent = { id: '7', status: 'queued' }
  const sentColumns = { ...columns, noun: 'message', isToldByConfirmation: true } as const
  const places = async (wanted: Case, noun: 'pet' | 'message') => {
    const { output, read } = outputOf({ format: 'table', isTerminal: true, ...wanted })
    const change =
      noun === 'pet'
        ? output.changedAtService(rex, { ...petColumns, ...columns }, 'added', ' to local')
        : output.changedAtService(sent, sentColumns, 'sent', ' to local')
    await change
    return read()
  }

  test('is confirmed, and printed', async () => {
    const shown = { stdout: 'id  name\n 1  Rex\n', stderr: 'added pet 1 to local\n' }
    expect(await places({}, 'pet')).toEqual(shown)
  })

  test.each<[string, Case, boolean]>([
    ['in a terminal', {}, false],
    ['with --quiet', { quiet: true }, true],
    ['as JSON', { format: 'json' }, true],
    ['with --fields', { fields: ['id'] }, true],
    ['in a pipe', { isTerminal: false }, true]
  ])('that its confirmation tells is printed %s: %s', async (_, wanted, isPrinted) => {
    expect((await places(wanted, 'message')).stdout !== '').toBe(isPrinted)
  })

  test.each<[Case, string]>([
    [{ jq: '.[0]' }, '--jq: Cannot index object with number'],
    [{ stdout: full() }, 'standard output cannot be written']
  ])('that cannot be printed is an error with its id: %j', async (wanted, problem) => {
    const changing = outputOf(wanted).output.changedAtService(rex, petColumns, 'added', '')
    const message = expect.stringMatching(`^${problem}.*, but pet 1 was added$`)
    const failure = { exitCode: 9, change: { id: 1n }, message }
    await expect(changing).rejects.toMatchObject(failure)
  })
})

describe('rows that arrive one after another', () => {
  const added = { row: 1, id: 9007199254740993n }
  const invalid = { row: 20, error: 'no name' }
  const names = ['row', 'id', 'error']
  const printed = async (output: Output) => {
    const printRows = await output.rows({ names })
    await printRows?.([added])
    await printRows?.([invalid])
  }
  const header = async (output: Output) => {
    const printRows = await output.rows({ names })
    await printRows?.([])
  }

  test.each<[Case, string, string]>([
    [{ format: 'ndjson' }, '{"row":1,"id":9007199254740993}\n{"row":20,"error":"no name"}\n', ''],
    [{ format: 'json' }, '{"row":1,"id":9007199254740993}\n{"row":20,"error":"no name"}\n', ''],
    [{ format: 'ndjson', fields: ['id'] }, '{"id":9007199254740993}\n{}\n', ''],
    [{ jq: '.row' }, '1\n20\n', ''],
    [{ format: 'csv', fields: ['row'] }, 'row\r\n1\r\n20\r\n', 'row\r\n'],
    [{ format: 'tsv' }, '1\t9007199254740993\t\n20\t\tno name\n', ''],
    [{ format: 'table' }, '', '']
  ])('with %j', async (wanted, text, withoutRows) => {
    expect(await stdoutOf(wanted, printed)).toBe(text)
    expect(await stdoutOf(wanted, header)).toBe(withoutRows)
  })

  test('go on when the reader leaves', async () => {
    const stdout = full().destroy(Object.assign(new Error('gone'), { code: 'EPIPE' }))
    const { output } = outputOf({ format: 'ndjson', stdout })
    await expect(printed(output)).resolves.toBeUndefined()
  })
})
