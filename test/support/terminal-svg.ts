import stringWidth from 'string-width'

const columnWidth = 8.4
const lineHeight = 20
const margin = 16

/**
 * For the codes of escape sequences: faint, then black, red, green, yellow, blue, magenta, cyan,
 * white.
 */
const themes = {
  light: [
    '#6e7781',
    '#24292f',
    '#cf222e',
    '#116329',
    '#7d4e00',
    '#0969da',
    '#8250df',
    '#1b7c83',
    '#6e7781'
  ],
  dark: [
    '#8b949e',
    '#484f58',
    '#ff7b72',
    '#7ee787',
    '#d29922',
    '#79c0ff',
    '#d2a8ff',
    '#76e3ea',
    '#b1bac4'
  ]
}

/**
 * Draws a terminal's screen, in the format of `tmux capture-pane -e`, as a picture that follows the
 * theme of its page.
 */
export function terminalSvg(
  screen: string,
  { columns, title }: { columns: number; title: string }
): string {
  const lines = screen.trimEnd().split('\n')
  const width = Math.ceil(columns * columnWidth + 2 * margin)
  const height = lines.length * lineHeight + 2 * margin
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${escaped(title)}</title>
<style>
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre; fill: #1f2328 }
rect { fill: #ffffff; stroke: #d0d7de }
.s1 { font-weight: bold }
${colorsOf(themes.light)}
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 }
rect { fill: #0d1117; stroke: #30363d }
${colorsOf(themes.dark)}
}
</style>
<rect width="100%" height="100%" rx="8"/>
${lines.flatMap((line, index) => drawn(line, margin + index * lineHeight + 15)).join('\n')}
</svg>
`
}

/** The codes are 2 for faint text, and 30 to 37 for the colors. */
function colorsOf(theme: readonly string[]): string {
  return theme
    .map((color, index) => `.s${index === 0 ? 2 : index + 29} { fill: ${color} }`)
    .join('\n')
}

/** Each run of text gets its position and length, so that columns are aligned in any font. */
function drawn(line: string, y: number): string[] {
  const runs: string[] = []
  let codes: readonly number[] = []
  let column = 0
  for (const [index, part] of line.split(styleChange).entries()) {
    if (index % 2 === 1) {
      codes = part.split(';').map(Number).reduce(change, codes)
      continue
    }
    // Wide gaps are not drawn, because viewers treat spaces differently.
    for (const { 0: text, index: start } of part.matchAll(/\S+(?: \S+)*/g)) {
      const x = margin + (column + stringWidth(part.slice(0, start))) * columnWidth
      const style = codes.length > 0 ? ` class="${codes.map(code => `s${code}`).join(' ')}"` : ''
      const length = stringWidth(text) * columnWidth
      const place = `x="${x.toFixed(1)}" y="${y}" textLength="${length.toFixed(1)}" lengthAdjust="spacingAndGlyphs"`
      runs.push(`<text ${place}${style}>${escaped(text)}</text>`)
    }
    column += stringWidth(part)
  }
  return runs
}

/** Splits a line so that every second piece contains the codes of an escape sequence. */
const styleChange = new RegExp(`${String.fromCharCode(27)}\\[([\\d;]*)m`)

/** tmux resets everything (0) before it removes one attribute, and 39 is the default color. */
function change(codes: readonly number[], code: number): readonly number[] {
  if (code === 0) return []
  const others = codes.filter(one => one < 30 || code < 30)
  return code === 39 ? others : [...others, code]
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
