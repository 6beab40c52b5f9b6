import { describe, expect, test } from 'vitest'
import { serviceErrorOf } from '../../src/client/error-body.ts'
import { largestJson } from '../../src/model/json.ts'

const reply = (body: string | object) => ({
  status: 400,
  headers: {},
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
})

describe('the error in a reply', () => {
  test.each<[what: string, body: string | object, message: string | undefined, code?: string]>([
    ["the service's own", { code: 'E_X', message: 'no', status: 400 }, 'no', 'E_X'],
    ['a title', { title: 'Invalid request' }, 'Invalid request'],
    [
      'a title and a detail',
      { type: 'about:blank', title: 'Nope', detail: 'out of stock' },
      'Nope: out of stock'
    ],
    ['the same twice', { title: 'Not Found', detail: 'Not Found' }, 'Not Found'],
    [
      'a type',
      { type: 'https://e.example/stock', title: 'Nope' },
      'Nope',
      'https://e.example/stock'
    ],
    [
      'a code before a type',
      { type: 'https://e.example/stock', code: 'stock', title: 'Nope' },
      'Nope',
      'stock'
    ],
    [
      'members that frameworks add',
      { title: 'Wrong', errors: ['a'], validation: [{ message: 'b' }] },
      'Wrong'
    ],
    ['members of other types', { title: 7, detail: null, errors: [null, 7, {}] }, undefined],
    [
      'an HTML page',
      '<html><title>400 No required SSL\n certificate was sent</title>',
      'No required SSL certificate was sent'
    ],
    [
      'a title and a detail that end in a period',
      { title: 'Not in v1.2.', detail: ' Out of stock. ' },
      'Not in v1.2: Out of stock'
    ],
    [
      'a type that only contains the one without a meaning',
      { type: 'about:blank/about:blank/x', title: 'Nope' },
      'Nope',
      'about:blank/about:blank/x'
    ],
    ['JSON with a tag', { message: '<title>x</title>' }, '<title>x</title>'],
    ['an HTML page after white space', ' \n<title lang="en"> 503: - Down</title>', 'Down'],
    ['an HTML page with a status at the end', '<title>Error 400</title>', 'Error 400'],
    ['an HTML page with only a status', '<!doctype html><title>503</title>', undefined],
    ['a text', 'no', undefined],
    ['nothing', '', undefined],
    ['a list', [1], undefined],
    ['null', 'null', undefined]
  ])('%s', (_, body, message, code) => {
    expect(serviceErrorOf(reply(body), String)).toEqual(
      message === undefined ? undefined : { message, code }
    )
  })

  test('is looked for only once in a page of unfinished tags', () => {
    const start = process.cpuUsage()
    expect(serviceErrorOf(reply('<title '.repeat(9_000)), String)).toBeUndefined()
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(300)
  })

  test('is masked, then cut after 1000 characters', () => {
    const redact = (text: string) => text.replaceAll('sk_test_0123456789', '***')
    const cut = (text: string) => ({ message: text, code: text })
    for (const body of [
      { ...cut(`${'x'.repeat(990)}sk_test_0123456789`), status: 400 },
      {
        title: `${'x'.repeat(990)}sk_test_0123456789`,
        code: `${'x'.repeat(990)}sk_test_0123456789`
      }
    ]) {
      expect(serviceErrorOf(reply(body), redact)).toEqual(cut(`${'x'.repeat(990)}***`))
    }
    const long = { ...cut('x'.repeat(2_000_000)), status: 400 }
    expect(serviceErrorOf(reply(long), redact)).toEqual(cut(`${'x'.repeat(1000)}…`))
  })

  test('is not read if the body is too large', () => {
    const ofSize = (size: number) => reply({ title: 'no', x: 'x'.repeat(size - 21) })
    expect(serviceErrorOf(ofSize(largestJson), String)).toEqual({ message: 'no' })
    expect(serviceErrorOf(ofSize(largestJson + 1), String)).toBeUndefined()
  })
})
