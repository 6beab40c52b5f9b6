import { Failure, type FailureCode } from '../failure.ts'
import { isLoopback } from '../system/loopback.ts'

/**
 * A URL in its canonical form, without a slash at its end, so that requests go exactly where this
 * check says. Forms on which URL parsers disagree (backslashes, spaces, missing slashes) are
 * refused rather than interpreted.
 */
export function checkAddress(
  address: string,
  notes: {
    /**
     * Its name in messages: `--base-url`, `PETSTORE_BASE_URL`. They never show the URL itself, which
     * may contain a password.
     */
    readonly source: string
    /** The failure for a malformed URL: a mistake on the command line, or a wrong setting. */
    readonly malformed?: 'usage' | 'local'
    /** Whether plain http may go to other machines. */
    readonly allowsHttp: boolean
  }
): string {
  const { source, malformed = 'local', allowsHttp } = notes
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
  // A word alone, or with dots and no top-level domain, may be an API key: it is refused, not looked
  // up.
  const isHost = /[:/]|\.([a-z]{2,}|[A-Z]{2,}|\d+)\.?$/.test(address)
  return isHost ? `https://${address}` : address
}

/** Scheme, host and port of a URL: an API key belongs to them. Empty if the URL is not valid. */
export function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : ''
}
