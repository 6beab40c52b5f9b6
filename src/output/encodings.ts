/** A text that was decoded from another one, and the way back. */
export interface DecodedText {
  readonly text: string
  /** The range of the original text that a range of this one was decoded from. */
  readonly sourceOf: (start: number, end: number) => Range
}

export type Range = readonly [start: number, end: number]

export const undecoded = (text: string): DecodedText => ({ text, sourceOf: (start, end) => [start, end] })

/** How many kinds of escapes may be nested. Repetition of one kind, as in `%25252F`, counts once. */
const mostPasses = 5

/** The source without escapes of any kind. */
export function decodeEscapes(source: DecodedText): DecodedText {
  let decoded = source
  for (let pass = 0; pass < mostPasses; pass += 1) {
    const next = decodeOnce(decoded)
    if (next === decoded) break
    decoded = next
  }
  return decoded
}

const mayHaveEscapes = /[\\%&<\r\n]/

/** HTML has a name for every ASCII character that is neither a letter nor a digit, and for what hides in a line. */
const entities: Readonly<Record<string, string>> = {
  ...{ excl: '!', quot: '"', num: '#', dollar: '$', percnt: '%', amp: '&', apos: "'", lpar: '(', rpar: ')', ast: '*' },
  ...{ midast: '*', plus: '+', comma: ',', minus: '-', dash: '-', hyphen: '-', period: '.', sol: '/', colon: ':' },
  ...{ semi: ';', lt: '<', equals: '=', gt: '>', quest: '?', commat: '@', lsqb: '[', lbrack: '[', bsol: '\\' },
  ...{ rsqb: ']', rbrack: ']', hat: '^', lowbar: '_', underbar: '_', grave: '`', lcub: '{', lbrace: '{', verbar: '|' },
  ...{ vert: '|', rcub: '}', rbrace: '}', tilde: '~', tab: '\t', newline: '\n', nbsp: ' ', shy: '', zwj: '', zwnj: '' },
  ...{ zerowidthspace: '', nobreak: '' },
}

/**
 * Escapes of JSON and programming languages (`\/`, `\u002f`, `\u{2f}`, `\x2f`, `\057`), percent-encoding (`%2f`,
 * `%u002f`) and HTML entities (`&#47;`, `&#x2f;`, `&sol;`), each also of itself (`%252f`). Line breaks disappear, also
 * `\n` and the like, and so do any other backslash and the tags that break long words. A function, because V8 compiles a
 * pattern where it is defined.
 */
const escapes = () =>
  new RegExp(
    [
      String.raw`\\+(?:[ux]\{[\da-f]{1,8}\}|u+[\da-f]{4}|x[\da-f]{2}|[0-3]?[0-7]{2}|[0abefnrtv])?`,
      '%(?:25)*(?:u[\\da-f]{4}|[\\da-f]{2})',
      `&(?:amp;)*(?:#\\d{1,10};|#\\d{2,3}|#x[\\da-f]{1,8};|#x[\\da-f]{2}|(?:${Object.keys(entities).join('|')});|amp|lt|gt|quot)`,
      '</?(?:br|em|mark|span|strong|wbr)\\b[^<>]{0,200}>',
      '[\r\n]+',
    ].join('|'),
    'gi',
  )

function decodeOnce(source: DecodedText): DecodedText {
  if (!mayHaveEscapes.test(source.text)) return source
  const decoded: Decoded = { places: [], lengths: [], starts: [], ends: [] }
  let shortenedBy = 0
  const text = source.text.replace(escapes(), (sequence: string, offset: number) => {
    const character = decodeEscape(sequence)
    decoded.places.push(offset - shortenedBy)
    decoded.lengths.push(character.length)
    // What disappears before a secret is not redacted with it, except a backslash.
    decoded.starts.push(offset + (character === '' && !isBackslash(sequence) ? sequence.length : 0))
    decoded.ends.push(offset + sequence.length)
    shortenedBy += sequence.length - character.length
    return character
  })
  if (shortenedBy === 0) return source
  return { text, sourceOf: (start, end) => source.sourceOf(startBefore(start, decoded), endBefore(end - 1, decoded)) }
}

function decodeEscape(sequence: string): string {
  if (sequence.startsWith('%')) return character(sequence.slice(/u[\da-f]{4}$/i.test(sequence) ? -4 : -2), 16)
  if (sequence.startsWith('\\')) {
    const code = sequence.replace(/^\\+/, '')
    if (/^[ux]/i.test(code)) return character(code.replace(/[ux{}]+/gi, ''), 16)
    return code.length > 1 ? character(code, 8) : ''
  }
  if (!sequence.startsWith('&')) return ''
  const name = sequence
    .replace(/^&(?:amp;)*/i, '')
    .replace(';', '')
    .toLowerCase()
  if (name.startsWith('#x')) return character(name.slice(2), 16)
  if (name.startsWith('#')) return character(name.slice(1), 10)
  return entities[name] ?? '&'
}

const isBackslash = (sequence: string) => /^\\+$/.test(sequence)

/** Beyond two bytes there is nothing that a secret has. */
function character(digits: string, radix: number): string {
  const code = Number.parseInt(digits, radix)
  return code > 0xffff ? '' : String.fromCharCode(code)
}

/** The escapes that were decoded, in order. */
interface Decoded {
  /** Where the character of each one is in the decoded text, */
  readonly places: number[]
  /** how long it is there, 0 or 1, */
  readonly lengths: number[]
  /** and the range that it was decoded from. */
  readonly starts: number[]
  readonly ends: number[]
}

/** Where the character at a place of the decoded text begins, with a backslash that disappeared before it. */
function startBefore(place: number, { places, lengths, starts, ends }: Decoded): number {
  const next = firstIndexFrom(places, place)
  if (places[next] === place) return starts[next] ?? 0
  const last = next - 1
  return last < 0 ? place : (ends[last] ?? 0) + place - (places[last] ?? 0) - (lengths[last] ?? 0)
}

/** Where that character ends. */
function endBefore(place: number, { places, lengths, ends }: Decoded): number {
  const last = firstIndexFrom(places, place + 1) - 1
  if (last < 0) return place + 1
  const end = ends[last] ?? 0
  const distance = place - (places[last] ?? 0)
  return distance === 0 && lengths[last] === 1 ? end : end + distance - (lengths[last] ?? 0) + 1
}

/** The first index whose value is not smaller. */
function firstIndexFrom(sorted: readonly number[], value: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? 0) < value) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * The letters and digits alone: whatever stands between them (spaces, quotes, invisible characters, the zeros of UTF-16) is
 * left out. Nothing continues across the parts that are `covered` already.
 */
export function lettersAndDigitsOf({ text, sourceOf }: DecodedText, covered: readonly Range[]): DecodedText {
  const isCovered = new Uint8Array(text.length)
  for (const [start, end] of covered) isCovered.fill(1, start, end)
  const characters = Buffer.alloc(text.length)
  const places = new Int32Array(text.length)
  let count = 0
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (isCovered[index] !== 1 && letterOrDigit[code] !== 1) continue
    characters[count] = isCovered[index] === 1 ? space : code
    places[count] = index
    count += 1
  }
  return {
    text: characters.toString('latin1', 0, count),
    sourceOf: (start, end) => sourceOf(places[start] ?? 0, (places[end - 1] ?? 0) + 1),
  }
}

const space = 0x20

/** The printable texts of a certain length that Base64, hexadecimal digits and lists of numbers stand for. */
export function* decodeBytes(source: DecodedText, shortest: number): Generator<DecodedText> {
  for (const run of runsOf(base64Characters, source.text, Math.ceil((shortest * 4) / 3))) {
    // What stood before the run is not known, so it may begin at any place in a group of four.
    for (const padding of ['', 'A', 'AA', 'AAA']) yield* printableParts(decodeBase64(source, run, padding), shortest)
  }
  for (const run of runsOf(hexCharacters, source.text, shortest * 2)) {
    for (const isShifted of [false, true]) yield* printableParts(decodeHex(source, run, isShifted), shortest)
  }
  for (const run of runsOf(listCharacters, source.text, shortest * 2)) {
    yield* printableParts(decodeNumbers(source, run), shortest)
  }
}

/** Most bytes are not text, and only text is worth a search. */
function* printableParts({ text, sourceOf }: DecodedText, shortest: number): Generator<DecodedText> {
  for (const [from, to] of runsOf(printableCharacters, text, shortest)) {
    yield { text: text.slice(from, to), sourceOf: (start, end) => sourceOf(from + start, from + end) }
  }
}

const lettersAndDigits = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
const letterOrDigit = charactersIn(lettersAndDigits)
const base64Characters = charactersIn(`${lettersAndDigits}+/-_`)
const hexDigits = charactersIn('0123456789abcdefABCDEF')
/** With what may stand between two bytes: `73 6b`, `73:6b`, `0x73, 0x6b`. */
const hexCharacters = charactersIn('0123456789abcdefABCDEF xX:,-')
const listCharacters = charactersIn('0123456789, ')
/** UTF-16 has a zero beside each of them. */
const printableCharacters = charactersIn(`${lettersAndDigits}\0 !"#$%&'()*+,-./:;<=>?@[\\]^_\`{|}~\t\r\n`)

/** 1 for each of these characters, by its code. */
function charactersIn(text: string): Uint8Array {
  const table = new Uint8Array(0x10000)
  for (const character of text) table[character.charCodeAt(0)] = 1
  return table
}

function runsOf(characters: Uint8Array, text: string, shortest: number): Range[] {
  const runs: Range[] = []
  let start = 0
  for (let index = 0; index <= text.length; index += 1) {
    if (characters[text.charCodeAt(index)] === 1) continue
    if (index - start >= shortest) runs.push([start, index])
    start = index + 1
  }
  return runs
}

function decodeBase64({ text, sourceOf }: DecodedText, [start, end]: Range, padding: string): DecodedText {
  const first = start - padding.length
  return {
    text: Buffer.from(padding + text.slice(start, end), 'base64').toString('latin1'),
    // Four characters are three bytes.
    sourceOf: (from, to) =>
      sourceOf(Math.max(start, first + Math.floor((from * 4) / 3)), first + Math.ceil((to * 4) / 3)),
  }
}

/** Two digits are a byte. `isShifted` leaves out the first digit, in case it is not part of the first byte. */
function decodeHex({ text, sourceOf }: DecodedText, [start, end]: Range, isShifted: boolean): DecodedText {
  const bytes = Buffer.alloc((end - start) >>> 1)
  const starts = new Int32Array(bytes.length)
  let count = 0
  let first = -1
  for (let index = start + (isShifted ? 1 : 0); index < end; index += 1) {
    const isDigit = hexDigits[text.charCodeAt(index)] === 1
    if (isDigit && first >= 0) {
      bytes[count] = digitAt(text, first) * 16 + digitAt(text, index)
      starts[count] = first
      count += 1
    }
    // Anything but a digit, also the x of `0x`, begins a new byte.
    first = isDigit && first < 0 ? index : -1
  }
  return {
    text: bytes.toString('latin1', 0, count),
    sourceOf: (from, to) => sourceOf(starts[from] ?? 0, (starts[to - 1] ?? 0) + 2),
  }
}

/** The value of a hexadecimal digit: the letters of ASCII end in 1 to 6. */
function digitAt(text: string, index: number): number {
  const code = text.charCodeAt(index)
  return (code & 15) + (code > 64 ? 9 : 0)
}

function decodeNumbers({ text, sourceOf }: DecodedText, [start, end]: Range): DecodedText {
  const numbers = [...text.slice(start, end).matchAll(/\d+/g)].filter(([digits]) => Number(digits) < 256)
  return {
    text: Buffer.from(numbers.map(([digits]) => Number(digits))).toString('latin1'),
    sourceOf: (from, to) => {
      const [first, last] = [numbers[from], numbers[to - 1]]
      return sourceOf(start + (first?.index ?? 0), start + (last?.index ?? 0) + (last?.[0].length ?? 0))
    },
  }
}
