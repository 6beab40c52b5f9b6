import stringWidth from 'string-width'

const ellipsis = '…'

/** No one reads a wider cell, and every other row would be padded to its width. */
const mostColumns = 1000

/** What a reader sees as one character has at most so many code units. Hostile ones have a million. */
const longestCharacter = 64

const printableAscii = /^[ -~]*$/

/** How many columns the text takes in a terminal; it is not measured beyond `limit`. */
export function widthOf(text: string, limit = mostColumns): number {
  if (printableAscii.test(text)) return Math.min(text.length, limit)
  let width = 0
  for (const character of charactersOf(text, limit)) {
    width += character.width
    if (width >= limit) return limit
  }
  return width
}

/** The text cut to the width, with an ellipsis for the rest. What a reader sees as one character is never split. */
export function truncate(text: string, width: number): string {
  const { length } = text
  if (printableAscii.test(text)) return length <= width ? text : shorten(text, width - 1)
  let used = 0
  let end = 0
  let endBeforeEllipsis = 0
  for (const character of charactersOf(text, width)) {
    used += character.width
    if (used > width || character.length > longestCharacter) return shorten(text, endBeforeEllipsis)
    end += character.length
    if (used < width) endBeforeEllipsis = end
  }
  return end === length ? text : shorten(text, endBeforeEllipsis)
}

const shorten = (text: string, length: number) => text.slice(0, Math.max(0, length)).trimEnd() + ellipsis

/** The spaces that fill the text up to the width. */
export function padding(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - widthOf(text, width)))
}

/** At least as many characters as fit into the columns, if the text has them. */
function* charactersOf(text: string, columns: number): Generator<{ readonly length: number; readonly width: number }> {
  const beginning = text.slice(0, (columns + 1) * longestCharacter)
  for (const { segment } of new Intl.Segmenter().segment(beginning)) {
    yield { length: segment.length, width: stringWidth(segment.slice(0, longestCharacter)) }
  }
}
