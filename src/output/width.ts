/** How many columns a text takes in a terminal. */
export type Measure = (text: string) => number

const isAscii = (text: string) => /^[ -~]*$/.test(text)

/** The library, which measures all other text, takes longer to load than a list to print. */
export async function loadMeasure(texts: readonly string[]): Promise<Measure> {
  if (texts.every(isAscii)) return text => text.length
  const { default: stringWidth } = await import('string-width')
  return text => (isAscii(text) ? text.length : stringWidth(text))
}

/** The text cut to the width, with an ellipsis for the rest. A visible character is never split. */
export function truncate(text: string, width: number, measure: Measure): string {
  if (measure(text) <= width) return text
  let shown = ''
  let room = width - 1
  for (const character of charactersOf(text)) {
    room -= measure(character)
    if (room < 0) break
    shown += character
  }
  return `${shown.trimEnd()}…`
}

function charactersOf(text: string): string[] {
  if (isAscii(text)) return [...text]
  const segments = new Intl.Segmenter().segment(text)
  return Array.from(segments, ({ segment }) => segment)
}

/** The text in lines of at most this width, broken between words. */
export async function wrapped(text: string, width: number): Promise<string> {
  const measure = await loadMeasure([text])
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    const fits = line === '' || measure(longer) <= width
    if (!fits) lines.push(line)
    line = fits ? longer : word
  }
  return [...lines, line].join('\n')
}
