import { describe, expect, test } from 'vitest'
import { htmlTitle, serviceErrorOf } from '../../src/client/service-error.ts'

const reply = (body: string | object) => ({
  status: 400,
  headers: {},
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
})

describe('the error in a reply', () => {
  test.each<[what: string, body: string | object, message: string | undefined, code?: string]>([
    ["the service's own", { code: 'E_X', message: 'no', status: 400 }, 'no', 'E_X'],
    ['a title', { title: 'Invalid request' }, 'Invalid request'],
    ['a title and a detail', { type: 'about:blank', title: 'Nope', detail: 'out of stock' }, 'Nope: out of stock'],
    ['the same twice', { title: 'Not Found', detail: 'Not Found' }, 'Not Found'],
    ['a type', { type: 'https://e.example/stock', title: 'Nope' }, 'Nope', 'https://e.example/stock'],
    ['a code before a type', { type: 'https://e.example/stock', code: 'stock', title: 'Nope' }, 'Nope', 'stock'],
    [
      'Prism',
      {
        type: 'https://stoplight.io/prism/errors#UNPROCESSABLE_ENTITY',
        title: 'Invalid request',
        status: 422,
        detail: 'Your request is not valid and no HTTP validation response was found in the spec.',
        validation: [
          { location: ['body', 'name'], severity: 'Error', code: 'type', message: 'must be string' },
          { location: ['body'], severity: 'Error', code: 'required', message: 'must have categoryId' },
        ],
      },
      'Invalid request: Your request is not valid and no HTTP validation response was found in the spec: ' +
        'body.name: must be string; body: must have categoryId',
      'https://stoplight.io/prism/errors#UNPROCESSABLE_ENTITY',
    ],
    [
      'RFC 9457',
      { title: 'Wrong', errors: [{ detail: 'must be positive', pointer: '#/age' }, { detail: 'or so' }] },
      'Wrong: #/age: must be positive; or so',
    ],
    ['RFC 7807', { title: 'Wrong', 'invalid-params': [{ name: 'age', reason: 'too low' }] }, 'Wrong: age: too low'],
    [
      'ASP.NET',
      { title: 'Wrong', errors: { Name: ['is required', 'is short'], Age: 'is low' } },
      'Wrong: Name: is required; Name: is short; Age: is low',
    ],
    ['FastAPI', { detail: [{ loc: ['body', 'items', 0], msg: 'field required' }] }, 'body.items.0: field required'],
    ['many errors', { title: 'Wrong', errors: ['a', 'b', 'c', 'd', 'e'] }, 'Wrong: a; b; c; and 2 more'],
    ['members of other types', { title: 7, detail: null, errors: [null, 7, {}] }, undefined],
    [
      'an HTML page',
      '<html><head><title>400 No required SSL\n certificate was sent</title>',
      'No required SSL certificate was sent',
    ],
    ['an HTML page about a status', '<!doctype html><TITLE lang="en">502 Bad Gateway</TITLE>', 'Bad Gateway'],
    ['an HTML page without a title', '<h1>nginx</h1>', undefined],
    ['an HTML page with only a number', '<title>503</title>', undefined],
    ['a text', 'no', undefined],
    ['nothing', '', undefined],
    ['a list', [1], undefined],
  ])('%s', (_, body, message, code) => {
    expect(serviceErrorOf(reply(body))).toEqual(message === undefined ? undefined : { message, code })
  })

  test('is cut after 1000 characters', () => {
    for (const body of [{ title: 'x'.repeat(5000) }, { code: 'c', message: 'x'.repeat(5000), status: 400 }]) {
      expect(serviceErrorOf(reply(body))?.message).toBe(`${'x'.repeat(1000)}…`)
    }
  })

  test('has at most 200 characters of an HTML title', () => {
    expect(htmlTitle(reply(`<title>${'x'.repeat(100_000)}</title>`))).toBeUndefined()
    expect(htmlTitle(reply(`<title>${'x'.repeat(1000)}</title>`))).toHaveLength(200)
  })
})
