import { Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import type { OutputSettings } from '../../src/output/formats.ts'
import { createOutput } from '../../src/output/output.ts'
import type { Host } from '../../src/platform/host.ts'
import { recordingHost, undisturbed } from './hosts.ts'

const columns = { names: ['row', 'id', 'error'] }
const added = { row: 1, id: 9007199254740993n }
const invalid = { row: 2, error: 'name is missing' }
const failing = (code: string) =>
  new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error('x'), { code }))
  })

function streamOf(host: Host, settings: OutputSettings) {
  const output = createOutput({
    host,
    settings: async () => settings,
    presentation: async () => ({ color: 'auto', quiet: false }),
    ...undisturbed
  })
  return output.stream(columns)
}

async function streamTo(
  settings: Partial<OutputSettings>,
  wanted: Parameters<typeof recordingHost>[0] = {}
) {
  const { host, read } = recordingHost(wanted)
  const resolved = { format: 'ndjson', color: 'auto', ...settings } as const
  return { host, read, stream: await streamOf(host, resolved) }
}

describe('rows that are printed as they arrive', () => {
  test.each<[Partial<OutputSettings>, string, string]>([
    [
      { format: 'ndjson' },
      '{"row":1,"id":9007199254740993}\n{"row":2,"error":"name is missing"}\n',
      ''
    ],
    [
      { format: 'json' },
      '{"row":1,"id":9007199254740993}\n{"row":2,"error":"name is missing"}\n',
      ''
    ],
    [{ format: 'ndjson', fields: ['id'] }, '{"id":9007199254740993}\n{}\n', ''],
    [{ format: 'ndjson', jq: '.row' }, '1\n2\n', ''],
    [{ format: 'csv', fields: ['row'] }, 'row\r\n1\r\n2\r\n', 'row\r\n'],
    [
      { format: 'csv' },
      'row,id,error\r\n1,9007199254740993,\r\n2,,name is missing\r\n',
      'row,id,error\r\n'
    ],
    [{ format: 'tsv' }, '1\t9007199254740993\t\n2\t\tname is missing\n', '']
  ])('with %j', async (settings, text, withoutRows) => {
    const { stream, read } = await streamTo(settings)
    expect(stream.isLive).toBe(true)
    await stream.add([added])
    await stream.add([invalid])
    await stream.end()
    expect((await read()).stdout).toBe(text)

    const empty = await streamTo(settings)
    await empty.stream.end()
    expect((await empty.read()).stdout).toBe(withoutRows)
  })

  test('wait for a slow reader', async () => {
    const { host } = recordingHost()
    let take = () => {}
    const slow = new Writable({
      write: (_chunk, _encoding, done) => {
        take = done
      }
    })
    const stream = await streamOf({ ...host, stdout: slow }, { format: 'ndjson', color: 'auto' })
    let isTaken = false
    const printed = stream.add([added]).then(() => {
      isTaken = true
    })
    await new Promise(setImmediate)
    expect(isTaken).toBe(false)
    take()
    await printed
  })

  test('end the stream when stdout is full, and report the failure', async () => {
    const { host } = recordingHost()
    const settings = { format: 'ndjson', color: 'auto' } as const
    const full = { ...host, stdout: failing('ENOSPC') }
    const stream = await streamOf(full, settings)
    await expect(stream.add([added])).rejects.toMatchObject({ code: 'local' })
    await stream.add([invalid])
    expect(await stream.end()).toBe(0)
  })

  test('end silently when the reader closes the pipe', async () => {
    const { host } = recordingHost()
    const settings = { format: 'ndjson', color: 'auto' } as const
    const closed = { ...host, stdout: failing('EPIPE') }
    const stream = await streamOf(closed, settings)
    await stream.add([added])
    await stream.add([invalid])
    await stream.end()
  })
})

describe('a table of rows', () => {
  test('is printed at the end, without empty columns', async () => {
    const { stream, read } = await streamTo({ format: 'table' })
    expect(stream.isLive).toBe(false)
    await stream.add([{ row: 1, error: 'name is missing' }])
    await stream.add([{ row: 20, error: 'x' }])
    await stream.end()
    expect((await read()).stdout).toBe('row  error\n  1  name is missing\n 20  x\n')
  })

  test('has at most a thousand rows', async () => {
    const { stream, read } = await streamTo({ format: 'table' })
    const rows = Array.from({ length: 1002 }, (_, index) => ({ row: index + 1 }))
    await stream.add(rows.slice(0, 10))
    await stream.add(rows.slice(10))
    expect(await stream.end()).toBe(2)
    expect((await read()).stdout.split('\n').slice(-2)).toEqual(['1000', ''])
  })

  test('without rows prints nothing', async () => {
    const { stream, read } = await streamTo({ format: 'table' })
    await stream.end()
    expect((await read()).stdout).toBe('')
  })

  test('ends silently when the reader closes the pipe, and fails when stdout is full', async () => {
    const { host } = recordingHost()
    const endWith = async (code: string) => {
      const settings = { format: 'table', color: 'auto' } as const
      const stream = await streamOf({ ...host, stdout: failing(code) }, settings)
      await stream.add([added])
      await stream.end()
    }
    await expect(endWith('EPIPE')).resolves.toBeUndefined()
    await expect(endWith('ENOSPC')).rejects.toMatchObject({ code: 'local' })
  })
})
