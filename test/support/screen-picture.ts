import stringWidth from 'string-width'

/** The colors of a terminal by their codes, for a light page and for a dark one. */
const colors: Readonly<Record<number, readonly [light: string, dark: string]>> = {
  31: ['#c4242d', '#ff7b72'],
  32: ['#187733', '#56d364'],
  33: ['#8a6100', '#e3b341'],
  34: ['#0a5bc4', '#79c0ff'],
  35: ['#8031b5', '#d2a8ff'],
  36: ['#0d6e78', '#56d4dd'],
  90: ['#656d76', '#8b949e']
}

const cell = { width: 8.4, height: 19 }
const margin = 16

/** A screen with the escapes of its colors, as SVG without fonts or scripts. */
export function pictureOf(screen: string, columns: number): string {
  const width = Math.ceil(columns * cell.width + 2 * margin)
  const height = screen.split('\n').length * cell.height + 2 * margin
  const size = `width="${width}" height="${height}"`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" ${size}>`,
    '<title>petstore in a terminal: a list, an error with its hint, and an import</title>',
    `<style>\n${styles()}\n</style>`,
    `<rect ${size} rx="8"/>`,
    ...wordsOf(screen),
    '</svg>\n'
  ].join('\n')
}

function styles(): string {
  const rules = (theme: 0 | 1) =>
    Object.entries(colors).map(([code, shades]) => `.c${code} { fill: ${shades[theme]} }`)
  return [
    'text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #1f2328 }',
    'rect { fill: #f6f8fa }',
    '.c1 { font-weight: bold }',
    '.c2 { opacity: 0.7 }',
    '.c4 { text-decoration: underline }',
    ...rules(0),
    '@media (prefers-color-scheme: dark) {',
    'text { fill: #e6edf3 }',
    'rect { fill: #161b22 }',
    ...rules(1),
    '}'
  ].join('\n')
}

/** Each word has its own place, because fonts differ in the width of wide characters. */
function wordsOf(screen: string): string[] {
  let codes: readonly number[] = []
  let row = 0
  let column = 0
  const words: string[] = []
  // Behind each escape: its codes, then the text that they are for, which may be of several lines.
  for (const part of `0m${screen}`.split('\u001b[')) {
    const [, typed = '', text = ''] = /^([\d;]*)m(.*)$/s.exec(part) ?? []
    codes = codesAfter(codes, typed)
    for (const [index, line] of text.split('\n').entries()) {
      if (index > 0) {
        row += 1
        column = 0
      }
      for (const { 0: word, index: start } of line.matchAll(/\S+/g))
        words.push(textAt(row, column + stringWidth(line.slice(0, start)), word, codes))
      column += stringWidth(line)
    }
  }
  return words
}

function textAt(row: number, column: number, word: string, codes: readonly number[]): string {
  const x = (margin + column * cell.width).toFixed(1)
  const y = (margin + (row + 0.75) * cell.height).toFixed(1)
  const look = codes.length === 0 ? '' : ` class="${codes.map(code => `c${code}`).join(' ')}"`
  const escaped = word.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<text x="${x}" y="${y}"${look}>${escaped}</text>`
}

/** What applies after an escape: 0 ends all, 39 ends a color. Backgrounds are left out. */
function codesAfter(codes: readonly number[], typed: string): readonly number[] {
  return typed.split(';').reduce<readonly number[]>((applied, text) => {
    const code = Number(text)
    if (code === 0) return []
    if (code < 30) return applied.concat(code)
    const looks = applied.filter(other => other < 30)
    if (code === 39) return looks
    return code in colors ? [...looks, code] : applied
  }, codes)
}
