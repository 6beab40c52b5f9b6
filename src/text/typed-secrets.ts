import { unescape as decodePercents } from 'node:querystring'

/** Hides what looks like a secret: an API key may have been typed at a wrong place. */
export function concealed(text: string, argv: readonly string[]): string {
  let shown = text
  for (const secret of argv.flatMap(secretsIn)) {
    shown = shown.replaceAll(secret, '***')
  }
  return shown
}

/**
 * What follows the name of a key, a URL with a password, and long words that are neither a URL, a
 * file, JSON nor a number.
 */
function secretsIn(word: string) {
  // The limits keep the time linear.
  const named =
    /(?:key|token|secret|password|cookie|authorization)[\w"-]{0,40}\s{0,9}[=:]\s{0,9}(.{4,})/is.exec(
      word
    )?.[1]
  const value = named ?? word.replace(/^[\w-]+=/, '')
  const isOrdinary = /[\s(]|^\{|^https?:|^-?\d{1,20}$|\.(json|jsonl|ndjson|csv)$/i.test(value)
  const isLongWord = value.length >= 20 && !isOrdinary
  const hasPassword = /:\/\/[^/]*@/.test(value)
  return named !== undefined || isLongWord || hasPassword ? [value] : []
}

/** The passwords in the URLs of proxies and in variables of this program. */
export function variablePasswords(env: Readonly<Record<string, string | undefined>>): string[] {
  const texts = Object.entries(env).map(([name, text = '']) => {
    if (!/_proxy$|^PETSTORE_/i.test(name)) return ''
    // curl takes `me:password@proxy` too.
    return text.includes(':/') ? text : `://${text}`
  })
  return urlPasswords(texts)
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
