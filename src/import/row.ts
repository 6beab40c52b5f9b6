import type { ImportInput } from './input.ts'

/** A row of the input: a pet, or the problem with it. */
export interface Row {
  /** The line where it begins, or the number of the element in an array. */
  readonly line: number
  /** To write it again: its text, its cells, or the element. */
  readonly source: unknown
  /** The pet in one fixed form: it tells rows apart, and is what is sent. */
  readonly body?: string
  readonly problem?: string
}

/** Rows in order, some hundred at a time. */
export type RowBatches = AsyncGenerator<readonly Row[]>

/** Makes a row of what was read, or of the problem with it. */
type MakeRow = (line: number, source: unknown, read: () => unknown) => Row

/** Reads one format. Throws if the input as a whole cannot be read. */
export type ReadRows = (input: ImportInput, rowOf: MakeRow, ignoreUnknown: boolean) => RowBatches

/** What no decoder can read becomes this character. */
const undecodable = '\ufffd'

export function requireUtf8(text: string): string {
  if (text.includes(undecodable))
    throw new SyntaxError('it is not UTF-8 text: save the file as UTF-8')
  return text
}

export const longestRow = 2 ** 20
