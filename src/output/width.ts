import stringWidth from 'string-width'

const ellipsis = '…'

/** A wider cell would be unreadable, and every other row would be padded to its width. */
const mostColumns = 1000

/** The maximum number of code units in one visible character. Hostile ones have a million. */
const longestCharacter = 64

const printableAscii = /^[ -~]*$/

/** The number of columns that the text takes in a terminal, measured only up to `limit`. */
export function widthOf(text: string, limit = mostColumns): number {
  if (printableAscii.test(text)) return Math.min(text.length, limit)
  let width = 0
  for (const character of charactersOf(text, limit)) {
    width += character.width
    if (width >= limit) return limit
  }
  return width
}

/** The text cut to the width, with an ellipsis for the rest. A visible character is never split. */
export function truncate(text: string, width: number): string {
  if (lengthWithin(text, width) === text.length) return text
  const shown = text.slice(0, lengthWithin(text, width - 1))
  return shown.trimEnd() + ellipsis
}

/** The text in lines of at most this width: broken at its spaces, and inside a longer word. */
export function brokenInto(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const line = lines.pop()
    const longer = line === undefined ? word : `${line} ${word}`
    let last = longer
    if (line !== undefined && widthOf(longer) > width) {
      lines.push(line)
      last = word
    }
    while (widthOf(last) > width) {
      const length = Math.max(lengthWithin(last, width), 1)
      lines.push(last.slice(0, length))
      last = last.slice(length)
    }
    lines.push(last)
  }
  return lines
}

/** How much of the text fits into the width. */
function lengthWithin(text: string, width: number): number {
  if (printableAscii.test(text)) return Math.max(0, Math.min(text.length, width))
  let used = 0
  let length = 0
  for (const character of charactersOf(text, width)) {
    used += character.width
    if (used > width || character.length > longestCharacter) return length
    length += character.length
  }
  return length
}

/** The spaces that fill the text up to the width. */
export function padding(text: string, width: number): string {
  const missing = width - widthOf(text, width)
  return ' '.repeat(Math.max(0, missing))
}

/** At least all characters that fit into the columns. */
function* charactersOf(text: string, columns: number) {
  const longest = Math.max(0, columns + 1) * longestCharacter
  const segments = new Intl.Segmenter().segment(text.slice(0, longest))
  for (const { segment } of segments) {
    const width = stringWidth(segment.slice(0, longestCharacter))
    yield { length: segment.length, width }
  }
}
