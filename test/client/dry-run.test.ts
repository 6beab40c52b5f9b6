import { describe, expect, test } from 'vitest'
import { curlCommand as commandOf, requestAsValue } from '../../src/client/dry-run.ts'
import type { Request } from '../../src/model/exchange.ts'
import { activeCharacter, hostileNames } from '../output/hostile.ts'

const url = 'http://127.0.0.1:4010/v1/pets'
const direct = { proxyVariable: undefined, isExplicit: false }
const curlCommand = (request: Request) => commandOf(request, direct)
const start = 'curl --silent --show-error --globoff'

describe('curlCommand', () => {
  test.each([
    [{ method: 'GET', url, headers: {} }, `${start} ${url}`],
    [{ method: 'GET', url: `${url}?a=b&c`, headers: {} }, `${start} '${url}?a=b&c'`],
    [{ method: 'HEAD', url, headers: {} }, `${start} --head ${url}`],
    [
      { method: 'GET', url, headers: {}, body: 'x' },
      `${start} --request GET --header content-type: --data-raw x ${url}`
    ],
    [
      { method: 'POST', url, headers: {}, body: Buffer.from('\ufeffx') },
      `printf %s 77u/eA== | base64 --decode | ${start} --request POST --header content-type: --data-binary @- ${url}`
    ],
    [{ method: 'GET', url, headers: { 'x-empty': '' } }, `${start} --header 'x-empty;' ${url}`],
    [
      { method: 'POST', url, headers: {} },
      `${start} --request POST --header 'content-length: 0' ${url}`
    ],
    [{ method: 'DELETE', url, headers: {} }, `${start} --request DELETE ${url}`],
    [
      { method: 'POST', url, headers: {}, body: '' },
      `${start} --request POST --header content-type: --data-raw '' ${url}`
    ],
    [
      { method: 'POST', url, headers: { 'content-type': 'text/plain' }, body: "@it's" },
      `${start} --request POST --header 'content-type: text/plain' --data-raw '@it'\\''s' ${url}`
    ],
    [
      { method: 'POST', url, headers: { 'content-type': 'x' }, body: Buffer.from([0, 255]) },
      `printf %s AP8= | base64 --decode | ${start} --request POST --header 'content-type: x' --data-binary @- ${url}`
    ]
  ])('%j', (request, command) => {
    expect(curlCommand(request)).toBe(command)
  })

  test('contains the name of the variable instead of the key', () => {
    const command = curlCommand({
      method: 'GET',
      url,
      headers: { authorization: 'Bearer sk_live_1' }
    })
    expect(command).toBe(`${start} --header "authorization: Bearer $PETSTORE_API_KEY" ${url}`)
  })

  test.each(hostileNames)('contains no character that acts on a terminal: %s', (_what, name) => {
    const command = curlCommand({ method: 'POST', url, headers: {}, body: name })
    expect(command.replaceAll(/[\n\t]/g, '')).not.toMatch(activeCharacter)
  })

  test('a body that is too long for an argument is piped', () => {
    const commandFor = (length: number) =>
      curlCommand({ method: 'POST', url, headers: {}, body: 'x'.repeat(length) })
    expect(commandFor(100_000)).toContain('--data-raw xxx')
    expect(commandFor(100_001)).toMatch(/^printf %s '?eHh4/)
    expect(commandFor(100_001)).toContain('--data-binary @-')
  })
})

test.each([
  [
    { proxyVariable: 'HTTP_PROXY', isExplicit: true },
    `${start} --proxy "$HTTP_PROXY" --noproxy '' ${url}`
  ],
  [{ proxyVariable: undefined, isExplicit: true }, `${start} --noproxy '*' ${url}`]
])('curl takes the same route: %j', (route, command) => {
  expect(commandOf({ method: 'GET', url, headers: {} }, route)).toBe(command)
})

test.each<[what: string, body: string | Uint8Array, value: unknown]>([
  ['a long name', `{"name":"${'x'.repeat(200_000)}"}`, { name: 'x'.repeat(200_000) }],
  ['a character that acts on a terminal', Buffer.from('{"name":"a\u200e"}'), { name: 'a\u200e' }],
  ['text', 'a\u200e', 'a\u200e'],
  ['bytes', Buffer.from([0, 255]), 'AP8=']
])('as a value, the body is the JSON that is sent: %s', (_, body, value) => {
  expect(requestAsValue({ method: 'POST', url, headers: {}, body }, direct).body).toEqual(value)
})
