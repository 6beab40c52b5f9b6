/** How many columns a text takes in a terminal. */
export type Measure = (text: string) => number

/**
 * ASCII, the letters of European languages, and those of Chinese, Japanese and Korean; the ellipsis and
 * the pictures of controls, which are many in a hostile text.
 */
const plain =
  /^[ -~\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u052f\u2026\u2400-\u2421\u3041-\u3096\u30a1-\u30ff\u4e00-\u9fff\uac00-\ud7a3]*$/

/** Of plain text, only these letters take two columns. */
const wideLetters = /[\u3041-\ud7a3]/g

function plainWidth(text: string) {
  const wide = text.match(wideLetters) ?? []
  return text.length + wide.length
}

/** The library, which measures all other text, takes longer to load than a list to print. */
export async function loadMeasure(texts: readonly string[]): Promise<Measure> {
  if (texts.every(text => plain.test(text))) return plainWidth
  const { default: stringWidth } = await import('string-width')
  return text => (plain.test(text) ? plainWidth(text) : stringWidth(text))
}

/** The text cut to the width, with an ellipsis for the rest. A visible character is never split. */
export function truncate(text: string, width: number, measure: Measure): string {
  if (measure(text) <= width) return text
  let shown = ''
  let room = width - 1
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    room -= measure(segment)
    if (room < 0) break
    shown += segment
  }
  return `${shown.trimEnd()}…`
}

/** The text in lines of at most this width, broken between words. */
export async function wrapped(text: string, width: number): Promise<string> {
  const measure = await loadMeasure([text])
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line === '' || measure(longer) <= width) {
      line = longer
    } else {
      lines.push(line)
      line = word
    }
  }
  return [...lines, line].join('\n')
}
