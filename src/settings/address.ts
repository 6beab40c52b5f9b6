import { Failure, type FailureCode } from '../failure.ts'

interface AddressNotes {
  /** Where the address stands, for messages: `--base-url`, `PETSTORE_BASE_URL`. The address itself may hold a password. */
  readonly source: string
  /** What an address is that can't be read at all: a slip in the command line, or a wrong setting. */
  readonly malformed?: Extract<FailureCode, 'usage' | 'local'>
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * An address in its one canonical form, without a slash at its end; what is checked here is exactly what is sent to.
 * Forms on which URL parsers disagree (backslashes, spaces, missing slashes) are refused rather than interpreted.
 */
export function checkAddress(address: string, { source, malformed = 'local', env }: AddressNotes): string {
  const refuse = (code: FailureCode, problem: string, hint?: string) =>
    new Failure(code, `${source} ${problem}`, { hint })

  const authority = /^https?:\/\/([^/?#\\]+)/i.exec(address)?.[1]
  if (authority === undefined) {
    // Whoever forgets the slashes may still have typed a password.
    throw refuse(malformed, 'is not an address that begins with https:// or http:// and names a host')
  }
  if (authority.includes('@')) {
    throw refuse('local', 'holds a user name or a password, which have no place in an address')
  }
  if (/[\p{Cc}\p{Cf}\s\\]/u.test(address))
    throw refuse(malformed, 'holds a space, a backslash or an invisible character')
  if (/[?#]/.test(address)) throw refuse(malformed, 'must end with its path: no ? and no #')

  const url = parse(address)
  if (url === undefined) throw refuse(malformed, 'is not a well-formed address')
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && env.PETSTORE_ALLOW_HTTP !== '1') {
    throw refuse(
      'local',
      `is plain http to ${url.host}, where anyone on the way could read the key: use https, or allow it`,
      'export PETSTORE_ALLOW_HTTP=1',
    )
  }
  return url.origin + url.pathname.replace(/\/+$/, '')
}

/** An address as it may be shown, whatever stands in it. */
export function withoutUserInfo(address: string): string {
  return address.replace(/^([^/?#]*\/\/)?[^/?#]*@/, '$1***@')
}

/** Up to the last @: a password may have characters that end the login in a valid URL. */
const proxyLogin = /^([^/?#]*\/\/)?(.*)@/s

/** A proxy's URL as it may be shown. */
export function withoutProxyLogin(url: string): string {
  return url.replace(proxyLogin, '$1***@')
}

/** The passwords in the URLs of proxies, as they are and decoded. */
export function proxyPasswords(env: AddressNotes['env']): string[] {
  return Object.entries(env).flatMap(([name, url]) => {
    const login = /_proxy$/i.test(name) ? proxyLogin.exec(url ?? '')?.[2] : undefined
    if (login === undefined) return []
    const password = login.slice(login.indexOf(':') + 1)
    return [password, decodePercents(password)]
  })
}

function decodePercents(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString())
}

/** Scheme, host and port of an address that was checked: what a key is bound to. */
export function originOf(address: string): string {
  return new URL(address).origin
}

function parse(address: string): URL | undefined {
  return URL.canParse(address) ? new URL(address) : undefined
}

/**
 * A host name as `URL` writes it: every form of an IPv4 address (`0x7f.1`, `2130706433`) has become four numbers by then.
 * Names below `localhost` are left out: unlike a browser, Node asks the network for them.
 */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || /^(\[::1\]|::1)$/.test(hostname) || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}
