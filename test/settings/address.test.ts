import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/failure.ts'
import { checkAddress, withScheme } from '../../src/settings/address.ts'
import { rowsOf } from '../cli/typing.ts'

const notes = { source: '--base-url', malformed: 'usage', allowsHttp: false } as const

describe('a URL that is accepted', () => {
  // Other notations of loopback too: the canonical form is checked and used.
  const addresses = rowsOf(`
https://example.com => https://example.com
https://example.com/ => https://example.com
https://example.com/v1/// => https://example.com/v1
HTTPS://EXAMPLE.com:443/V1 => https://example.com/V1
https://example.com:8443/a/../v1 => https://example.com:8443/v1
https://example.com/@team/v1 => https://example.com/@team/v1
https://bücher.example/v1 => https://xn--bcher-kva.example/v1
https://[2001:db8::1]/v1 => https://[2001:db8::1]/v1
http://localhost:4010/v1 => http://localhost:4010/v1
http://LOCALHOST => http://localhost
http://127.0.0.1:4010 => http://127.0.0.1:4010
http://127.255.3.4 => http://127.255.3.4
http://[::1]:4010/v1 => http://[::1]:4010/v1
http://127.1 => http://127.0.0.1
http://0x7f.1 => http://127.0.0.1
http://2130706433/v1 => http://127.0.0.1/v1
http://0177.0.0.1 => http://127.0.0.1
http://%31%32%37.0.0.1 => http://127.0.0.1
http://[0:0::1] => http://[::1]
`)

  test.each(addresses)('%s', (address, canonical) => {
    expect(checkAddress(address, notes)).toBe(canonical)
  })
})

describe('a URL that is refused', () => {
  // Plain http to another machine, with hosts that look like loopback, user info in every place where
  // a parser may find it, and what is no URL of a web service, such as the placeholder of a hint.
  const plain = rowsOf(`
http://example.com/v1 => local
HTTP://example.com => local
http://127.0.0.1.evil.example => local
http://localhost.evil.example => local
http://localhost. => local
http://api.localhost => local
http://.localhost => local
http://apilocalhost => local
http://localhost-evil.example => local
http://127.0.0.1%2eevil.example => local
http://127-0-0-1.example => local
http://0.0.0.0 => local
http://128.0.0.1 => local
http://0x80.1 => local
http://[::ffff:127.0.0.1] => local
http://[::2] => local
http://192.168.0.1 => local
http://loca1host => local
https://user:hunter2@example.com/v1 => local
https://user@example.com => local
https://@example.com => local
https://:hunter2@example.com => local
http://localhost@evil.example => local
http://127.0.0.1:80@evil.example => local
https://example.com:443@evil.example => local
https:/example.com => usage
https:user:hunter2@example.com => usage
https:///example.com => usage
https://example.com/v1?key=hunter2 => usage
https://example.com/v1#hunter2 => usage
https://example.com? => usage
https://HOST/v1 => usage
https://example.com# => usage
example.com => usage
//example.com/v1 => usage
ftp://example.com => usage
xhttps://example.com => usage
file:///etc/passwd => usage
javascript:alert(1) => usage
htps://user:hunter2@example.com => usage
https:// => usage
https://exa mple.com => usage
https://example.com:99999 => usage
https://[::1 => usage
http://127.0.0.1.5 => usage
https://exa%00mple.com => usage
`)
  const addresses: [address: string, code: string][] = [
    ...plain,
    // URLs that parsers read differently.
    ['https://example.com\\@evil.example', 'usage'],
    ['https:\\\\example.com', 'usage'],
    ['https://exa\nmple.com', 'usage'],
    ['https://exa\tmple.com', 'usage'],
    [' https://example.com', 'usage'],
    ['https://example.com ', 'usage'],
    ['https://exam\u200bple.com', 'usage'],
    ['', 'usage']
  ]

  test.each(addresses)('%j is %s', (address, code) => {
    const failure = failureOf(() => checkAddress(address, notes))
    expect(failure.code).toBe(code)
    expect(failure.message).toMatch(/^--base-url /)
    expect(`${failure.message} ${failure.hint}`).not.toContain('hunter2')
  })

  test('is a local error if it comes from a variable', () => {
    const failure = failureOf(() =>
      checkAddress('example.com', { source: 'PETSTORE_BASE_URL', allowsHttp: false })
    )
    expect(failure).toMatchObject({ code: 'local', exitCode: 9 })
    expect(failure.message).toMatch(/^PETSTORE_BASE_URL /)
  })
})

test('plain http to another machine is accepted if allowed, but never with user info', () => {
  const allowed = { ...notes, allowsHttp: true }
  expect(checkAddress('http://example.com/v1', allowed)).toBe('http://example.com/v1')
  expect(failureOf(() => checkAddress('http://a:b@example.com', allowed)).code).toBe('local')
})

function failureOf(run: () => unknown): Failure {
  try {
    run()
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  throw new Error('nothing was refused')
}

const withoutScheme = rowsOf(`
my-host.example => https://my-host.example
example.com/v1 => https://example.com/v1
example.com:8443 => https://example.com:8443
localhost:4010/v1 => http://localhost:4010/v1
127.0.0.1 => http://127.0.0.1
[::1]:4010 => http://[::1]:4010
localhost.evil.example => https://localhost.evil.example
ftp://example.com => ftp://example.com
localhost => http://localhost
intranet/v1 => https://intranet/v1
api.localhost => https://api.localhost
PETS.EXAMPLE => https://PETS.EXAMPLE
10.0.0.9 => https://10.0.0.9
sk_live_12345678 => sk_live_12345678
sk.live.4eC39HqLyjWD => sk.live.4eC39HqLyjWD
eyJhbGci.eyJzdWIi.SflKxwRJ => eyJhbGci.eyJzdWIi.SflKxwRJ
https:/example.com => https:/example.com
user:hunter2@example.com => user:hunter2@example.com
`)

test.each(withoutScheme)('%s is typed for %s', (typed, address) => {
  expect(withScheme(typed)).toBe(address)
})
