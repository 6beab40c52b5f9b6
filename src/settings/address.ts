import { Failure, type FailureCode } from '../failure.ts'
import { isLoopback } from '../platform/name-lookup.ts'

interface UrlNotes {
  /** What messages call it: `--base-url`, `PETSTORE_BASE_URL`. They never show the URL itself, which may hold a password. */
  readonly source: string
  /** What a malformed URL is: a mistake on the command line, or a wrong setting. */
  readonly malformed?: Extract<FailureCode, 'usage' | 'local'>
  /** Whether plain http may go to other machines. */
  readonly allowsHttp: boolean
}

/**
 * A URL in its one canonical form, without a slash at its end: what is checked here is exactly where requests go. Forms on
 * which URL parsers disagree (backslashes, spaces, missing slashes) are refused rather than interpreted.
 */
export function checkAddress(address: string, { source, malformed = 'local', allowsHttp }: UrlNotes): string {
  const refuse = (code: FailureCode, problem: string, hint?: string) =>
    new Failure(code, `${source} ${problem}`, { hint })

  const authority = /^https?:\/\/([^/?#\\]+)/i.exec(address)?.[1]
  if (authority === undefined) {
    throw refuse(malformed, 'must be a URL such as https://HOST/v1')
  }
  if (authority.includes('@')) {
    throw refuse('local', 'must not contain a user name or a password')
  }
  // The first pattern is for speed: V8 needs half a millisecond to compile the other.
  if (/[^!-[\]-~]/.test(address) && /[\p{Cc}\p{Cf}\s\\]/u.test(address))
    throw refuse(malformed, 'must not contain spaces, backslashes or invisible characters')
  if (/[?#]/.test(address)) throw refuse(malformed, 'must end with its path, without ? and #')

  const url = parse(address)
  if (url === undefined) throw refuse(malformed, 'is not a valid URL')
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !allowsHttp) {
    throw refuse(
      'local',
      `uses plain http to ${url.host}, which exposes the API key on the way: use https, or allow plain http`,
      'export PETSTORE_ALLOW_HTTP=1',
    )
  }
  return url.origin + url.pathname.replace(/\/+$/, '')
}

/** A URL as it may be shown, whatever it contains. */
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
export function proxyPasswords(env: Readonly<Record<string, string | undefined>>): string[] {
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

/** Scheme, host and port of a checked URL: an API key belongs to them. */
export function originOf(address: string): string {
  return new URL(address).origin
}

function parse(address: string): URL | undefined {
  return URL.canParse(address) ? new URL(address) : undefined
}
