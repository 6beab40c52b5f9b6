import { describe, expect, test } from 'vitest'
import { Failure } from '../../../src/failure.ts'
import type { Pet } from '../../../src/model/schema.ts'
import { createOutput } from '../../../src/output/output.ts'
import { createReporter } from '../../../src/output/reporter.ts'
import { plainStyle } from '../../../src/output/view.ts'
import { showOnScreen } from '../../../src/output/watch/screen.ts'
import { changesBetween, printEvents, watch } from '../../../src/output/watch/watch.ts'
import type { Host } from '../../../src/platform/host.ts'
import { coloredStyle, recordingHost, undisturbed } from '../hosts.ts'

const rex: Pet = { id: 1n, name: 'Rex', categoryId: 2n, status: 'available' }
const sold: Pet = { ...rex, status: 'sold' }
const tom: Pet = { id: 2n, name: 'Tom', categoryId: 1n }
const failed = { failure: new Failure('service', 'the service failed'), secondsToNext: 5 }

const reporterOf = (host: Host) =>
  createReporter(
    host,
    async () => ({ output: 'table', color: 'never', quiet: false, verbose: false }),
    undisturbed.interruption
  )

/** What a watch sees that gets these lists one after the other. */
const snapshotsOf = (...lists: Pet[][]) =>
  lists.map((pets, index) => ({
    pets,
    limit: pets.length < 2 ? undefined : `first ${pets.length}`,
    changes: changesBetween(lists[index - 1] ?? [], pets),
    isFirst: index === 0
  }))

type Look = ReturnType<typeof snapshotsOf>[number] | typeof failed

/** Functions run in between. */
async function* looksOf(...steps: (Look | (() => void))[]) {
  for (const step of steps) {
    if (typeof step === 'function') step()
    else yield step
  }
}

describe('watching in a pipe', () => {
  test('prints each change, and a failure with the time until the next try', async () => {
    const { host, read } = recordingHost()
    const settings = async () => ({ format: 'ndjson', color: 'never', quiet: false }) as const
    const output = createOutput({ host, settings, presentation: settings, ...undisturbed })
    const soldToo = { ...rex, status: 'sold' }
    const lists = snapshotsOf([rex], [rex, tom], [soldToo, tom], [rex])
    await printEvents(looksOf(...lists, failed), { host, output, report: reporterOf(host) })
    const events = (await read()).stdout.trimEnd().split('\n')
    const time = '1970-01-01T00:00:00.000Z'
    const error = {
      code: 'service',
      message: 'the service failed',
      exitCode: 7,
      retryable: false
    }
    const asJson = (pet: Pet) => ({
      ...pet,
      id: Number(pet.id),
      categoryId: Number(pet.categoryId)
    })
    expect(events.map(event => JSON.parse(event))).toEqual([
      { event: 'added', time, initial: true, pet: asJson(rex) },
      { event: 'added', time, initial: false, pet: asJson(tom) },
      { event: 'changed', time, pet: asJson(soldToo), was: asJson(rex) },
      { event: 'changed', time, pet: asJson(rex), was: asJson(soldToo) },
      { event: 'gone', time, pet: asJson(tom) },
      { event: 'error', time, error, nextLookInSeconds: 5 }
    ])
  })
})

describe('watching on a screen', () => {
  function screen({ rows = 12, columns = 60, style = plainStyle } = {}) {
    const { host, read, resize } = recordingHost({ isTerminal: true, columns, rows })
    host.now = () => new Date(2030, 0, 1, 7, 8, 9)
    const report = reporterOf(host)
    const view = {
      columns: ['id', 'name', 'status'],
      isTerminal: true,
      width: 60,
      style,
      int64AsStrings: false
    }
    const show = (...steps: Parameters<typeof looksOf>) =>
      showOnScreen(looksOf(...steps), { host, report, view, title: 'staging' })
    /** What was drawn each time. */
    const framesOf = async (...steps: Parameters<typeof looksOf>) => {
      await show(...steps)
      const [, ...drawn] = (await read()).stdout.split('\u001b[?2026h\u001b[H\u001b[J')
      return drawn.map(frame => (frame.split('\u001b[?2026l')[0] ?? '').split('\r\n'))
    }
    return { host, report, framesOf, show, resize, read }
  }
  const many = Array.from(
    { length: 52 },
    (_, index): Pet => ({ id: BigInt(index + 10), name: `Pet ${index}`, categoryId: 1n })
  )

  test('shows first what changed since the last list, then the limit and the other pets', async () => {
    const soldTom = { ...tom, status: 'sold' }
    const looks = snapshotsOf([rex], [rex, tom], [soldTom], [soldTom])
    const header = '   id  name  status'
    expect(await screen().framesOf(...looks)).toEqual([
      ['staging: not listed yet; Ctrl-C ends', header],
      ['1 pet (staging, 07:08:09); Ctrl-C ends', header, '    1  Rex   available'],
      [
        '2 pets, 1 change (staging, 07:08:09); Ctrl-C ends',
        header,
        '+   2  Tom',
        '    1  Rex   available',
        'first 2'
      ],
      [
        '1 pet, 2 changes (staging, 07:08:09); Ctrl-C ends',
        header,
        '~   2  Tom   sold',
        '-   1  Rex   available'
      ],
      ['1 pet (staging, 07:08:09); Ctrl-C ends', header, '    2  Tom   sold']
    ])
  })

  test.each([24, 5, 4, 3, 1])(
    'a screen of %i lines shows a change among many pets, and how many do not fit',
    async rows => {
      const looks = snapshotsOf(many, [...many, rex])
      const [, , frame = []] = await screen({ rows }).framesOf(...looks)
      expect(frame.length).toBe(rows)
      const shown = Math.max(1, rows - 3)
      expect(frame[0]).toBe(
        `53 pets, 1 change, ${53 - shown} not shown (staging, 07:08:09); Ctrl-C…`
      )
      if (rows > 2) expect(frame[2]).toMatch(/^\+ +1 {2}Rex/)
    }
  )

  test('shows an error or a notice until the next list', async () => {
    const { report, framesOf } = screen({ columns: 20 })
    const notice = () => void report.notice('more', 'word '.repeat(30))
    expect(await framesOf(failed, notice, ...snapshotsOf([rex]))).toEqual([
      ['staging: not listed…', '   id  name  status'],
      [
        'staging: not listed…',
        '   id  name  status',
        'error: the service…',
        'trying again at 07:…'
      ],
      ['staging: not listed…', '   id  name  status', 'notice: word word w…'],
      ['1 pet (staging, 07:…', expect.any(String), expect.any(String)]
    ])
  })

  test('is drawn again when the terminal is resized, in color, and leaves the screen as it was', async () => {
    const { read, show, resize } = screen({ style: await coloredStyle() })
    await show(...snapshotsOf([rex, { ...rex, id: 3n }], [sold, tom]), resize)
    resize()
    const { stdout } = await read()
    for (const sign of ['\u001b[32m+', '\u001b[33m~', '\u001b[2m-']) expect(stdout).toContain(sign)
    expect(stdout.split('\u001b[?2026h')).toHaveLength(5)
    expect(stdout.startsWith('\u001b[?1049h')).toBe(true)
    expect(stdout.endsWith('\u001b[?7h\u001b[?25h\u001b[?1049l')).toBe(true)
    expect(stdout.split('\u001b[?1049l')).toHaveLength(2)
  })

  test('draws nothing while another program has the terminal', async () => {
    let [restore, takeBack] = [() => {}, () => {}]
    const { host, show, read } = screen()
    host.onTerminalLost = (...functions) => {
      ;[restore, takeBack] = functions
      return () => {}
    }
    const writeAsShell = () => void host.stdout.write('<shell>')
    await show(
      () => restore(),
      ...snapshotsOf([rex]),
      writeAsShell,
      () => takeBack()
    )
    expect((await read()).stdout).toMatch(/^[^<]*not listed yet[^<]*1049l<shell>.*1049h.*Rex/s)
  })
})

describe('the loop', () => {
  test('continues after a temporary failure and ends after a permanent one', async () => {
    const replies = [[rex], failed.failure, [rex, tom], new Failure('auth', 'the key was refused')]
    const list = async () => {
      const reply = replies.shift()
      if (reply instanceof Failure || reply === undefined) throw reply
      return { pets: reply }
    }
    const seen: unknown[] = []
    const watchAll = async () => {
      for await (const look of watch(list, 0.001, new AbortController().signal)) {
        if ('failure' in look) seen.push([look.failure.message, look.secondsToNext])
        else seen.push([look.pets.length, look.changes.length, look.isFirst])
      }
    }
    await expect(watchAll()).rejects.toMatchObject({ code: 'auth' })
    expect(seen).toEqual([
      [1, 1, true],
      ['the service failed', 0.002],
      [2, 1, false]
    ])
  })
})
