/** A stretch of the input that is meant to be one row, as it was. */
export interface Piece {
  /** Tells it from all others of its input: its line; in a JSON array its place, for many may stand on one line. */
  readonly number: number
  /** Its place in a JSON array, where it is in one. */
  readonly row?: number | undefined
  /** The line on which it begins; the first is 1. */
  readonly line: number
  /** Without the line break or comma that ended it. */
  readonly bytes: Uint8Array
  /** What is wrong with it, as far as one sees without reading it. */
  readonly problem?: string | undefined
  /** Set where this is only the beginning of something too large, and what follows comes as the next piece. */
  readonly isUnfinished?: boolean | undefined
}

/** Cuts an input into pieces, however the input itself is cut into chunks. */
export interface Splitter {
  push(chunk: Uint8Array): Piece[]
  /** The input has ended. */
  end(): Piece[]
}

/** No animal is larger; whatever is gets no more memory than this. */
export const largestRow = 1024 * 1024

export const tooLarge = 'it is longer than 1 MiB'

export const newline = 0x0a

export function isBlank(bytes: Uint8Array): boolean {
  return bytes.every(isSpace)
}

/** White space as JSON has it. */
export function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === newline || byte === 0x0d || byte === 0x09
}
