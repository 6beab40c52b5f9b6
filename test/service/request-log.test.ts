import { expect, test } from 'vitest'
import { createRequestLog } from '../../src/service/request-log.ts'

const answered = { request: 'GET /v1/pets', result: 200, milliseconds: 1 } as const

/** A log whose lines are written when the test allows it. */
function heldLog() {
  const lines: string[] = []
  let written = () => {}
  const isWritten = new Promise<void>(resolve => {
    written = resolve
  })
  const log = createRequestLog(line => {
    lines.push(line)
    return isWritten
  })
  return { log, lines, written }
}

test('a request is one line', () => {
  const { log, lines } = heldLog()
  log(answered)
  log({ ...answered, request: 'unreadable request', result: 400 })
  log({ ...answered, result: 'gone' })
  expect(lines).toEqual([
    'GET /v1/pets 200 1.0 ms',
    'unreadable request 400 1.0 ms',
    'GET /v1/pets gone 1.0 ms'
  ])
})

test('a long request is shortened to 300 characters', () => {
  const { log, lines } = heldLog()
  log({ ...answered, request: `GET /${'?'.repeat(15_900)}` })
  expect(lines).toEqual([`GET /${'?'.repeat(295)}… 200 1.0 ms`])
})

test('where nothing reads the lines, those beyond 1,000 are dropped and counted', async () => {
  const { log, lines, written } = heldLog()
  for (let request = 0; request < 1_234; request += 1) log(answered)
  expect(lines).toHaveLength(1_000)
  written()
  await new Promise(resolve => setImmediate(resolve))
  expect(lines.slice(1_000)).toEqual(['234 lines were dropped, because nothing read them'])
  log(answered)
  expect(lines).toHaveLength(1_002)
})
