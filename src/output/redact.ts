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
  const words = wordsBySize(secrets.filter(({ length }) => length >= shortestSecret))
  const finders = [...words].map(([size, ofSize]) => createFinder(size, ofSize))
  if (finders.length === 0) return (text) => text
  const search = (text: string) => {
    const lowered = lowerCase(text)
    return finders.flatMap((find) => find(lowered))
  }
  return (text) => {
    const found = search(text)
    const { plain, sourceOf } = decodeEscapes(text)
    if (plain === text) return replaceRanges(text, found)
    for (const [start, end] of search(plain)) {
      const range: Range = [sourceOf(start), sourceOf(end)]
      found.push(range)
    }
    return replaceRanges(text, found)
  }
}

/** What to search for, by length: the pieces of each form of each secret. */
function wordsBySize(secrets: readonly string[]): ReadonlyMap<number, ReadonlySet<string>> {
  const sizes = new Map<number, Set<string>>()
  const add = (form: string, longest: number) => {
    const size = Math.min(longest, form.length)
    const words = sizes.get(size) ?? new Set()
    for (let end = size; end <= form.length; end += 1) {
      const piece = form.slice(end - size, end)
      words.add(lowerCase(piece))
    }
    sizes.set(size, words)
  }
  for (const secret of secrets) {
    const bytes = Buffer.from(secret)
    add(secret, pieceLength)
    // A decoded escape is one byte.
    add(bytes.toString('latin1'), pieceLength)
    add(bytes.toString('hex'), 2 * pieceLength)
    // Twelve bytes are at least 15 whole characters of Base64.
    for (const form of base64Forms(bytes)) if (form.length >= shortestBase64) add(form, 15)
  }
  return sizes
}

/**
 * Base64 depends on the text before the secret (`user:secret`). Characters that also hold bits of a
 * neighbor are left out.
 */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes])
    const start = Math.ceil((offset * 4) / 3)
    const end = Math.floor((padded.length * 4) / 3)
    const forms = [padded.toString('base64'), padded.toString('base64url')]
    return forms.map((form) => form.slice(start, end))
  })
}

type WordFinder = (text: string) => Range[]

/** Finds the ranges of words of one length. Ranges that overlap or touch are one. */
function createFinder(size: number, words: ReadonlySet<string>): WordFinder {
  // Rules out most positions without creating a string.
  const beginnings = new Uint8Array(1 << 16)
  const beginningAt = (text: string, index: number) =>
    ((text.charCodeAt(index) << 8) ^ text.charCodeAt(index + 1)) & 0xffff
  for (const word of words) beginnings[beginningAt(word, 0)] = 1

  return (text) => {
    const found: [number, number][] = []
    for (let start = 0; start + size <= text.length; start += 1) {
      if (beginnings[beginningAt(text, start)] === 0) continue
      if (!words.has(text.slice(start, start + size))) continue
      const last = found.at(-1)
      if (last !== undefined && start <= last[1]) last[1] = start + size
      else found.push([start, start + size])
    }
    return found
  }
}

/** Only ASCII: other letters may change their length. */
const lowerCase = (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

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
  vert: '|',
}

/**
 * Browsers decode numbers and the oldest names without their semicolon too. A function, because V8 compiles a pattern
 * where it is defined.
 */
const escapes = () =>
  /\\(?:u([\da-f]{4})|(["\\/]))|%([\da-f]{2})|&(?:#x0*([\da-f]{1,6});?|#0*(\d{1,7});?|(amp|lt|gt|quot);?|([a-z]{2,6});)/gi

interface DecodedText {
  readonly plain: string
  /** Where a character of the plain text begins in the source. */
  readonly sourceOf: (index: number) => number
}

/** The text without escapes. */
function decodeEscapes(text: string): DecodedText {
  const starts = new Int32Array(text.length + 1)
  let plain = ''
  let position = 0
  const copyUntil = (end: number) => {
    const shift = plain.length - position
    for (let index = position; index < end; index += 1) starts[index + shift] = index
    plain += text.slice(position, end)
  }
  for (const match of text.matchAll(escapes())) {
    const [written, unicode, literal, percent, hex, decimal, oldest, other] = match
    const name = oldest ?? other
    const digits = unicode ?? percent ?? hex
    const code = digits === undefined ? Number(decimal) : Number.parseInt(digits, 16)
    const coded = name === undefined ? String.fromCharCode(code) : entities[name.toLowerCase()]
    const character = literal ?? coded
    if (character === undefined) continue
    copyUntil(match.index)
    starts[plain.length] = match.index
    plain += character
    position = match.index + written.length
  }
  copyUntil(text.length)
  starts[plain.length] = text.length
  return { plain, sourceOf: (index) => starts[index] ?? text.length }
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
