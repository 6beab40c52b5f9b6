import stringWidth from 'string-width'

const ellipsis = '…'

/** How many columns of a terminal the text takes. */
export function widthOf(text: string): number {
  return stringWidth(text)
}

/** The text cut to the width, an ellipsis in place of what was lost; what a reader sees as one character is never split. */
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

/** The spaces that the text lacks to fill the width. */
export function padding(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - widthOf(text)))
}
