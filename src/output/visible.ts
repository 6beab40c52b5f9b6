/**
 * What can act on a terminal, or hide in a line: controls, invisible formatting such as bidirectional overrides, line
 * and paragraph separators, lone surrogates. A zero-width joiner stays where it shapes something: between the parts of
 * an emoji, and after a mark inside a word of Sinhala, Hindi and the like. A function, for V8 takes a pattern apart where
 * it meets it, and this one would cost every start a third of a millisecond.
 */
const active = () =>
  /(?!(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{M}])\u200D(?=[\p{L}\p{Extended_Pictographic}]))[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

/** Where there is none of these, nothing acts, and nothing has to be looked for. */
const beyondPrintable = /[^ -~]/

/** Breaks that give a text of several lines its shape; the group keeps them when the text is split. */
const layout = /(\r?\n|\t)/

/** Text on one line, in which nothing acts: `␛[2J` instead of a cleared screen. */
export function visibleLine(text: string): string {
  return beyondPrintable.test(text) ? text.replace(active(), standIn) : text
}

/** Text of several lines, in which nothing acts but its line breaks and tabs. */
export function visibleText(text: string): string {
  return text
    .split(layout)
    .map((part, index) => (index % 2 === 1 ? part : visibleLine(part)))
    .join('')
}

/** Text in which whatever could act is written as JSON and JavaScript write it, `\u001b`, so that it can be read back. */
export function escapeActive(text: string, shortForms: Readonly<Record<string, string>> = {}): string {
  return text.replace(active(), (character) => shortForms[character] ?? unicodeEscape(character))
}

/** Unicode has pictures for the ASCII controls (`␉`, `␛`); everything else shows its code point, `\u{202e}`. */
function standIn(character: string): string {
  const codePoint = character.codePointAt(0) ?? 0
  if (codePoint < 0x20) return String.fromCodePoint(0x2400 + codePoint)
  if (codePoint === 0x7f) return '␡'
  return `\\u{${codePoint.toString(16)}}`
}

/** One `\uXXXX` for each half of what lies beyond the basic plane. */
function unicodeEscape(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}
