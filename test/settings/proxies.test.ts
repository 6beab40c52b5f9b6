import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/failure.ts'
import { curlRoute, proxyFor } from '../../src/settings/proxies.ts'

const proxy = 'http://proxy.example:8080'
const originFor = (address: string, env: Record<string, string>) => proxyFor(address, env)?.origin

describe('the proxy of a URL', () => {
  test.each<[address: string, env: Record<string, string>, origin: string | undefined]>([
    ['https://pets.example/v1', {}, undefined],
    ['https://pets.example/v1', { HTTPS_PROXY: proxy }, proxy],
    ['https://pets.example/v1', { https_proxy: proxy }, proxy],
    ['https://pets.example/v1', { https_proxy: proxy, HTTPS_PROXY: 'http://other.example' }, proxy],
    ['https://pets.example/v1', { https_proxy: '', HTTPS_PROXY: proxy }, proxy],
    ['https://pets.example/v1', { HTTPS_PROXY: '' }, undefined],
    ['https://pets.example/v1', { HTTP_PROXY: proxy }, undefined],
    ['http://pets.example/v1', { HTTPS_PROXY: proxy }, undefined],
    ['http://pets.example/v1', { HTTP_PROXY: proxy }, proxy],
    ['http://pets.example/v1', { http_proxy: proxy }, proxy],
    ['https://pets.example/v1', { ALL_PROXY: proxy }, proxy],
    ['http://pets.example/v1', { all_proxy: proxy, ALL_PROXY: 'http://other.example' }, proxy],
    ['https://pets.example/v1', { HTTPS_PROXY: proxy, all_proxy: 'http://other.example' }, proxy],
    ['http://pets.example/v1', { HTTPS_PROXY: 'http://other.example', ALL_PROXY: proxy }, proxy],
    ['http://localhost/v1', { ALL_PROXY: proxy }, undefined],
    ['https://pets.example/v1', { ALL_PROXY: proxy, NO_PROXY: 'pets.example' }, undefined],
    ['http://api.localhost/v1', { HTTP_PROXY: proxy }, undefined],
    ['https://pets.example/v1', { HTTPS_PROXY: 'HTTPS://Proxy.Example/' }, 'https://proxy.example'],
    ['http://localhost:1/v1', { HTTP_PROXY: proxy }, undefined],
    ['http://127.9.9.9/v1', { HTTP_PROXY: proxy }, undefined],
    ['http://[::1]:1/v1', { HTTP_PROXY: proxy }, undefined],
    ['https://localhost/v1', { HTTPS_PROXY: 'unreadable' }, undefined],
    // In a CGI program, this is a header of the request.
    ['http://pets.example/v1', { HTTP_PROXY: proxy, REQUEST_METHOD: 'GET' }, undefined],
    ['http://pets.example/v1', { http_proxy: proxy, REQUEST_METHOD: 'GET' }, proxy],
    ['http://pets.example/v1', { HTTP_PROXY: proxy, NO_PROXY: 'pets.example:80' }, undefined]
  ])('%s with %o: %s', (address, env, origin) => {
    expect(originFor(address, env)).toBe(origin)
  })

  test.each([
    ['me:p%40ss@', 'me:p@ss'],
    ['me@', 'me:'],
    [':pass@', ':pass'],
    ['', undefined]
  ])('the login %j is in the header value and not in the origin', (typed, login) => {
    const found = proxyFor('https://pets.example', {
      HTTPS_PROXY: `http://${typed}proxy.example:8080`
    })
    expect(found).toEqual({
      origin: proxy,
      hostname: 'proxy.example',
      variable: 'HTTPS_PROXY',
      authorization: login && `Basic ${Buffer.from(login).toString('base64')}`
    })
  })
})

describe('NO_PROXY', () => {
  test.each<[list: string, address: string, isExcepted: boolean]>([
    ['*', 'https://pets.example', true],
    ['pets.example', 'https://pets.example', true],
    ['PETS.example', 'https://pets.Example', true],
    ['.example', 'https://pets.example', true],
    ['*.example', 'https://pets.example', true],
    ['example', 'https://pets.example', true],
    ['a.example, pets.example', 'https://pets.example', true],
    ['a.example pets.example', 'https://pets.example', true],
    ['ets.example', 'https://pets.example', false],
    ['pets.example.com', 'https://pets.example', false],
    ['pets.example:443', 'https://pets.example', true],
    ['pets.example:8443', 'https://pets.example:8443', true],
    ['pets.example:8443', 'https://pets.example', false],
    ['10.1.2.3', 'https://10.1.2.3', true],
    ['10.0.0.0/8', 'https://10.1.2.3', true],
    ['10.0.0.0/8', 'https://11.1.2.3', false],
    ['10.0.0.0/99', 'https://10.1.2.3', false],
    ['10.0.0.0/8', 'https://pets.example', false],
    ['10.0.0.0/8x', 'https://10.1.2.3', false],
    ['pets/8', 'https://pets.example', false],
    ['::/0', 'https://10.1.2.3', false],
    ['0.0.0.0/0', 'https://[2001:db8::7]', false],
    ['10.0.0.0/32', 'https://10.0.0.0', true],
    ['2001:db8::/129', 'https://[2001:db8::7]', false],
    ['2001:db8::7', 'https://[2001:db8::7]', true],
    ['[2001:db8::7]:443', 'https://[2001:db8::7]', true],
    ['2001:db8::/32', 'https://[2001:db8::7]', true],
    ['2001:db8::/64', 'https://[2001:db8::7]', true],
    ['2001:db8::/32', 'https://[2001:db9::7]', false],
    [',, ,', 'https://pets.example', false],
    [',', 'https://pets.example.', false],
    [':443', 'https://pets.example', false]
  ])('%j and %s: %s', (list, address, isExcepted) => {
    expect(originFor(address, { HTTPS_PROXY: proxy, NO_PROXY: list })).toBe(
      isExcepted ? undefined : proxy
    )
  })

  test('an empty no_proxy does not override NO_PROXY', () => {
    expect(
      originFor('https://a.example', { HTTPS_PROXY: proxy, no_proxy: '', NO_PROXY: 'a.example' })
    ).toBe(undefined)
    expect(
      originFor('https://a.example', { HTTPS_PROXY: proxy, no_proxy: 'b.example', NO_PROXY: '*' })
    ).toBe(proxy)
  })
})

describe('a proxy that cannot be read', () => {
  test.each([
    ['proxy.example:8080', 'export HTTPS_PROXY=http://proxy.example:8080'],
    ['proxy.example:8080/x', 'unset HTTPS_PROXY'],
    ['proxy.example:99999', 'unset HTTPS_PROXY'],
    ['proxy.example', 'unset HTTPS_PROXY'],
    ['xhttp://proxy.example', 'unset HTTPS_PROXY'],
    ['me:secret@proxy.example:8080', 'unset HTTPS_PROXY'],
    ['//proxy.example:8080', 'unset HTTPS_PROXY'],
    ['http://', 'unset HTTPS_PROXY'],
    ['http://me:secret@:8080', 'unset HTTPS_PROXY'],
    ['http://proxy.example:99999', 'unset HTTPS_PROXY'],
    ['http://me:secret%@proxy.example', 'unset HTTPS_PROXY'],
    ['socks5://me:secret@proxy.example:1080', 'unset HTTPS_PROXY'],
    ['ftp://proxy.example', 'unset HTTPS_PROXY']
  ])('%s is an error that names the variable and shows no password', (value, hint) => {
    const read = () => proxyFor('https://pets.example', { HTTPS_PROXY: value })
    expect(read).toThrow(Failure)
    expect(read).toThrow(/^HTTPS_PROXY /)
    expect(read).toThrow(
      expect.objectContaining({
        code: 'local',
        hint,
        message: expect.not.stringContaining('secret')
      })
    )
  })

  test.each([
    ['http://me:sec/ret@proxy.example', true],
    ['http://me:secret%@proxy.example', true],
    ['http://me:secret%4@proxy.example', true],
    ['me:http://secret@proxy.example', true],
    ['me:secret@proxy.example:8080', false]
  ])('%s is an error about a character of the login: %s', (value, isAboutLogin) => {
    expect(() => proxyFor('https://pets.example', { HTTPS_PROXY: value })).toThrow(
      isAboutLogin ? /has a login in which/ : /is not the URL of/
    )
  })

  test('is not an error if no request goes through it', () => {
    expect(originFor('https://pets.example', { HTTPS_PROXY: 'unreadable', NO_PROXY: '*' })).toBe(
      undefined
    )
    expect(originFor('http://pets.example', { HTTPS_PROXY: 'unreadable' })).toBe(undefined)
  })
})

test.each([
  [{}, undefined, false],
  [{ HTTP_PROXY: proxy }, 'HTTP_PROXY', true],
  [{ HTTP_PROXY: proxy, NO_PROXY: 'pets.example' }, undefined, true],
  [{ https_proxy: proxy }, undefined, true],
  [{ HTTP_PROXY: '' }, undefined, false],
  [{ MY_HTTP_PROXY: proxy, HTTP_PROXY_NOTE: 'x' }, undefined, false]
])('curl needs the route for a plain http URL with %o', (env, proxyVariable, isExplicit) => {
  expect(curlRoute('http://pets.example/v1', env)).toEqual({ proxyVariable, isExplicit })
})
