/** A text that was decoded from another, with the mapping back. */
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

/** HTML has names for all ASCII characters except letters and digits, and for invisible characters. */
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
 * `\n` and the like, and so do any other backslash and the tags that break long words.
 */
const escapes = new RegExp(
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
  const { text } = source
  if (!mayHaveEscapes.test(text)) return source
  const { add, decoded } = decodingOf(source, text.length)
  let position = 0
  /** The start of the next character, including what was removed before it. */
  let begin: number | undefined
  const addUntil = (end: number) => {
    for (; position < end; position += 1) {
      add(text.charCodeAt(position), begin ?? position, position + 1)
      begin = undefined
    }
  }
  for (const { 0: sequence, index } of text.matchAll(escapes)) {
    addUntil(index)
    position += sequence.length
    const character = decodeEscape(sequence)
    if (character === '') {
      // Characters removed before a secret are not redacted with it, except a backslash.
      begin ??= isBackslash(sequence) ? index : position
    } else {
      add(character.charCodeAt(0), begin ?? index, position)
      begin = undefined
    }
  }
  if (position === 0) return source
  addUntil(text.length)
  return decoded()
}

/** Collects the characters of a decoded text, at most so many, each with its range in the source. */
function decodingOf({ sourceOf }: DecodedText, most: number) {
  const characters = Buffer.alloc(2 * most)
  const starts = new Int32Array(most)
  const ends = new Int32Array(most)
  let count = 0
  return {
    add(code: number, start: number, end: number) {
      characters.writeUInt16LE(code, 2 * count)
      starts[count] = start
      ends[count] = end
      count += 1
    },
    decoded: (): DecodedText => ({
      text: characters.toString('utf16le', 0, 2 * count),
      sourceOf: (start, end) => sourceOf(starts[start] ?? 0, ends[end - 1] ?? 0),
    }),
  }
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

/** A secret has no characters beyond two bytes. */
function character(digits: string, radix: number): string {
  const code = Number.parseInt(digits, radix)
  return code > 0xffff ? '' : String.fromCharCode(code)
}

/**
 * The letters and digits alone: everything between them (spaces, quotes, invisible characters, the zeros of UTF-16) is
 * left out. No match continues across parts that are already `covered`.
 */
export function lettersAndDigitsOf(source: DecodedText, covered: readonly Range[]): DecodedText {
  const { text } = source
  const isCovered = new Uint8Array(text.length)
  for (const [start, end] of covered) isCovered.fill(1, start, end)
  const { add, decoded } = decodingOf(source, text.length)
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (isCovered[index] === 1) add(space, index, index + 1)
    else if (letterOrDigit[code] === 1) add(code, index, index + 1)
  }
  return decoded()
}

const space = 0x20

/** The printable texts of a certain length that Base64, hexadecimal digits and lists of numbers stand for. */
export function* decodeBytes(source: DecodedText, shortest: number): Generator<DecodedText> {
  for (const run of runsOf(base64Characters, source.text, Math.ceil((shortest * 4) / 3))) {
    // The text before the run is not known, so the run may begin anywhere in a group of four.
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
/** Includes the separators between two bytes: `73 6b`, `73:6b`, `0x73, 0x6b`. */
const hexCharacters = charactersIn('0123456789abcdefABCDEF xX:,-')
const listCharacters = charactersIn('0123456789, ')
/** Includes the zero bytes of UTF-16. */
const printableCharacters = charactersIn(`${lettersAndDigits}\0 !"#$%&'()*+,-./:;<=>?@[\\]^_\`{|}~\t\r\n`)

/** A table by character code: 1 for each of these characters. */
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
function decodeHex(source: DecodedText, [start, end]: Range, isShifted: boolean): DecodedText {
  const { text } = source
  const { add, decoded } = decodingOf(source, (end - start) >>> 1)
  let first = -1
  for (let index = start + (isShifted ? 1 : 0); index < end; index += 1) {
    const isDigit = hexDigits[text.charCodeAt(index)] === 1
    if (isDigit && first >= 0) add(digitAt(text, first) * 16 + digitAt(text, index), first, index + 1)
    // Anything but a digit, including the x of `0x`, begins a new byte.
    first = isDigit && first < 0 ? index : -1
  }
  return decoded()
}

/** The value of a hexadecimal digit: the letters of ASCII end in 1 to 6. */
function digitAt(text: string, index: number): number {
  const code = text.charCodeAt(index)
  return (code & 15) + (code > 64 ? 9 : 0)
}

function decodeNumbers(source: DecodedText, [start, end]: Range): DecodedText {
  const numbers = source.text.slice(start, end).matchAll(/\d+/g)
  const bytes = [...numbers].filter(([digits]) => Number(digits) < 256)
  const { add, decoded } = decodingOf(source, bytes.length)
  for (const { 0: digits, index } of bytes) add(Number(digits), start + index, start + index + digits.length)
  return decoded()
}
