import { isUtf8 } from 'node:buffer'
import { parseJson } from '../api/json.ts'
import type { Piece } from './piece.ts'

/** A piece and the value in it, or what keeps it from being read. */
export type Reading = { readonly piece: Piece } & ({ readonly value: unknown } | { readonly problem: string })

export const notText = 'it is not UTF-8 text'

/** Reads pieces of JSON, each on its own. */
export function readJsonPieces(pieces: readonly Piece[]): Reading[] {
  return pieces.map((piece) => ({ piece, ...readJson(piece) }))
}

function readJson({ bytes, problem }: Piece): { value: unknown } | { problem: string } {
  if (problem !== undefined) return { problem }
  if (!isUtf8(bytes)) return { problem: notText }
  try {
    return { value: parseJson(asBuffer(bytes).toString()) }
  } catch (error) {
    return { problem: `it is not JSON: ${(error as Error).message}` }
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}
