import { stringifyJson } from '../model/json.ts'
import { escapeActive, visibleLine } from '../model/visible.ts'
import { plainStyle, type Row, type Style, type View } from './view.ts'

type JsonView = Pick<View, 'style' | 'int64AsStrings'>

/** One value after another, over several lines each. */
export function renderJson(values: readonly unknown[], view: JsonView): string {
  return documents(values, view, 2)
}

/** One value a line. */
export function renderNdjson(values: readonly unknown[], view: JsonView): string {
  return documents(values, view, 0)
}

function documents(values: readonly unknown[], view: JsonView, indent: number): string {
  const { style, int64AsStrings } = view
  const texts = values.map(value => {
    const json = stringifyJson(value, { indent, int64AsStrings })
    return `${paintJson(json, style)}\n`
  })
  return texts.join('')
}

/** The stack of the pattern for strings has a limit, and more would not be read in color. */
const mostColored = 2 ** 20

/** Colors JSON text and changes nothing else in it. */
function paintJson(json: string, style: Style): string {
  if (style === plainStyle || json.length > mostColored) return json
  const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"(?=(:?))|[-\w.+]+/g
  return json.replace(tokens, (token, colon?: string) => {
    if (colon === undefined) return style.literal(token)
    return colon === ':' ? style.key(token) : style.string(token)
  })
}

/**
 * The text of a field for a cell: empty if absent or null, a string as it is, everything else as
 * compact JSON.
 */
export function cellText(row: Row, column: string): string {
  const value = Object.hasOwn(row, column) ? row[column] : null
  const filled = value ?? ''
  return typeof filled === 'string' ? filled : stringifyJson(filled)
}

/**
 * Escapes as in jq's `@tsv`, which leaves other control characters unchanged; here they are escaped
 * too.
 */
const shortForms = {
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r'
}

export function renderTsv(rows: readonly Row[], { columns }: Pick<View, 'columns'>): string {
  const lines = rows.map(row => {
    const cells = columns.map(column => {
      const text = cellText(row, column).replaceAll('\\', '\\\\')
      return escapeActive(text, shortForms)
    })
    return `${cells.join('\t')}\n`
  })
  return lines.join('')
}

/** CSV by RFC 4180: lines end in CRLF. */
export function renderCsv(
  rows: readonly Row[],
  { columns, width }: Pick<View, 'columns' | 'width'>,
  isFirst: boolean
): string {
  const isTerminal = width !== undefined
  const lineOf = (texts: readonly string[]) => {
    // A terminal must not act on the text.
    const shown = isTerminal ? texts.map(visibleLine) : texts
    const line = shown.map(quoted).join(',')
    // An empty line would not count as a record.
    return `${line || '""'}\r\n`
  }
  const header = isFirst ? [lineOf(columns)] : []
  const lines = rows.map(row => {
    const texts = columns.map(column => cellText(row, column))
    return lineOf(texts)
  })
  return [...header, ...lines].join('')
}

function quoted(text: string): string {
  if (!/[",\r\n]/.test(text)) return text
  return `"${text.replaceAll('"', '""')}"`
}
