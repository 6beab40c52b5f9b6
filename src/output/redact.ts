const stars = '***'

/**
 * A shorter secret also appears in ordinary words: `ta***es` would hide nothing, and reveal the
 * secret.
 */
const shortestSecret = 4

/** Any part of a secret that is this long is redacted. Shorter secrets are redacted as a whole. */
const pieceLength = 12

/** Shorter Base64 looks like an ordinary word. */
const shortestBase64 = 8

type Range = readonly [start: number, end: number]

/**
 * Replaces secrets, and long pieces of them: as they are, with JSON escapes, percent-encoding or
 * HTML entities, in hex and in Base64. The case of letters is ignored. The time depends only on the
 * length of the text.
 */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const words = new Set(secrets.flatMap(piecesOf))
  if (words.size === 0) return text => text
  const longestFirst = [...words].sort((one, other) => other.length - one.length)
  const alternatives = longestFirst.map(word => word.replace(/\W/g, '\\$&')).join('|')
  // Looks ahead, because pieces overlap.
  const pattern = new RegExp(`(?=(${alternatives}))`, 'gi')
  const search = (text: string): Range[] =>
    Array.from(text.matchAll(pattern), ({ index, 1: word = '' }) => [index, index + word.length])
  return text => {
    const found = search(text)
    const { plain, starts } = decodeEscapes(text)
    if (plain === text) return replaceRanges(text, found)
    const inSource = (index: number) => starts[index] ?? 0
    const decoded = search(plain).map(([start, end]): Range => [inSource(start), inSource(end)])
    return replaceRanges(text, [...found, ...decoded])
  }
}

/** What to search for: the pieces of each form of a secret. */
function piecesOf(secret: string): string[] {
  if (secret.length < shortestSecret) return []
  const bytes = Buffer.from(secret)
  return [
    pieces(secret, pieceLength),
    // A decoded escape is one byte.
    pieces(bytes.toString('latin1'), pieceLength),
    pieces(bytes.toString('hex'), 2 * pieceLength),
    // Twelve bytes are at least 15 whole characters of Base64.
    ...base64Forms(bytes).map(form => pieces(form, 15))
  ].flat()
}

/** The parts of this length, or the whole of a shorter text. */
function pieces(form: string, length: number): string[] {
  const count = Math.max(1, form.length - length + 1)
  return Array.from({ length: count }, (_, start) => form.slice(start, start + length))
}

/**
 * Base64 depends on the text before the secret (`user:secret`). Characters that also hold bits of a
 * neighbor are left out.
 */
function base64Forms(bytes: Buffer): string[] {
  const forms = [0, 1, 2].flatMap(offset => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes])
    const start = Math.ceil((offset * 4) / 3)
    const end = Math.floor((padded.length * 4) / 3)
    return [padded.toString('base64'), padded.toString('base64url')].map(form =>
      form.slice(start, end)
    )
  })
  return forms.filter(({ length }) => length >= shortestBase64)
}

/** The names of characters that keys and passwords often have. */
const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  plus: '+',
  sol: '/',
  bsol: '\\',
  equals: '=',
  lowbar: '_',
  hyphen: '-',
  period: '.',
  comma: ',',
  colon: ':',
  semi: ';',
  commat: '@',
  num: '#',
  percnt: '%',
  excl: '!',
  quest: '?',
  dollar: '$',
  ast: '*',
  lpar: '(',
  rpar: ')',
  lsqb: '[',
  rsqb: ']',
  lcub: '{',
  rcub: '}',
  vert: '|'
}

/**
 * Escapes, and text between them. Browsers decode numbers and the oldest names without their
 * semicolon too. A function, because V8 compiles a pattern where it is defined.
 */
const parts = () =>
  /\\(?:u([\da-f]{4})|(["\\/]))|%([\da-f]{2})|&(?:#x0*([\da-f]{1,6});?|#0*(\d{1,7});?|(amp|lt|gt|quot);?|([a-z]{2,6});)|[^\\%&]+|[\\%&]/gi

/**
 * The text without escapes, and where each of its characters begins in the source and the last one
 * ends.
 */
function decodeEscapes(text: string) {
  const starts = new Int32Array(text.length + 1)
  let plain = ''
  for (const match of text.matchAll(parts())) {
    const [written, unicode, literal, percent, hex, decimal, oldest, other] = match
    const name = oldest ?? other
    const hexadecimal = unicode ?? percent ?? hex
    const code = hexadecimal === undefined ? decimal : `0x${hexadecimal}`
    const named = name === undefined ? undefined : entities[name.toLowerCase()]
    const coded = code === undefined ? undefined : String.fromCharCode(Number(code))
    const decoded = literal ?? named ?? coded ?? written
    for (let index = 0; index < decoded.length; index += 1)
      starts[plain.length + index] = match.index + index
    plain += decoded
  }
  starts[plain.length] = text.length
  return { plain, starts }
}

function replaceRanges(text: string, ranges: readonly Range[]): string {
  let replaced = ''
  let position = 0
  const inOrder = [...ranges].sort(([one], [other]) => one - other)
  for (const [start, end] of inOrder) {
    if (end <= position) continue
    // Ranges that touch are one.
    if (start > position || replaced === '')
      replaced += text.slice(position, Math.max(start, position)) + stars
    position = end
  }
  return replaced + text.slice(position)
}
