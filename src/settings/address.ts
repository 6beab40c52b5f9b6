import { unescape as decodePercents } from 'node:querystring'
import { Failure, type FailureCode } from '../failure.ts'
import { isLoopback } from '../system/loopback.ts'

interface UrlNotes {
  /**
   * Its name in messages: `--base-url`, `PETSTORE_BASE_URL`. They never show the URL itself, which
   * may contain a password.
   */
  readonly source: string
  /** The failure for a malformed URL: a mistake on the command line, or a wrong setting. */
  readonly malformed?: Extract<FailureCode, 'usage' | 'local'>
  /** Whether plain http may go to other machines. */
  readonly allowsHttp: boolean
}

/**
 * A URL in its canonical form, without a slash at its end, so that requests go exactly where this
 * check says. Forms on which URL parsers disagree (backslashes, spaces, missing slashes) are
 * refused rather than interpreted.
 */
export function checkAddress(
  address: string,
  { source, malformed = 'local', allowsHttp }: UrlNotes
): string {
  const refuse = (code: FailureCode, problem: string) => new Failure(code, `${source} ${problem}`)

  const authority = /^https?:\/\/([^/?#\\]+)/i.exec(address)?.[1]
  if (authority === undefined) throw refuse(malformed, 'must be a URL such as https://HOST/v1')
  // A hint that is pasted unread must not replace a URL, and remove the API key that belongs to it.
  if (authority === 'HOST')
    throw refuse(malformed, 'has the placeholder HOST: write the name of your host')
  if (authority.includes('@')) throw refuse('local', 'must not contain a user name or a password')
  // The first pattern is for speed: V8 needs half a millisecond to compile the other.
  if (/[^!-~]|[?#\\]/.test(address) && /[?#\p{Cc}\p{Cf}\s\\]/u.test(address)) {
    const problem = 'must not contain ?, #, spaces, backslashes or invisible characters'
    throw refuse(malformed, problem)
  }

  if (!URL.canParse(address)) throw refuse(malformed, 'is not a valid URL')
  const url = new URL(address)
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !allowsHttp) {
    const problem = 'uses plain http, which sends the API key unencrypted'
    throw refuse('local', `${problem}: use https, or set PETSTORE_ALLOW_HTTP=1`)
  }
  return url.origin + url.pathname.replace(/\/+$/, '')
}

/** A URL as people type it: without a scheme it is https, or http on this machine. */
export function withScheme(address: string): string {
  // What looks like an option, another scheme or a login stays as it is, to be refused.
  const isOther = address.includes('://') || /^-|^[a-z][a-z\d+.-]*:(?!\d)/i.test(address)
  if (isOther) return address
  const local = `http://${address}`
  const isLocal = URL.canParse(local) && isLoopback(new URL(local).hostname)
  if (isLocal) return local
  // A word alone may be an API key: it is refused, not looked up.
  return /[.:/]/.test(address) ? `https://${address}` : address
}

/** The passwords in the URLs of proxies and in variables of this program. */
export function variablePasswords(env: Readonly<Record<string, string | undefined>>): string[] {
  const names = Object.keys(env).filter(name => /_proxy$|^PETSTORE_/i.test(name))
  // curl takes `me:password@proxy` too.
  const texts = names.map(name => env[name] ?? '')
  return urlPasswords(texts.map(text => (text.includes(':/') ? text : `://${text}`)))
}

/**
 * The passwords in URLs among these texts, encoded and decoded. One ends at the last @: it may have
 * characters that end the login in a valid URL.
 */
export function urlPasswords(texts: readonly string[]): string[] {
  return texts.flatMap(text => {
    const [, password] = /:\/+(?:[^:]*:)?(.*)@/s.exec(text) ?? []
    return password === undefined ? [] : [password, decodePercents(password)]
  })
}

/** A URL, also one that is not valid, without a user name, which may be a token, or a password. */
export function withoutLogin(text: string): string {
  return text.replace(/^(\w+:\/+)?.*@/s, '$1***@')
}

/** Scheme, host and port of a URL: an API key belongs to them. Empty if the URL is not valid. */
export function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : ''
}
