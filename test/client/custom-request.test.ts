import { describe, expect, test } from 'vitest'
import {
  fieldsAsJson,
  pathBelow,
  readHeaders,
  textField,
  typedField
} from '../../src/client/custom-request.ts'

describe('fields', () => {
  test.each([
    ['n=9007199254740993', '{"n":9007199254740993}'],
    ['n=-9223372036854775808', '{"n":-9223372036854775808}'],
    ['n=1.0', '{"n":1.0}'],
    ['n=1e400', '{"n":1e400}'],
    ['n=true', '{"n":true}'],
    ['n=null', '{"n":null}'],
    ['n="a b"', '{"n":"a b"}'],
    ['n=[1,{"a":9007199254740993}]', '{"n":[1,{"a":9007199254740993}]}'],
    ['n=Rex', '{"n":"Rex"}'],
    ['n=a[1', '{"n":"a[1"}'],
    ['n=a-1', '{"n":"a-1"}'],
    ['n=', '{"n":""}'],
    ['n=a=b', '{"n":"a=b"}'],
    ['__proto__=1', '{"__proto__":1}']
  ])('-F %s', (typed, json) => {
    expect(fieldsAsJson([typedField(typed)])).toBe(json)
  })

  test.each([
    ['n=1', '{"n":"1"}'],
    ['n=true', '{"n":"true"}'],
    ['n= a\nb ', '{"n":" a\\nb "}'],
    ['n=犬"', '{"n":"犬\\""}']
  ])('-f %s', (typed, json) => {
    expect(fieldsAsJson([textField(typed)])).toBe(json)
  })

  test.each(['n=[1', 'n={"a"', 'n="a', 'n=12x', 'n=-1-1', 'n=01', 'n=  [1'])(
    '-F %s is refused: it begins like JSON but is not JSON',
    typed => {
      expect(() => typedField(typed)).toThrow("the value of 'n' is not JSON")
    }
  )

  test.each(['n', '=1', '=a=1', ''])('%j is refused: it has no name or no value', typed => {
    expect(() => textField(typed)).toThrow('key=value')
    expect(() => typedField(typed)).toThrow('key=value')
  })

  test('a field may appear only once in an object', () => {
    expect(() => fieldsAsJson([textField('a=1'), textField('a=2')])).toThrow("'a' is given twice")
  })
})

describe('pathBelow', () => {
  test.each([
    ['/pets', [], '/pets'],
    ['/', [], '/'],
    ['/pets/', [], '/pets/'],
    ['/pets?status=sold', [], '/pets?status=sold'],
    ['/pets?a=b?c', ['d=e'], '/pets?a=b?c&d=e'],
    ['/pets', ['a=b c', 'a=&'], '/pets?a=b+c&a=%26'],
    ['/a b/犬', [], '/a%20b/%E7%8A%AC'],
    ['/a/..b/...', [], '/a/..b/...'],
    ['/a//b', [], '/a//b'],
    ['/@host', [], '/@host'],
    ['/pets?x=/../', [], '/pets?x=/../']
  ])('%s with %j', (path, fields, expected) => {
    expect(pathBelow(path, fields.map(textField))).toBe(expected)
  })

  test('writes typed fields digit for digit', () => {
    expect(pathBelow('/pets', [typedField('id=9007199254740993'), typedField('x=[1, 2]')])).toBe(
      '/pets?id=9007199254740993&x=%5B1%2C2%5D'
    )
  })

  test.each([
    'pets',
    '',
    'http://evil.example/',
    '//evil.example/pets',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '/pets#x',
    '/..',
    '/../admin',
    '/pets/../../admin',
    '/pets/%2e%2E/admin',
    '/pets/.%2e',
    '/./pets',
    '@evil.example/',
    ':80@evil.example/',
    '.evil.example/'
  ])('refuses %j', path => {
    expect(() => pathBelow(path, [])).toThrow(/^the path .*\b(start|contain)/s)
  })

  test('an accepted path stays below the base URL', () => {
    for (const path of [
      '/a//b',
      '/@host',
      '/a:b@c',
      '/;x',
      '/%2f%2fevil',
      '/a/..;/b',
      '/%5c%5cevil'
    ]) {
      const url = new URL(`https://pets.example/v1${pathBelow(path, [])}`)
      expect(url.host).toBe('pets.example')
      expect(url.pathname.startsWith('/v1/')).toBe(true)
    }
  })
})

describe('readHeaders', () => {
  test('converts names to lower case, and only trims values', () => {
    expect(readHeaders(['X-One:  a:b ', 'x-two:', 'X-ONE:c', 'Accept: text/plain'])).toEqual({
      'x-one': 'a:b, c',
      'x-two': '',
      accept: 'text/plain'
    })
  })

  test('joins cookies as one header has them', () => {
    expect(readHeaders(['Cookie: a=b', 'cookie: c=d'])).toEqual({ cookie: 'a=b; c=d' })
  })

  test.each(['x', ': a', 'a b: c', 'a: b\r\nc: d', 'a: \u0000', 'a: ü', ''])('refuses %j', line => {
    expect(() => readHeaders([line])).toThrow("'Name: value'")
  })

  test.each([
    'Host',
    'Content-Length',
    'transfer-encoding',
    'Connection',
    'Accept-Encoding',
    'Expect'
  ])('refuses %s, which the program sets itself', name => {
    expect(() => readHeaders([`${name}: x`])).toThrow('itself')
  })

  test('refuses a key', () => {
    expect(() => readHeaders(['Authorization: Bearer sk_live_1'])).toThrow('PETSTORE_API_KEY')
    expect(() => readHeaders(['AUTHORIZATION: sk_live_1'])).toThrow(/^(?!.*sk_live)/)
  })
})

test('the hint of a usage error is the help of api', () => {
  for (const misuse of [
    () => textField('n'),
    () => pathBelow('pets', []),
    () => readHeaders(['x'])
  ]) {
    expect(misuse).toThrow(expect.objectContaining({ code: 'usage', hint: 'petstore api --help' }))
  }
})
