import { expect, test } from 'vitest'
import type { Reply, Request } from '../../src/model/exchange.ts'
import { traced } from '../../src/output/messages.ts'

const url = 'https://pets.example/v1/pets'
const get: Request = { method: 'GET', url, headers: {} }
const empty: Reply = { status: 200, headers: {}, body: new Uint8Array() }
const mask = (text: string) => text.replaceAll('sk_live', '***')

/** What is shown about the request and about its end, without the time. */
async function traceOf(
  request: Request,
  end: () => Promise<Reply>,
  redact = mask
): Promise<string[]> {
  const shown: string[] = []
  const trace = async (write: (redact: (text: string) => string) => string) => {
    shown.push(write(redact).replace(/\(\d+ ms\)/, '(TIME)'))
  }
  await traced(end, trace)(request).catch(() => {})
  return shown
}

test('a request is shown without its key, each line with a prefix', async () => {
  const headers = { authorization: 'Bearer sk_live', accept: 'application/json' }
  const [shown] = await traceOf(
    { method: 'POST', url, headers, body: 'a sk_live\n\nb' },
    async () => empty
  )
  expect(shown?.split('\n')).toEqual([
    `> POST ${url}`,
    '> authorization: Bearer ***',
    '> accept: application/json',
    '>',
    '> a ***',
    '>',
    '> b'
  ])
  expect(await traceOf(get, async () => empty)).toEqual([`> GET ${url}`, '< 200 (TIME)'])
})

test('a reply is shown with its time, every header value, and a body that is redacted before it is cut', async () => {
  const headers = { link: ['</a>', '</b>'], missing: undefined }
  const linesOf = async (body: string) => {
    const [, shown] = await traceOf(get, async () => ({
      status: 200,
      headers,
      body: Buffer.from(body)
    }))
    return shown?.split('\n')
  }
  const head = ['< 200 (TIME)', '< link: </a>', '< link: </b>']
  expect(await linesOf('')).toEqual(head)
  expect(await linesOf('x'.repeat(20_000))).toEqual([...head, '<', `< ${'x'.repeat(20_000)}`])
  expect(await linesOf(`${'x'.repeat(19_996)}sk_livexx`)).toEqual([
    ...head,
    '<',
    `< ${'x'.repeat(19_996)}***x`,
    '< … and 5 more characters'
  ])
})

test('only the part of a body that is shown is searched for secrets', async () => {
  const searched: number[] = []
  await traceOf(
    get,
    async () => ({ ...empty, body: Buffer.alloc(1_000_000, 'x') }),
    text => {
      searched.push(text.length)
      return text
    }
  )
  expect(searched).toEqual([40_000])
})

test('a fault is shown with its message and time', async () => {
  expect(await traceOf(get, () => Promise.reject(new Error('lost')))).toContain('* lost (TIME)')
  expect(await traceOf(get, () => Promise.reject('odd'))).toContain('* odd (TIME)')
})
