import { describe, expect, test } from 'vitest'
import { Failure } from '../../../src/failure.ts'
import type { Pet } from '../../../src/model/schema.ts'
import { plainStyle } from '../../../src/output/view.ts'
import { createScreenWatcher } from '../../../src/output/watch/screen-watcher.ts'
import { changesBetween, createJsonWatcher, watch } from '../../../src/output/watch/watch.ts'
import { coloredStyle, recordingHost } from '../hosts.ts'

const rex: Pet = { id: 1n, name: 'Rex', categoryId: 2n, status: 'available' }
const sold: Pet = { ...rex, status: 'sold' }
const tom: Pet = { id: 2n, name: 'Tom', categoryId: 1n }
const limitMessage = (count: number) => (count < 2 ? undefined : `first ${count}`)
const failure = new Failure('service', 'the service failed')

describe('watching in a pipe', () => {
  function jsonWatcher() {
    const printed: unknown[] = []
    const watcher = createJsonWatcher({
      now: () => new Date(0),
      print: async (event) => void printed.push(event),
      fields: undefined,
      describe: async ({ message }) => ({ message }),
      limitMessage,
      notice: async (code, message) => void printed.push([code, message]),
    })
    return { watcher, printed }
  }
  const time = '1970-01-01T00:00:00.000Z'

  test('prints each change, and a notice when the limit is reached again', async () => {
    const { watcher, printed } = jsonWatcher()
    const lists = [[rex], [rex, tom], [{ ...rex, status: 'sold' }, tom], [rex], [rex, tom]]
    let before: Pet[] = []
    for (const pets of lists) {
      await watcher.showSnapshot({
        pets,
        changes: changesBetween(before, pets),
        isFirst: before.length === 0,
      })
      before = pets
    }
    expect(printed).toEqual([
      { event: 'added', time, initial: true, pet: rex },
      ['more', 'first 2'],
      { event: 'added', time, initial: false, pet: tom },
      { event: 'changed', time, pet: { ...rex, status: 'sold' }, was: rex },
      { event: 'changed', time, pet: rex, was: { ...rex, status: 'sold' } },
      { event: 'gone', time, pet: tom },
      ['more', 'first 2'],
      { event: 'added', time, initial: false, pet: tom },
    ])
  })

  test('prints a failure and the time until the next try', async () => {
    const { watcher, printed } = jsonWatcher()
    await watcher.showFailure(failure, 10)
    expect(printed).toEqual([
      { event: 'error', time, error: { message: 'the service failed' }, nextLookInSeconds: 10 },
    ])
  })
})

describe('watching on a screen', () => {
  function screenWatcher({ rows = 12, columns = 60, style = plainStyle } = {}) {
    const { host, read, resize } = recordingHost({ isTerminal: true, columns, rows })
    const watcher = createScreenWatcher({
      host,
      view: { columns: ['id', 'name', 'status'], style },
      now: () => new Date(2030, 0, 1, 7, 8, 9),
      title: 'staging',
      describe: async ({ message }) => ({ message }),
      limitMessage,
    })
    /** What was drawn each time. */
    const frames = async () => {
      await watcher.close?.()
      const [, ...drawn] = (await read()).stdout.split('\u001b[?2026h\u001b[H\u001b[J')
      return drawn.map((frame) => (frame.split('\u001b[?2026l')[0] ?? '').split('\r\n'))
    }
    /** Shows these lists one after the other. */
    const show = async (...lists: Pet[][]) => {
      for (const [index, pets] of lists.entries()) {
        const changes = changesBetween(lists[index - 1] ?? [], pets)
        await watcher.showSnapshot({ pets, changes, isFirst: index === 0 })
      }
    }
    return { watcher, host, frames, show, resize, read }
  }
  const many = Array.from(
    { length: 52 },
    (_, index): Pet => ({ id: BigInt(index + 10), name: `Pet ${index}`, categoryId: 1n }),
  )

  test('shows first what changed since the last list, then the limit and the other pets', async () => {
    const { watcher, frames, show } = screenWatcher()
    const soldTom = { ...tom, status: 'sold' }
    await watcher.open?.()
    await show([rex], [rex, tom], [soldTom], [soldTom])
    const header = '  id  name  status'
    expect(await frames()).toEqual([
      ['staging: not listed yet; Ctrl-C ends', header],
      ['1 pet (staging, 07:08:09); Ctrl-C ends', header, '   1  Rex   available'],
      [
        '2 pets, 1 change (staging, 07:08:09); Ctrl-C ends',
        header,
        '+  2  Tom',
        '   1  Rex   available',
        'first 2',
      ],
      [
        '1 pet, 2 changes (staging, 07:08:09); Ctrl-C ends',
        header,
        '~  2  Tom   sold',
        '-  1  Rex   available',
      ],
      ['1 pet (staging, 07:08:09); Ctrl-C ends', header, '   2  Tom   sold'],
    ])
  })

  test.each([24, 5, 4, 3, 1])(
    'a screen of %i lines shows a change among many pets, and how many do not fit',
    async (rows) => {
      const { watcher, frames, show } = screenWatcher({ rows })
      await watcher.open?.()
      await show(many, [...many, rex])
      const [, , frame = []] = await frames()
      expect(frame.length).toBe(rows)
      const shown = Math.max(1, rows - 3)
      expect(frame[0]).toBe(
        `53 pets, 1 change, ${53 - shown} not shown (staging, 07:08:09); Ctrl-C…`,
      )
      if (rows > 2) expect(frame[2]).toMatch(/^\+ +1 {2}Rex/)
    },
  )

  test('shows an error or a notice until the next list', async () => {
    const { watcher, frames, show } = screenWatcher({ columns: 20 })
    await watcher.open?.()
    await watcher.showFailure(failure, 5)
    watcher.showNotice('word '.repeat(30))
    await show([rex])
    expect(await frames()).toEqual([
      ['staging: not listed…', '  id  name  status'],
      ['staging: not listed…', '  id  name  status', 'error: the service…', 'trying again at 07:…'],
      ['staging: not listed…', '  id  name  status', 'notice: word word w…'],
      ['1 pet (staging, 07:…', expect.any(String), expect.any(String)],
    ])
  })

  test('is drawn again when the terminal is resized, in color, and leaves the screen as it was', async () => {
    const { watcher, read, show, resize } = screenWatcher({ style: await coloredStyle() })
    await watcher.open?.()
    await show([rex, { ...rex, id: 3n }], [sold, tom])
    resize()
    await watcher.close?.()
    resize()
    await watcher.close?.()
    const { stdout } = await read()
    for (const sign of ['\u001b[32m+', '\u001b[33m~', '\u001b[2m-']) expect(stdout).toContain(sign)
    expect(stdout.split('\u001b[?2026h')).toHaveLength(5)
    expect(stdout.startsWith('\u001b[?1049h')).toBe(true)
    expect(stdout.endsWith('\u001b[?7h\u001b[?25h\u001b[?1049l')).toBe(true)
    expect(stdout.split('\u001b[?1049l')).toHaveLength(2)
  })

  test('draws nothing while another program has the terminal', async () => {
    let [restore, takeBack] = [() => {}, () => {}]
    const { host, read } = recordingHost({ isTerminal: true })
    host.onTerminalLost = (...functions) => {
      ;[restore, takeBack] = functions
      return () => {}
    }
    const watcher = createScreenWatcher({
      host,
      view: { columns: ['name'], style: plainStyle },
      now: () => new Date(0),
      title: 'staging',
      describe: async () => ({ message: '' }),
      limitMessage,
    })
    await watcher.open?.()
    restore()
    await watcher.showSnapshot({ pets: [rex], changes: [], isFirst: true })
    host.stdout.write('<shell>')
    takeBack()
    await watcher.close?.()
    expect((await read()).stdout).toMatch(/^[^<]*not listed yet[^<]*1049l<shell>.*1049h.*Rex/s)
  })
})

describe('the loop', () => {
  test('continues after a temporary failure and ends after a permanent one', async () => {
    const replies = [[rex], failure, [rex, tom], new Failure('auth', 'the key was refused')]
    const seen: unknown[] = []
    const watching = watch({
      list: async () => {
        const reply = replies.shift()
        if (reply instanceof Failure || reply === undefined) throw reply
        return reply
      },
      watcher: {
        open: async () => void seen.push('open'),
        showSnapshot: async ({ pets, changes, isFirst }) =>
          void seen.push([pets.length, changes.length, isFirst]),
        showFailure: async ({ message }, seconds) => void seen.push([message, seconds]),
        close: async () => void seen.push('close'),
      },
      seconds: 0.001,
      signal: new AbortController().signal,
    })
    await expect(watching).rejects.toMatchObject({ code: 'auth' })
    expect(seen).toEqual([
      'open',
      [1, 1, true],
      ['the service failed', 0.002],
      [2, 1, false],
      'close',
    ])
  })
})
