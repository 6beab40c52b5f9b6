import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/failure.ts'
import { renderChecklist } from '../../src/output/checklist.ts'
import type { OutputSettings } from '../../src/output/formats.ts'
import { createOutput } from '../../src/output/output.ts'
import type { View } from '../../src/output/view.ts'
import { recordingHost, undisturbed } from './hosts.ts'

const columns = { names: ['id', 'name'] }
const rex = { id: 1n, name: 'Rex', born: 2020n }
const colorCode = '\u001b['

interface Case extends Partial<OutputSettings> {
  readonly isTerminal?: boolean
  readonly columns?: number
  readonly isQuiet?: boolean
}

function outputOf({ isTerminal = false, columns = 80, isQuiet = false, ...settings }: Case) {
  const { host, read } = recordingHost({ isTerminal, columns })
  const resolved = { format: 'json', color: 'auto', ...settings, quiet: isQuiet } as const
  const output = createOutput({
    host,
    settings: async () => resolved,
    presentation: async () => resolved,
    ...undisturbed
  })
  return { output, read }
}

describe('list', () => {
  test.each([
    ['table', 'id  name\n 1  Rex\n'],
    ['json', '[\n  {\n    "id": 1,\n    "name": "Rex",\n    "born": 2020\n  }\n]\n'],
    ['ndjson', '{"id":1,"name":"Rex","born":2020}\n'],
    ['csv', 'id,name\r\n1,Rex\r\n'],
    ['tsv', '1\tRex\n']
  ] as const)('writes %s', async (format, text) => {
    const { output, read } = outputOf({ format })
    await output.list([rex], columns)
    expect(await read()).toEqual({ stdout: text, stderr: '' })
  })

  test.each([
    ['table', 'id  name\n'],
    ['json', '[]\n'],
    ['ndjson', ''],
    ['csv', 'id,name\r\n'],
    ['tsv', '']
  ] as const)('writes no rows as %s', async (format, text) => {
    const { output, read } = outputOf({ format })
    await output.list([], columns)
    expect((await read()).stdout).toBe(text)
  })

  test.each([
    ['table', 'born  id\n2020   1\n'],
    ['json', '[\n  {\n    "born": 2020,\n    "id": 1\n  }\n]\n'],
    ['ndjson', '{"born":2020,"id":1}\n'],
    ['csv', 'born,id\r\n2020,1\r\n'],
    ['tsv', '2020\t1\n']
  ] as const)('writes only the requested fields, in their order, as %s', async (format, text) => {
    const { output, read } = outputOf({ format, fields: ['born', 'id'] })
    await output.list([rex], columns)
    expect((await read()).stdout).toBe(text)
  })

  test('leaves a requested field that is absent out of JSON', async () => {
    const { output, read } = outputOf({ format: 'ndjson', fields: ['status', 'constructor', 'id'] })
    await output.list([rex], columns)
    expect((await read()).stdout).toBe('{"id":1}\n')
  })
})

describe('an empty list', () => {
  test.each([
    ['is a message in a terminal', {}, 'no pets\n'],
    ['is a header with --quiet', { isQuiet: true }, 'id  name\n'],
    ['is a header in a pipe', { isTerminal: false }, 'id  name\n'],
    ['is an array as JSON', { format: 'json' }, '[]\n'],
    ['is a header as CSV', { format: 'csv' }, 'id,name\r\n']
  ] as const)('%s', async (_, options, text) => {
    const { output, read } = outputOf({
      format: 'table',
      color: 'never',
      isTerminal: true,
      ...options
    })
    await output.list([], columns, 'no pets')
    expect((await read()).stdout).toBe(text)
  })

  test('is a header in a terminal if there is no message for it', async () => {
    const { output, read } = outputOf({ format: 'table', color: 'never', isTerminal: true })
    await output.list([], columns)
    expect((await read()).stdout).toBe('id  name\n')
  })
})

describe('item', () => {
  test.each([
    ['table', 'id  name\n 1  Rex\n'],
    ['json', '{\n  "id": 1,\n  "name": "Rex",\n  "born": 2020\n}\n'],
    ['ndjson', '{"id":1,"name":"Rex","born":2020}\n'],
    ['csv', 'id,name\r\n1,Rex\r\n'],
    ['tsv', '1\tRex\n']
  ] as const)('writes %s', async (format, text) => {
    const { output, read } = outputOf({ format })
    await output.item(rex, columns)
    expect((await read()).stdout).toBe(text)
  })
})

describe('the result of a change', () => {
  const pets = { ...columns, noun: 'pet' }

  test('that cannot be printed is an error with the change and its id', async () => {
    const print = (jq: string) => outputOf({ jq }).output.changedAtService(rex, pets, 'added', '')
    await expect(print('.[0]')).rejects.toMatchObject({
      code: 'local',
      message: expect.stringMatching(/^pet 1 was added, but the result cannot be printed: --jq: ./),
      change: { id: 1n }
    })
    await expect(print('\0')).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/^--jq: /)
    })
  })

  test.each([
    ['.name', true, ['confirm: added pet 1 to staging', 'Rex\n']],
    ['.name', false, ['changed: pet 1 was added', 'confirm: added pet 1 to staging', 'Rex\n']],
    [undefined, false, ['confirm: added pet 1 to staging', '1\tRex\n']]
  ])(
    'is confirmed before it is printed, in a notice if jq runs outside a terminal: %s, terminal %s',
    async (jq, isTerminal, order) => {
      const { host } = recordingHost({ isTerminal })
      const seen: string[] = []
      host.stdout.on('data', chunk => seen.push(String(chunk)))
      const output = createOutput({
        ...undisturbed,
        host,
        settings: async () => ({ format: 'tsv', color: 'never', jq }),
        presentation: async () => ({ color: 'never', quiet: false }),
        report: {
          notice: async (code, message) => void seen.push(`${code}: ${message}`),
          confirm: async message => {
            // A stream passes its data on at a later turn.
            await new Promise(setImmediate)
            seen.push(`confirm: ${message}`)
          }
        }
      })
      await output.changedAtService(rex, pets, 'added', ' to staging')
      await new Promise(setImmediate)
      expect(seen).toEqual(order)
    }
  )
})

describe('a change on this machine that cannot be printed', () => {
  test.each([
    [true, 'the change was made, but the result cannot be printed: ', {}],
    [false, 'standard output cannot be written: ', undefined]
  ])('is said to be made only if it was: %s', async (changed, message, change) => {
    const { host } = recordingHost()
    host.stdout.destroy(Object.assign(new Error('full'), { code: 'ENOSPC', errno: -28 }))
    const output = createOutput({
      ...undisturbed,
      host,
      typedFormat: 'json',
      settings: async () => ({ format: 'json', color: 'never' }),
      presentation: async () => ({ color: 'never', quiet: false })
    })
    const printed = output.changed({ changed, environments: [] })
    const failure = { code: 'local', message: expect.stringContaining(message) }
    await expect(printed).rejects.toMatchObject(
      change === undefined ? failure : { ...failure, change }
    )
    if (change === undefined) await expect(printed).rejects.toHaveProperty('change', undefined)
  })
})

describe('text', () => {
  test('is written unchanged, without reading the settings', async () => {
    const { host, read } = recordingHost()
    const settings = async () => {
      throw new Failure('local', 'the config file is broken')
    }
    await createOutput({ host, settings, presentation: settings, ...undisturbed }).text('sk_live')
    expect((await read()).stdout).toBe('sk_live\n')
  })
})

test('if the settings cannot be read, the command fails and writes nothing', async () => {
  const { host, read } = recordingHost()
  const settings = async () => {
    throw new Failure('local', 'the config file is broken')
  }
  const output = createOutput({ host, settings, presentation: settings, ...undisturbed })
  await expect(output.list([rex], columns)).rejects.toThrow('the config file is broken')
  expect((await read()).stdout).toBe('')
})

describe('a terminal', () => {
  const long = { id: 1n, name: 'x'.repeat(200) }

  test('shows a table that fits, unlike a pipe', async () => {
    const inTerminal = outputOf({ format: 'table', color: 'never', isTerminal: true, columns: 40 })
    await inTerminal.output.item(long, columns)
    expect((await inTerminal.read()).stdout).toBe(`id  name\n 1  ${'x'.repeat(35)}…\n`)

    const inPipe = outputOf({ format: 'table', color: 'never', columns: 40 })
    await inPipe.output.item(long, columns)
    expect((await inPipe.read()).stdout).toContain(long.name)
  })

  test('shows the same JSON as a pipe, apart from color', async () => {
    const inTerminal = outputOf({ format: 'json', color: 'never', isTerminal: true })
    const inPipe = outputOf({ format: 'json' })
    await inTerminal.output.item(rex, columns)
    await inPipe.output.item(rex, columns)
    expect(await inTerminal.read()).toEqual(await inPipe.read())
  })
})

describe('color', () => {
  test.each([
    ['table', 'always', true],
    ['json', 'always', false],
    ['ndjson', 'always', false],
    ['json', 'auto', false]
  ] as const)(
    '%s in a pipe with %s from a variable or the config file: %s',
    async (format, color, isColored) => {
      for (const isColorTyped of [false, undefined]) {
        const { output, read } = outputOf({ format, color, isColorTyped })
        await output.list([rex], columns)
        expect((await read()).stdout.includes(colorCode)).toBe(isColored)
      }
    }
  )

  test.each([
    ['table', 'auto', true, true],
    ['table', 'auto', false, false],
    ['table', 'always', false, true],
    ['table', 'never', true, false],
    ['json', 'auto', true, true],
    ['json', 'auto', false, false],
    ['json', 'always', false, true],
    ['ndjson', 'auto', true, true],
    ['csv', 'always', true, false],
    ['tsv', 'always', true, false]
  ] as const)('%s, %s, terminal %s: %s', async (format, color, isTerminal, isColored) => {
    const { output, read } = outputOf({ format, color, isColorTyped: true, isTerminal })
    await output.list([rex], columns)
    expect((await read()).stdout.includes(colorCode)).toBe(isColored)
  })
})

test('--int64 string writes large integers as strings', async () => {
  const { output, read } = outputOf({ format: 'json', int64AsStrings: true })
  await output.item({ id: 2n ** 63n - 1n }, columns)
  expect((await read()).stdout).toBe('{\n  "id": "9223372036854775807"\n}\n')
})

describe('a checklist', () => {
  const rows = [
    { check: 'Node', state: 'ok', detail: '20.20.2', advice: null },
    { check: 'config file', state: 'warning', detail: 'a \u001b[2J', advice: 'chmod 600 x' },
    { check: 'service', state: 'problem', detail: 'refused', advice: null },
    { check: 'key', state: 'skipped', detail: 'no URL', advice: null }
  ] as const

  const checks = {
    names: ['check', 'state'],
    render: (_: unknown, view: View) => renderChecklist(rows, view)
  }

  test('has a line and a mark for each check in the table format', async () => {
    const { output, read } = outputOf({ format: 'table' })
    await output.list(rows, checks)
    expect((await read()).stdout).toBe(
      [
        '✓ Node         20.20.2',
        '! config file  a ␛[2J; to do: chmod 600 x',
        '✗ service      refused',
        '- key          no URL',
        ''
      ].join('\n')
    )
  })

  test.each([
    [{ format: 'csv' }, /^check,state\r\nNode,ok/],
    [{ format: 'table', fields: ['state'] }, /^state\nok\n/],
    [{ format: 'json', jq: '.[0].check' }, /^Node\n$/]
  ] as const)('is printed as a list with %j', async (settings, text) => {
    const { output, read } = outputOf(settings)
    await output.list(rows, checks)
    expect((await read()).stdout).toMatch(text)
  })
})

test('a value is JSON whatever the format and the fields', async () => {
  const { output, read } = outputOf({ format: 'table', fields: ['name'] })
  await output.json({ event: 'added' }, { format: 'ndjson' })
  await output.json({ event: 'gone' })
  expect((await read()).stdout).toBe('{"event":"added"}\n{\n  "event": "gone"\n}\n')
})

test('a string that --jq prints is harmless in a terminal and exact in a pipe', async () => {
  for (const [isTerminal, text] of [
    [true, '␛[2J\n'],
    [false, '\u001b[2J\n']
  ] as const) {
    const { output, read } = outputOf({ jq: '.name', isTerminal })
    await output.item({ name: '\u001b[2J' }, columns)
    expect((await read()).stdout).toBe(text)
  }
})

test('a CSV with one column quotes an empty cell, because an empty line is not a row', async () => {
  const { output, read } = outputOf({ format: 'csv' })
  await output.list([{ name: '' }, { name: 'Rex' }, {}], { names: ['name'] })
  expect((await read()).stdout).toBe('name\r\n""\r\nRex\r\n""\r\n')
})
