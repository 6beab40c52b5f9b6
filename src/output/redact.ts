const stars = '***'

/** A shorter one appears in ordinary words too: `ta***es` would hide nothing, and show what the secret is. */
const shortestSecret = 4

/** Replaces every secret, also where it is escaped, percent-encoded or inside Base64. */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const forms = [...new Set(secrets.filter(({ length }) => length >= shortestSecret).flatMap(formsOf))]
  if (forms.length === 0) return (text) => text
  // The longest first: a key may begin with another, and its rest must not stay readable.
  const pattern = forms
    .sort((one, other) => other.length - one.length)
    .map(escapePattern)
    .join('|')
  const secret = new RegExp(pattern, 'g')
  return (text) => text.replace(secret, stars)
}

function formsOf(secret: string): string[] {
  const percent = encodeURIComponent(secret)
  const form = new URLSearchParams([['', secret]]).toString().slice(1)
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    ...[percent, form].flatMap((encoded) => [encoded, lowerCaseEscapes(encoded)]),
    ...base64Forms(secret),
  ]
}

function lowerCaseEscapes(encoded: string): string {
  return encoded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())
}

/** Shorter stretches of Base64 stand in innocent text too. */
const shortestBase64 = 8

/**
 * How Base64 shows the secret depends on what stands before it (as in `user:secret`): three bytes become four letters.
 * Letters that also hold bits of a neighbour are left out, so what is covered is the same whatever the neighbours are.
 */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret)
  return [0, 1, 2]
    .flatMap((offset) => {
      const start = Math.ceil((offset * 4) / 3)
      const end = Math.floor(((offset + bytes.length) * 4) / 3)
      const padded = Buffer.concat([Buffer.alloc(offset), bytes])
      return [padded.toString('base64').slice(start, end), padded.toString('base64url').slice(start, end)]
    })
    .filter((form) => form.length >= shortestBase64)
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
