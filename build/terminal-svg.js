import stringWidth from 'string-width'

/**
 * Draws a terminal's screen, in the format of `tmux capture-pane -e`, as a picture.
 *
 * @typedef {{ background: string, text: string, faint: string, colors: readonly string[] }} Theme
 * @typedef {{ text: string, column: number, isBold: boolean, isFaint: boolean, color: number | undefined }} Run
 */

/** Black, red, green, yellow, blue, magenta, cyan, white. */
export const themes = {
  light: {
    background: '#ffffff',
    text: '#1f2328',
    faint: '#6e7781',
    colors: ['#24292f', '#cf222e', '#116329', '#7d4e00', '#0969da', '#8250df', '#1b7c83', '#6e7781'],
  },
  dark: {
    background: '#0d1117',
    text: '#e6edf3',
    faint: '#8b949e',
    colors: ['#484f58', '#ff7b72', '#7ee787', '#d29922', '#79c0ff', '#d2a8ff', '#76e3ea', '#b1bac4'],
  },
}

const columnWidth = 8.4
const lineHeight = 20
const margin = 16

/**
 * @param {string} screen
 * @param {{ theme: Theme, columns: number, title: string }} look
 */
export function terminalSvg(screen, { theme, columns, title }) {
  const lines = screen.trimEnd().split('\n')
  const width = columns * columnWidth + 2 * margin
  const height = lines.length * lineHeight + 2 * margin
  const rows = lines.map((line, index) => {
    const y = margin + index * lineHeight + 15
    return readRuns(line)
      .map((run) => `<text y="${y}" ${attributesOf(run, theme)}>${escaped(run.text)}</text>`)
      .join('\n')
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${escaped(title)}</title>
<rect width="100%" height="100%" rx="8" fill="${theme.background}" stroke="${theme.faint}" stroke-opacity="0.4"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14">
${rows.filter((row) => row !== '').join('\n')}
</g>
</svg>
`
}

/**
 * Each run gets its position and length, so that columns are aligned in any font.
 *
 * @param {Run} run
 * @param {Theme} theme
 */
function attributesOf({ text, column, isBold, isFaint, color }, theme) {
  const fill = color === undefined ? (isFaint ? theme.faint : theme.text) : theme.colors[color]
  const x = (margin + column * columnWidth).toFixed(1)
  const length = (stringWidth(text) * columnWidth).toFixed(1)
  return `x="${x}" textLength="${length}" lengthAdjust="spacingAndGlyphs" fill="${fill}"${isBold ? ' font-weight="bold"' : ''}`
}

/** Splits a line so that every second piece contains the numbers of an escape. */
const styleChange = new RegExp(`${String.fromCharCode(27)}\\[([\\d;]*)m`)

/**
 * Splits a line into runs of the same style. Supports only the escapes that this program and a prompt use.
 *
 * @param {string} line
 * @returns {Run[]}
 */
export function readRuns(line) {
  /** @type {Run[]} */
  const runs = []
  let look = plain
  let column = 0
  for (const [index, part] of line.split(styleChange).entries()) {
    if (index % 2 === 1) look = part.split(';').map(Number).reduce(change, look)
    else {
      // Wide gaps are not drawn, because viewers treat spaces differently. The position of each run creates them.
      for (const found of part.matchAll(/\S+(?: \S+)*/g)) {
        runs.push({ ...look, text: found[0], column: column + stringWidth(part.slice(0, found.index)) })
      }
      column += stringWidth(part)
    }
  }
  return runs
}

const plain = { isBold: false, isFaint: false, color: /** @type {number | undefined} */ (undefined) }

/**
 * @param {typeof plain} look
 * @param {number} code
 */
function change(look, code) {
  if (code === 0) return plain
  if (code === 1) return { ...look, isBold: true }
  if (code === 2) return { ...look, isFaint: true }
  if (code === 22) return { ...look, isBold: false, isFaint: false }
  if (code === 39) return { ...look, color: undefined }
  if (code >= 30 && code <= 37) return { ...look, color: code - 30 }
  return look
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
