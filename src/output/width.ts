/** How many columns a text takes in a terminal. */
export type Measure = (text: string) => number

/**
 * Characters that stand alone: they join no other one. Latin, Greek, Cyrillic, arrows and marks have
 * one column; emoji have two, as many as their code units.
 */
const alone =
  ' -~\\u00a0-\\u00ac\\u00ae-\\u02ff\\u0370-\\u0482\\u048a-\\u052f\\u2010-\\u2026\\u2192\\u2400-\\u2421\\u2713\\u2717' +
  '\\u{1f400}-\\u{1f43e}\\u{1f442}-\\u{1f4fc}\\u{1f600}-\\u{1f64f}\\u{1f910}-\\u{1f93a}\\u{1f947}-\\u{1f9ff}'

/** Also alone, of two columns and one code unit: kana, Han, Hangul, full-width forms. */
const wide =
  '\\u3000-\\u3029\\u3041-\\u3096\\u30a0-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7a3\\uff01-\\uff60'

export const simpleText = new RegExp(`^[${alone}${wide}]*$`, 'u')
const wideCharacters = new RegExp(`[${wide}]`, 'gu')

const simpleWidth: Measure = text => text.length + (text.match(wideCharacters)?.length ?? 0)

/** The library, which measures all other text, takes longer to load than a list to print. */
export async function loadMeasure(texts: readonly string[]): Promise<Measure> {
  if (texts.every(text => simpleText.test(text))) return simpleWidth
  const { default: stringWidth } = await import('string-width')
  return text => (simpleText.test(text) ? simpleWidth(text) : stringWidth(text))
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
  if (simpleText.test(text)) return [...text]
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
