/** Hides what looks like a secret: an API key may have been typed at a wrong place. */
export function concealed(text: string, argv: readonly string[]): string {
  const secrets = argv.flatMap(secretsIn)
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, '***'), text)
}

/**
 * What follows the name of a key, a URL with a password, and long words that are neither a URL, a
 * file nor a number.
 */
function secretsIn(word: string) {
  // The limits keep the time linear.
  const named =
    /(?:key|token|secret|password|cookie|authorization)[\w-]{0,40}\s{0,9}[=:]\s{0,9}(.{4,})/is.exec(
      word
    )?.[1]
  const value = named ?? word.replace(/^[\w-]+=/, '')
  const isOrdinary = /[\s(]|^https?:|^-?\d{1,20}$|\.(json|jsonl|ndjson|csv)$/i.test(value)
  const isLongWord = value.length >= 20 && !isOrdinary
  const hasPassword = /:\/\/[^/]*@/.test(value)
  return named !== undefined || isLongWord || hasPassword ? [value] : []
}
