import { expect, test } from 'vitest'
import type { Reply, Request } from '../../src/model/exchange.ts'
import { traced } from '../../src/output/trace.ts'

const url = 'https://pets.example/v1/pets'

/** What is shown about the request and its reply, without the time. */
async function traceOf(request: Partial<Request>, reply: Partial<Reply>): Promise<string[]> {
  const shown: string[] = []
  const send = async () => ({ status: 200, headers: {}, body: new Uint8Array(), ...reply })
  const trace = async (lines: string) => {
    shown.push(lines.replace(/\(\d+ ms\)/, '(TIME)'))
  }
  const whole = { method: 'GET', url, headers: {}, ...request }
  await traced(send, text => text.replaceAll('secret', '***'), trace)(whole)
  return shown.flatMap(text => text.split('\n'))
}

test('shows a request and its reply, without the key and with the time', async () => {
  const headers = { authorization: 'Bearer sk', accept: 'text/plain' }
  const request = { method: 'POST', headers, body: 'a\n\nb' }
  const reply = { headers: { link: ['</a>', '</b>'] }, body: Buffer.from('{"id":1}') }
  expect(await traceOf(request, reply)).toEqual([
    `> POST ${url}`,
    '> authorization: Bearer ***',
    '> accept: text/plain',
    '> ',
    '> a',
    '> ',
    '> b',
    '< 200 (TIME)',
    '< link: </a>',
    '< link: </b>',
    '< ',
    '< {"id":1}'
  ])
})

test('shows no empty lines where there is no body', async () => {
  expect(await traceOf({}, { status: 204 })).toEqual([
    `> GET ${url}`,
    '> authorization: Bearer ***',
    '< 204 (TIME)'
  ])
})

test('shortens a body, after its secrets are masked', async () => {
  const body = Buffer.from(`${'é'.repeat(1998)}secret${'x'.repeat(9)}`)
  const shown = (await traceOf({}, { body })).at(-1)
  expect(shown).toBe(`< ${'é'.repeat(1998)}**… (10 more characters)`)
})
