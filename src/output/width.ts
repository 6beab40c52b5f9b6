import stringWidth from 'string-width'

const ellipsis = '…'

/** A wider cell would be unreadable, and every other row would be padded to its width. */
const mostColumns = 1000

/** The maximum number of code units in one visible character. Hostile ones have a million. */
const longestCharacter = 64

const printableAscii = /^[ -~]*$/

/** The number of columns that the text takes in a terminal, as far as it fits into `limit`. */
export function widthOf(text: string, limit = mostColumns): number {
  return fitInto(text, limit).width
}

/** The text cut to the width, with an ellipsis for the rest. A visible character is never split. */
export function truncate(text: string, width: number): string {
  if (fitInto(text, width).length === text.length) return text
  const shown = text.slice(0, fitInto(text, width - 1).length)
  return shown.trimEnd() + ellipsis
}

/** The text in lines of at most this width: broken at its spaces, and inside a longer word. */
export function brokenInto(text: string, width: number): string[] {
  const lines: string[] = []
  for (let rest = text; ; ) {
    const { length } = fitInto(rest, width)
    if (length === rest.length) return [...lines, rest]
    const space = rest.lastIndexOf(' ', length)
    const end = space > 0 ? space : Math.max(length, 1)
    lines.push(rest.slice(0, end))
    rest = rest.slice(end).replace(/^ /, '')
  }
}

/** How much of the text fits into the columns, and how many of them it takes. */
function fitInto(text: string, columns: number) {
  if (printableAscii.test(text)) {
    const length = Math.max(0, Math.min(text.length, columns))
    return { length, width: length }
  }
  let length = 0
  let width = 0
  const longest = Math.max(0, columns + 1) * longestCharacter
  for (const { segment } of new Intl.Segmenter().segment(text.slice(0, longest))) {
    const wider = width + stringWidth(segment.slice(0, longestCharacter))
    if (wider > columns || segment.length > longestCharacter) break
    width = wider
    length += segment.length
  }
  return { length, width }
}

/** The spaces that fill the text up to the width. */
export function padding(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - widthOf(text, width)))
}
