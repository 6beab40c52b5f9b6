import { describe, expect, test } from 'vitest'
import { deprecationOf } from '../../src/client/deprecation.ts'

const request = { method: 'GET', url: 'https://pets.example/v1/pets/7?x=1', headers: {} }
const now = new Date('2030-12-01T12:00:00Z')
const sunset = 'Thu, 05 Dec 2030 00:00:00 GMT'
const messageFor = (headers: Record<string, string | string[]>, at = now) =>
  deprecationOf(request, { status: 200, headers, body: new Uint8Array() }, at)?.message

describe('deprecationOf', () => {
  test('ignores other headers', () => {
    expect(messageFor({ link: '</x>; rel="successor-version"', date: sunset })).toBeUndefined()
  })

  test.each<[headers: Record<string, string | string[]>, message: string]>([
    [{ deprecation: 'true' }, 'GET /v1/pets/7 is deprecated'],
    [{ deprecation: '@1764892800' }, 'GET /v1/pets/7 is deprecated'],
    [{ deprecation: '@1922659200' }, 'GET /v1/pets/7 will be deprecated on 5 December 2030'],
    [{ deprecation: sunset }, 'GET /v1/pets/7 will be deprecated on 5 December 2030'],
    [{ sunset }, 'GET /v1/pets/7 is deprecated and will be removed on 5 December 2030 (4 days left)'],
    [
      { sunset: 'Mon, 02 Dec 2030 00:00:00 GMT' },
      'GET /v1/pets/7 is deprecated and will be removed on 2 December 2030 (1 day left)',
    ],
    [
      { sunset: 'Sun, 01 Dec 2030 00:00:00 GMT' },
      'GET /v1/pets/7 is deprecated and was to be removed on 1 December 2030',
    ],
    [{ sunset: 'soon' }, 'GET /v1/pets/7 is deprecated'],
    [{ sunset: '1' }, 'GET /v1/pets/7 is deprecated'],
    [{ deprecation: '@99999999999999999' }, 'GET /v1/pets/7 is deprecated'],
    [
      { deprecation: ['true', 'true'], link: '</v2/pets>; rel="successor-version"' },
      'GET /v1/pets/7 is deprecated; /v2/pets replaces it',
    ],
    [
      { sunset, link: ['<https://x.example/why>; rel=deprecation', '</v2>; type="x"; rel=successor-version'] },
      'GET /v1/pets/7 is deprecated and will be removed on 5 December 2030 (4 days left); /v2 replaces it',
    ],
    [
      { sunset, link: '</v2>; rel="successor"' },
      'GET /v1/pets/7 is deprecated and will be removed on 5 December 2030 (4 days left)',
    ],
  ])('%j', (headers, message) => {
    expect(messageFor(headers)).toBe(message)
  })
})
