/** Removes secrets from a text. */
export type Redact = (text: string) => string

/**
 * Replaces the characters that act on a terminal or hide in a line: controls, invisible formatting
 * such as bidirectional overrides, line and paragraph separators, lone surrogates. Some shape
 * ordinary text, and are allowed where they do: a zero-width joiner between the parts of an emoji
 * and after a mark inside a word (Sinhala, Hindi), a zero-width non-joiner inside a word (Persian),
 * the tags of a flag (Scotland), and Arabic signs that span a number.
 */
function replaceActive(text: string, replacement: (character: string) => string) {
  // Most texts are ASCII. They need neither the search nor the properties of Unicode, which take
  // long to load.
  if (!/[^ -~]/.test(text)) return text
  const active = new RegExp(
    [
      String.raw`(?![\u200C\u200D\u{E0020}-\u{E007F}\u0600-\u0605\u06DD\u08E2])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]`,
      String.raw`(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\p{M}])\u200D|\u200D(?![\p{L}\p{Extended_Pictographic}])`,
      String.raw`(?<![\p{L}\p{M}])\u200C|\u200C(?![\p{L}\p{M}])`,
      // A flag has up to six tags. Without the limit, a long run of tags would take a time that
      // grows with its square.
      String.raw`(?<!\u{1F3F4}[\u{E0020}-\u{E007E}]{0,6})[\u{E0020}-\u{E007F}]`
    ].join('|'),
    'gu'
  )
  return text.replace(active, replacement)
}

/** Allowed in text of several lines. The capture group keeps them when the text is split. */
const layout = /(\r?\n|\t)/

/** Text on one line without active characters: `␛[2J` instead of a cleared screen. */
export function visibleLine(text: string): string {
  return replaceActive(text, standIn)
}

/** Text of several lines, whose only active characters are line breaks and tabs. */
export function visibleText(text: string): string {
  return text
    .split(layout)
    .map((part, index) => (index % 2 === 1 ? part : visibleLine(part)))
    .join('')
}

/**
 * Text in which active characters are written as in JSON, `\u001b`, so that it can be read back.
 */
export function escapeActive(
  text: string,
  shortForms: Readonly<Record<string, string>> = {}
): string {
  return replaceActive(text, character => shortForms[character] ?? unicodeEscape(character))
}

/**
 * Unicode has pictures of the ASCII controls (`␉`, `␛`). Every other active character shows its
 * code point, `\u{202e}`.
 */
function standIn(character: string) {
  const codePoint = character.codePointAt(0) ?? 0
  if (codePoint < 0x20) return String.fromCodePoint(0x2400 + codePoint)
  if (codePoint === 0x7f) return '␡'
  return `\\u{${codePoint.toString(16)}}`
}

/** Two `\uXXXX` for a character beyond the basic plane. */
export function unicodeEscape(character: string): string {
  return character.replace(/./gs, unit => {
    const code = unit.charCodeAt(0).toString(16)
    return `\\u${code.padStart(4, '0')}`
  })
}
