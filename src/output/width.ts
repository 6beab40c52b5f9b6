import stringWidth from 'string-width'

const ellipsis = '…'

/** How many columns the text takes in a terminal. */
export function widthOf(text: string): number {
  return stringWidth(text)
}

/** The text cut to the width, with an ellipsis for the rest. What a reader sees as one character is never split. */
export function truncate(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let kept = ''
  let room = width - widthOf(ellipsis)
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    room -= widthOf(segment)
    if (room < 0) break
    kept += segment
  }
  return kept.trimEnd() + ellipsis
}

/** The spaces that fill the text up to the width. */
export function padding(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - widthOf(text)))
}
