import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test, vi } from 'vitest'
import { createLiveTable, type Frame } from '../../src/output/live-table.ts'
import { plainStyle } from '../../src/output/style.ts'
import { coloredStyle, recordingHost } from './hosts.ts'

const columns = ['id', 'name']
const rowOf = (id: number, isImportant = false, mark?: Frame['rows'][number]['mark']) => ({
  row: { id, name: `pet ${id}` },
  isImportant,
  mark,
})
const rows = Array.from({ length: 6 }, (_, index) => rowOf(index + 1))

/** The lines of the last frame that was drawn. */
function lastFrame(stdout: string): string[] {
  const drawn = stdout.split('\u001b[?2026h\u001b[H').at(-1)?.split('\u001b[?2026l')[0] ?? ''
  return stripVTControlCharacters(drawn).replace(/\r\n$/, '').split('\r\n')
}

async function draw(frame: Frame, wanted: { columns?: number; rows?: number } = {}): Promise<string[]> {
  const { host, read } = recordingHost({ isTerminal: true, ...wanted })
  const table = createLiveTable(host, { columns, style: plainStyle })
  await table.draw(() => frame)
  await table.close()
  return lastFrame((await read()).stdout)
}

describe('a frame', () => {
  test.each<[height: number, lines: string[], frame: Partial<Frame>]>([
    [
      24,
      ['6 pets', '  id  name', ...rows.map(({ row }) => `   ${row.id}  ${row.name}`), 'below'],
      { lines: ['below'] },
    ],
    [9, ['6 pets', '  id  name', ...rows.map(({ row }) => `   ${row.id}  ${row.name}`), 'below'], { lines: ['below'] }],
    [
      8,
      ['6 pets', '  id  name', ...[1, 2, 3, 4].map((id) => `   ${id}  pet ${id}`), '  and 2 more', 'below'],
      { lines: ['below'] },
    ],
    [4, ['6 pets', '  id  name', '   1  pet 1', 'below'], { lines: ['below'] }],
    [3, ['6 pets', '   1  pet 1', 'below'], { lines: ['below'] }],
    [2, ['   1  pet 1', 'below'], { lines: ['below'] }],
    [1, ['   1  pet 1'], { lines: ['below'] }],
    [3, ['6 pets', '  id  name', '   1  pet 1'], {}],
    [2, ['0 pets', '  id  name'], { heading: '0 pets', rows: [] }],
  ])('on a screen of %i lines: %j', async (height, lines, frame) => {
    expect(await draw({ heading: '6 pets', rows, lines: [], ...frame }, { rows: height })).toEqual(lines)
  })

  test('shows the important rows in order if there is no room for all', async () => {
    const some = [rowOf(1), rowOf(2), rowOf(3), rowOf(4, true), rowOf(5), rowOf(6, true)]
    expect(await draw({ heading: 'h', rows: some, lines: [] }, { rows: 6 })).toEqual([
      'h',
      '  id  name',
      '   1  pet 1',
      '   4  pet 4',
      '   6  pet 6',
      '  and 3 more',
    ])
    const all = some.map((row) => ({ ...row, isImportant: true }))
    expect((await draw({ heading: 'h', rows: all, lines: [] }, { rows: 5 })).slice(2)).toEqual([
      '   1  pet 1',
      '   2  pet 2',
      '  and 4 more',
    ])
  })

  test('marks rows', async () => {
    const marked = [rowOf(1, true, 'added'), rowOf(2, true, 'changed'), rowOf(3, true, 'gone'), rowOf(4)]
    expect((await draw({ heading: 'h', rows: marked, lines: [] })).slice(2)).toEqual([
      '+  1  pet 1',
      '~  2  pet 2',
      '-  3  pet 3',
      '   4  pet 4',
    ])
    const { host, read } = recordingHost({ isTerminal: true })
    const table = createLiveTable(host, { columns, style: await coloredStyle() })
    await table.draw(() => ({ heading: 'h', rows: marked, lines: [] }))
    await table.close()
    const { stdout } = await read()
    for (const sign of ['\u001b[32m+', '\u001b[33m~', '\u001b[2m-']) expect(stdout).toContain(sign)
  })

  test('fits the width, and wraps the text below into at most three lines', async () => {
    const lines = await draw(
      { heading: 'x'.repeat(50), rows: rows.slice(0, 1), lines: ['word '.repeat(30)] },
      { columns: 20 },
    )
    expect(lines.every((line) => line.length <= 20)).toBe(true)
    expect(lines[0]).toBe(`${'x'.repeat(19)}…`)
    expect(lines.slice(3)).toHaveLength(3)
  })
})

test('a frame is drawn again only if it changes, or the terminal is resized', async () => {
  const { host, read, resize } = recordingHost({ isTerminal: true })
  const table = createLiveTable(host, { columns, style: plainStyle })
  const frame = { heading: 'h', rows: [], lines: [] }
  await table.draw(() => frame)
  await table.draw(() => frame)
  resize()
  await table.draw(() => ({ ...frame, heading: 'i' }))
  await table.close()
  resize()
  await table.close()
  const { stdout } = await read()
  expect(stdout.split('\u001b[?2026h')).toHaveLength(4)
  for (const sequence of ['\u001b[?1049h', '\u001b[?1049l']) expect(stdout.split(sequence)).toHaveLength(2)
  expect(stdout.endsWith('\u001b[?7h\u001b[?25h\u001b[?1049l')).toBe(true)
})

test('a frame that shows the time is drawn again every second until the table is closed', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    const { host, read } = recordingHost({ isTerminal: true })
    const table = createLiveTable(host, { columns, style: plainStyle })
    let seconds = 0
    await table.draw(() => ({ heading: `${seconds} s old`, rows: [], lines: [] }))
    for (seconds = 1; seconds <= 2; seconds += 1) await vi.advanceTimersByTimeAsync(1000)
    await table.close()
    await vi.advanceTimersByTimeAsync(5000)
    expect((await read()).stdout.match(/\d s old/g)).toEqual(['0 s old', '1 s old', '2 s old'])
  } finally {
    vi.useRealTimers()
  }
})
