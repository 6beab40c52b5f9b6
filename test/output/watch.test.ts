import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { Failure } from '../../src/failure.ts'
import type { Pet } from '../../src/model/schema.ts'
import { eventViewer, tableViewer, watch } from '../../src/output/watch.ts'
import { type Case, outputOf } from './hosts.ts'

const rex: Pet = { id: 1n, name: 'Rex', categoryId: 2n, status: 'available' }
const sold: Pet = { ...rex, status: 'sold' }
const tom: Pet = { id: 9007199254740993n, name: 'Tom\u001b[2J', categoryId: 1n }
const busy = new Failure('service', 'it is busy', { isRetryable: true })
const end = new Failure('auth', 'the key was refused')

/** What is printed for these replies, of which the last one ends the watch. */
async function printed(
  open: typeof eventViewer,
  wanted: Case,
  replies: readonly (readonly Pet[] | Failure)[]
) {
  const rest = [...replies, end]
  const list = async () => {
    const reply = rest.shift()
    if (reply === undefined || reply instanceof Failure) throw reply
    return { pets: reply, notice: undefined }
  }
  const { host, output, report, read } = outputOf(wanted)
  const viewer = open({ host, output, report })
  const { signal } = new AbortController()
  await expect(watch(list, 0.001, signal, viewer)).rejects.toBe(end)
  return read()
}

const time = '1970-01-01T00:00:00.000Z'

test('elsewhere than in a terminal, each event is a line of JSON', async () => {
  const replies = [[rex], busy, [rex, tom], [sold, tom], [sold]]
  const { stdout } = await printed(eventViewer, {}, replies)
  const tomAsJson = '{"id":9007199254740993,"name":"Tom\\u001b[2J","categoryId":1}'
  expect(stdout.split('\n')).toEqual([
    `{"event":"added","time":"${time}","initial":true,"pet":{"id":1,"name":"Rex","categoryId":2,"status":"available"}}`,
    `{"event":"error","time":"${time}","error":{"code":"service","message":"it is busy","exitCode":7,"retryable":true}}`,
    `{"event":"recovered","time":"${time}"}`,
    `{"event":"added","time":"${time}","pet":${tomAsJson}}`,
    `{"event":"changed","time":"${time}","pet":{"id":1,"name":"Rex","categoryId":2,"status":"sold"}}`,
    `{"event":"gone","time":"${time}","pet":${tomAsJson}}`,
    ''
  ])
})

test('events have only the fields that were asked for', async () => {
  const { stdout } = await printed(eventViewer, { fields: ['name'] }, [[rex]])
  expect(JSON.parse(stdout).pet).toEqual({ name: 'Rex' })
})

describe('in a terminal', () => {
  const wanted = { format: 'table', isTerminal: true } as const
  const viewer: typeof eventViewer = places => tableViewer(places, () => '')

  test('the table comes once, then a line for each change', async () => {
    const replies = [[rex], [rex], busy, [rex, tom], [sold, tom], [sold]]
    const { stdout, stderr } = await printed(viewer, wanted, replies)
    const lines = stdout.replace(/^\d\d:\d\d:\d\d/gm, 'TIME').split('\n')
    expect(lines).toEqual([
      'id  name  categoryId  status',
      ' 1  Rex            2  available',
      'TIME added 9007199254740993  Tom␛[2J  1',
      'TIME changed 1  Rex  2  sold',
      'TIME gone 9007199254740993  Tom␛[2J  1',
      ''
    ])
    expect(stderr).toBe('notice: it is busy; trying again\nnotice: the service replies again\n')
  })
})

test('the same pets in another order are no change', async () => {
  const swapped = [tom, rex].map(({ id, ...rest }) => ({ ...rest, id }))
  const { stdout } = await printed(eventViewer, {}, [[rex, tom], swapped])
  expect(stdout.trimEnd().split('\n')).toHaveLength(2)
})

test('a wait that the service asks for is kept, until the signal', async () => {
  const asked = new Failure('service', 'later', { waitSeconds: 3600 })
  const ending = new AbortController()
  const list = vi.fn(() => Promise.reject(asked))
  const { host, output, report } = outputOf()
  const viewer = eventViewer({ host, output, report })
  const watching = watch(list, 0.001, ending.signal, viewer)
  await delay(50)
  ending.abort(end)
  await expect(watching).rejects.toBe(end)
  expect(list).toHaveBeenCalledTimes(1)
})
