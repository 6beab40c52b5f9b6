import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../../src/failure.ts'
import type { Pet } from '../../../src/model/schema.ts'
import { createLiveTable } from '../../../src/output/live-table.ts'
import { plainStyle } from '../../../src/output/style.ts'
import { createScreenWatcher } from '../../../src/output/watch/screen-watcher.ts'
import { changesBetween, createJsonWatcher, watch } from '../../../src/output/watch/watch.ts'
import { recordingHost } from '../hosts.ts'

const rex: Pet = { id: 1n, name: 'Rex', categoryId: 2n, status: 'available' }
const tom: Pet = { id: 2n, name: 'Tom', categoryId: 1n }
const limitMessage = (count: number) => (count < 2 ? undefined : `first ${count}`)
const failure = new Failure('service', 'the service failed')

describe('watching in a pipe', () => {
  function jsonWatcher() {
    const printed: unknown[] = []
    const watcher = createJsonWatcher({
      now: () => new Date(0),
      print: async (event, pets) => void printed.push({ ...event, ...pets }),
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
      await watcher.showSnapshot({ pets, changes: changesBetween(before, pets), isFirst: before.length === 0 })
      before = pets
    }
    expect(printed).toEqual([
      { event: 'added', time, pet: rex },
      ['more', 'first 2'],
      { event: 'added', time, pet: tom },
      { event: 'changed', time, pet: { ...rex, status: 'sold' }, was: rex },
      { event: 'changed', time, pet: rex, was: { ...rex, status: 'sold' } },
      { event: 'gone', time, pet: tom },
      ['more', 'first 2'],
      { event: 'added', time, pet: tom },
    ])
  })

  test('prints a failure and the time until the next try', async () => {
    const { watcher, printed } = jsonWatcher()
    await watcher.showFailure(failure, 10)
    expect(printed).toEqual([{ event: 'error', time, error: { message: 'the service failed' }, nextLookInSeconds: 10 }])
  })
})

describe('watching on a screen', () => {
  function screenWatcher(rows = 12) {
    const { host, read } = recordingHost({ isTerminal: true, columns: 60, rows })
    const clock = { seconds: 0 }
    const watcher = createScreenWatcher({
      table: createLiveTable(host, { columns: ['id', 'name', 'status'], style: plainStyle }),
      now: () => new Date(2030, 0, 1, 7, 8, 9 + clock.seconds),
      title: 'staging',
      describe: async ({ message }) => ({ message }),
      limitMessage,
    })
    const frames = async () => {
      await watcher.close()
      const [, ...drawn] = (await read()).stdout.split('\u001b[?2026h\u001b[H')
      return drawn.map((frame) =>
        stripVTControlCharacters(frame.split('\u001b[?2026l')[0] ?? '')
          .trimEnd()
          .split('\r\n'),
      )
    }
    return { watcher, clock, frames }
  }

  test('shows the list, its changes since the previous one, and the limit', async () => {
    const { watcher, frames } = screenWatcher()
    await watcher.open()
    await watcher.showSnapshot({ pets: [rex], changes: changesBetween([], [rex]), isFirst: true })
    await watcher.showSnapshot({ pets: [rex, tom], changes: changesBetween([rex], [rex, tom]), isFirst: false })
    const sold = { ...tom, status: 'sold' }
    await watcher.showSnapshot({ pets: [sold], changes: changesBetween([rex, tom], [sold]), isFirst: false })
    expect(await frames()).toEqual([
      ['staging: not listed yet', '  id  name  status'],
      ['1 pet (staging, 07:08:09)', '  id  name  status', '   1  Rex   available'],
      ['2 pets, 1 added (staging, 07:08:09)', '  id  name  status', '   1  Rex   available', '+  2  Tom', 'first 2'],
      [
        '1 pet, 1 changed, 1 gone (staging, 07:08:09)',
        '  id  name  status',
        '~  2  Tom   sold',
        '-  1  Rex   available',
      ],
    ])
  })

  test('shows the latest changes if there is no room for all pets', async () => {
    const { watcher, frames } = screenWatcher(6)
    const pets = [1n, 2n, 3n, 4n, 5n, 6n].map((id): Pet => ({ id, name: `Pet ${id}`, categoryId: 1n }))
    const after = pets.filter(({ id }) => id !== 5n).map((pet) => (pet.id === 6n ? { ...pet, status: 'sold' } : pet))
    await watcher.showSnapshot({ pets, changes: changesBetween([], pets), isFirst: true })
    await watcher.showSnapshot({ pets: after, changes: changesBetween(pets, after), isFirst: false })
    await watcher.showSnapshot({ pets: after, changes: [], isFirst: false })
    const drawn = await frames()
    expect(drawn.map((lines) => lines.slice(2))).toEqual([
      ['   1  Pet 1', '   2  Pet 2', '  and 4 more', 'first 6'],
      ['~  6  Pet 6  sold', '-  5  Pet 5', '  and 4 more', 'first 5'],
      ['   1  Pet 1', '   6  Pet 6  sold', '  and 3 more', 'first 5'],
    ])
  })

  test('shows a failure with the age of the list and the next try, and notices until the next list', async () => {
    const { watcher, clock, frames } = screenWatcher()
    await watcher.open()
    await watcher.showFailure(failure, 5)
    await watcher.showSnapshot({ pets: [rex], changes: changesBetween([], [rex]), isFirst: true })
    watcher.showNotice('the key expires soon')
    clock.seconds = 7
    await watcher.showFailure(failure, 0)
    await watcher.showSnapshot({ pets: [rex], changes: [], isFirst: false })
    const table = ['  id  name  status', '   1  Rex   available']
    expect(await frames()).toEqual([
      ['staging: not listed yet', '  id  name  status'],
      ['staging: not listed yet', '  id  name  status', 'error: the service failed', 'trying again in 5 s'],
      ['1 pet (staging, 07:08:09)', ...table],
      ['1 pet (staging, 07:08:09)', ...table, 'notice: the key expires soon'],
      ['1 pet (staging, 07:08:09)', ...table, 'error: the service failed', 'this list is 7 s old; trying again now'],
      ['1 pet (staging, 07:08:16)', ...table],
    ])
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
        showSnapshot: async ({ pets, changes, isFirst }) => void seen.push([pets.length, changes.length, isFirst]),
        showFailure: async ({ message }, seconds) => void seen.push([message, seconds]),
        close: async () => void seen.push('close'),
      },
      seconds: 0.001,
      signal: new AbortController().signal,
    })
    await expect(watching).rejects.toMatchObject({ code: 'auth' })
    expect(seen).toEqual(['open', [1, 1, true], ['the service failed', 0.002], [2, 1, false], 'close'])
  })
})
