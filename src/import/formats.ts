import { extname } from 'node:path'

/** The formats of an import; apart, because every start loads them. */
export const importFormats = ['ndjson', 'json', 'csv'] as const
export type ImportFormat = (typeof importFormats)[number]

/** How the rows of an input are written. */
export interface Layout {
  readonly format: ImportFormat
  /** The byte order mark at its beginning, or nothing. */
  readonly mark: string
  readonly lineEnd: string
  /** Between the cells of CSV. */
  readonly separator: string
  /** The cells of the header of CSV, once it is read. */
  header?: readonly string[]
}

/** What the number of a row counts. */
export const unitOf = (format: ImportFormat) => (format === 'json' ? 'element' : 'line')

/** The format that the file extension stands for, if any. */
export function formatByName(path: string): ImportFormat | undefined {
  const extension = extname(path).slice(1).toLowerCase().replace('jsonl', 'ndjson')
  return importFormats.find(format => format === extension)
}

/** The format of a text that begins with this character. */
export const formatByContent = (character: string): ImportFormat =>
  character === '[' ? 'json' : character === '{' ? 'ndjson' : 'csv'

/** The layout of an input that begins with this text; undefined if the text is blank. */
export function layoutOf(text: string, format: ImportFormat | undefined): Layout | undefined {
  const mark = text.startsWith('\ufeff') ? '\ufeff' : ''
  // A byte order mark counts as white space here.
  const content = text.trimStart()
  if (content === '') return undefined
  const lineEnd = /\r\n|\n|\r/.exec(content)?.[0] ?? '\n'
  // Excel writes semicolons in many countries.
  const [separator] = /[,;\t]|$/m.exec(content.replace(/"[^"]*"?/g, '')) ?? []
  return {
    format: format ?? formatByContent(content.charAt(0)),
    mark,
    lineEnd,
    separator: separator || ','
  }
}
