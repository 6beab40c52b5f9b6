import type { Host } from '../system/host.ts'

/** One thing that is printed. Its fields are the columns of a table. */
export type Row = Readonly<Record<string, unknown>>

/** The columns of a table, in their order. */
export interface Columns {
  readonly names: readonly string[]
  /** What a row is, if it has a schema. */
  readonly noun?: 'pet' | 'message'
  /** What people read instead of a table. */
  readonly render?: Render
  /** The confirmation of a change says all of it. */
  readonly isToldByConfirmation?: true
}

export const petColumns: Columns = {
  names: ['id', 'name', 'categoryId', 'status'],
  noun: 'pet'
}

/** Only these fields, in this order. JSON leaves out a field that the row does not have. */
export function pickFields(row: Row, fields: readonly string[] | undefined): Row {
  if (fields === undefined) return row
  return Object.fromEntries(fields.map(field => [field, row[field]]))
}

/** The place where a renderer's text goes. */
export interface View {
  readonly columns: readonly string[]
  /**
   * The width of the terminal. Undefined elsewhere: nothing is cut, and data is exact; in a terminal
   * it must not act as control codes.
   */
  readonly width: number | undefined
  readonly paint: Paint
  /** JSON integers beyond 2^53 as strings, for readers that would round them. */
  readonly int64AsStrings: boolean
}

/** Rows as whole lines. `isFirst` holds unless other rows of the same stream came before. */
export type Render = (
  rows: readonly Row[],
  view: View,
  isFirst: boolean
) => string | Promise<string>

/** The color of each kind of text. */
const colors = {
  error: 'red',
  notice: 'yellow',
  hint: 'dim',
  header: 'bold',
  // States: ready, in progress, finished.
  good: 'green',
  waiting: 'yellow',
  past: 'dim'
} as const

/** What a text is. */
export type Kind = keyof typeof colors

/** Colors a text, unless it is of no kind. */
export type Paint = (kind: Kind | undefined, text: string) => string

export const unpainted: Paint = (_kind, text) => text

/** When text is colored. */
export const colorChoices = ['auto', 'always', 'never'] as const
export type ColorChoice = (typeof colorChoices)[number]

/** A terminal that cannot is often read aloud. */
export const movesCursor = ({ env }: Host) => env.TERM !== 'dumb'

/** Chalk loads only if there is color. Its own detection is not used: the settings decide. */
export async function paintFor(
  host: Host,
  stream: 'stdout' | 'stderr',
  choice: ColorChoice
): Promise<Paint> {
  const isAble = host.terminal[stream] && movesCursor(host)
  const isColored = choice === 'auto' ? isAble : choice === 'always'
  if (!isColored) return unpainted
  const { Chalk } = await import('chalk')
  const chalk = new Chalk({ level: 1 })
  return (kind, text) => {
    if (kind === undefined) return text
    const color = colors[kind]
    return chalk[color](text)
  }
}
