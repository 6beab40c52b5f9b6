import type { Layout } from './formats.ts'

/** A row of the input. */
interface AnyRow {
  /** The line where it begins, or the number of the element in an array. */
  readonly line: number
  /** To write it again: its text, its cells, or the element. */
  readonly source: unknown
}

export interface SendableRow extends AnyRow {
  /** The pet in one fixed form: it tells rows apart, and is what is sent. */
  readonly body: string
}

interface InvalidRow extends AnyRow {
  readonly problem: string
}

export type ImportRow = SendableRow | InvalidRow

export interface ReadingOptions {
  /** The name of the input, for errors. */
  readonly name: string
  readonly layout: Layout
  /** Leaves out columns and fields that a pet does not have. */
  readonly ignoreUnknown?: boolean | undefined
  /** Takes the cells of the header of CSV. */
  readonly onHeader?: ((cells: readonly string[]) => void) | undefined
  /** Undefined for a pipe. */
  readonly path?: string | undefined
}

/** Makes a row of what was read, or of the problem with it. */
export type MakeRow = (line: number, source: unknown, read: () => unknown) => ImportRow

/** What no decoder can read becomes this character. */
const undecodable = '\ufffd'

export function requireUtf8(text: string): string {
  if (text.includes(undecodable)) throw new SyntaxError('it is not UTF-8 text')
  return text
}

export const longestRow = 2 ** 20
