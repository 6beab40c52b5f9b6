import { type DecodedText, decodeBytes, decodeEscapes, lettersAndDigitsOf, type Range, undecoded } from './encodings.ts'

const stars = '***'

/** A shorter one also appears in ordinary words: `ta***es` would hide nothing, and reveal the secret. */
const shortestSecret = 4

/** Any part of a secret that is this long is redacted. Shorter secrets are redacted as a whole. */
const pieceLength = 12

/** Base64 of Base64 is decoded, and hexadecimal digits inside Base64; anything nested more deeply is not. */
const deepestNesting = 2

/**
 * Replaces secrets, and long pieces of them, in any encoding. All decoded forms of the text are searched for all
 * pieces; what is found is replaced in the text as it was. The time depends only on the length of the text.
 */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const { words, spreadWords } = wordsOf(secrets.filter(({ length }) => length >= shortestSecret))
  const finders = words.map(createFinder)
  const spreadFinders = spreadWords.map(createFinder)
  if (finders.length === 0) return (text) => text
  const mayBeInBytes = words.some(({ size }) => size >= pieceLength)

  const search = (decoded: DecodedText, depth: number, found: Range[]) => {
    const searchFor = (searched: readonly Finder[], { text, sourceOf }: DecodedText): Range[] => {
      const ranges = searched.flatMap((find) => find(text))
      for (const [start, end] of ranges) found.push(sourceOf(start, end))
      return ranges
    }
    const plain = decodeEscapes(decoded)
    if (plain !== decoded) searchFor(finders, decoded)
    const covered = searchFor(finders, plain)
    // Decoded bytes have gaps between letters only in UTF-16.
    const maySpread = depth === 0 || plain.text.includes('\0')
    if (maySpread && spreadFinders.length > 0) searchFor(spreadFinders, lettersAndDigitsOf(plain, covered))
    if (depth === deepestNesting || !mayBeInBytes) return
    for (const inner of decodeBytes(plain, pieceLength)) search(inner, depth + 1, found)
  }
  return (text) => {
    const found: Range[] = []
    search(undecoded(text), 0, found)
    return replaceRanges(text, found)
  }
}

/** Words of the same length. */
interface Words {
  readonly size: number
  readonly words: ReadonlySet<string>
}

/**
 * The words to search for; `spreadWords` have only the letters and digits of a secret. The case of letters is ignored.
 */
function wordsOf(secrets: readonly string[]): { words: Words[]; spreadWords: Words[] } {
  const sizes = new Map<number, Set<string>>()
  const spread = new Set<string>()
  const add = (word: string) => {
    const words = sizes.get(word.length) ?? new Set()
    sizes.set(word.length, words.add(lowerCase(word)))
  }
  // Decoded bytes are Latin-1.
  for (const secret of new Set(secrets.flatMap((text) => [text, Buffer.from(text).toString('latin1')]))) {
    // A secret may itself contain an escape, which is then decoded in the text as well.
    const plain = decodeEscapes(undecoded(secret))
    if (secret.length < pieceLength) for (const form of [secret, plain.text, ...byteForms(secret)]) add(form)
    else {
      for (const piece of piecesOf(secret, pieceLength)) add(piece)
      for (const piece of piecesOf(plain.text, shortestDecoded(secret, plain))) add(piece)
      const letters = lowerCase(plain.text.replace(/[^a-z0-9]+/gi, ''))
      for (const piece of piecesOf(letters, pieceLength)) spread.add(piece)
    }
  }
  return {
    words: [...sizes].filter(([size]) => size >= shortestSecret).map(([size, words]) => ({ size, words })),
    spreadWords: spread.size === 0 ? [] : [{ size: pieceLength, words: spread }],
  }
}

/** All parts of this length. */
function* piecesOf(text: string, length: number): Generator<string> {
  for (let end = length; end <= text.length; end += 1) yield text.slice(end - length, end)
}

/** The minimum length of a piece of the secret once it is decoded. */
function shortestDecoded(secret: string, { text, sourceOf }: DecodedText): number {
  let shortest = pieceLength
  for (let start = 0, last = 0; start + pieceLength <= secret.length; start += 1) {
    let first = last
    while (first < text.length && sourceOf(first, first + 1)[0] < start) first += 1
    last = first
    let end = first
    while (end < text.length && sourceOf(end, end + 1)[1] <= start + pieceLength) end += 1
    shortest = Math.min(shortest, end - first)
  }
  return Math.max(shortest, shortestSecret)
}

/** Shorter Base64 is not decoded, because every ordinary word looks like Base64. */
const shortestBase64 = 8

/**
 * A short secret as Base64 and as hexadecimal digits. Base64 depends on the text before the secret (`user:secret`);
 * characters that also hold bits of a neighbor are left out.
 */
function byteForms(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const base64 = [0, 1, 2].flatMap((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes])
    const range = [Math.ceil((offset * 4) / 3), Math.floor((padded.length * 4) / 3)] as const
    return [padded.toString('base64').slice(...range), padded.toString('base64url').slice(...range)]
  })
  return [...base64.filter(({ length }) => length >= shortestBase64), bytes.toString('hex')]
}

type Finder = (text: string) => Range[]

/** Finds the ranges of words with the Rabin-Karp algorithm, which takes one step per character. */
function createFinder({ size, words }: Words): Finder {
  const base = 0x01000193
  const highest = Array.from({ length: size }).reduce((power: number) => Math.imul(power, base), 1)
  // By code units, as the search goes: an emoji is two of them.
  const hashOf = (word: string) => word.split('').reduce((hash, _, index) => next(hash, codeAt(word, index)), 0)
  const next = (hash: number, code: number) => (Math.imul(hash, base) + code) | 0
  // Rules out most positions without creating a string.
  const hashes = new Uint8Array(1 << 16)
  const slot = (hash: number) => (hash ^ (hash >>> 16)) & 0xffff
  for (const word of words) hashes[slot(hashOf(word))] = 1

  return (text) => {
    const found: Range[] = []
    let hash = 0
    let [start, end] = [0, 0]
    for (let index = 0; index < text.length; index += 1) {
      hash = next(hash, codeAt(text, index))
      if (index >= size) hash = (hash - Math.imul(highest, codeAt(text, index - size))) | 0
      if (hashes[slot(hash)] === 0 || index + 1 < size) continue
      const from = index + 1 - size
      if (!words.has(lowerCase(text.slice(from, index + 1)))) continue
      if (from > end) {
        if (end > start) found.push([start, end])
        start = from
      }
      end = index + 1
    }
    if (end > start) found.push([start, end])
    return found
  }
}

/** Only ASCII: other letters may change their length. */
const lowerCase = (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/** The same for one character, as its code. */
function codeAt(text: string, index: number): number {
  const code = text.charCodeAt(index)
  return code >= 65 && code <= 90 ? code + 32 : code
}

function replaceRanges(text: string, ranges: readonly Range[]): string {
  let replaced = ''
  let position = 0
  for (const [start, end] of [...ranges].sort(([one], [other]) => one - other)) {
    if (end <= position) continue
    // Ranges that touch are one.
    if (start > position || replaced === '') replaced += text.slice(position, Math.max(start, position)) + stars
    position = end
  }
  return replaced + text.slice(position)
}
