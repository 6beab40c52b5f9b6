import { parseJson } from '../model/json.ts'
import type { Piece } from './raw-row.ts'

/** A piece and the value in it, or what keeps it from being read. */
export type Reading = { readonly piece: Piece } & ({ readonly value: unknown } | { readonly problem: string })

export const notText = 'it is not UTF-8 text'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Reads pieces of JSON, each on its own. */
export function readJsonPieces(pieces: readonly Piece[]): Reading[] {
  return pieces.map(readJson)
}

function readJson(piece: Piece): Reading {
  if (piece.problem !== undefined) return { piece, problem: piece.problem }
  let text: string
  try {
    text = utf8.decode(piece.bytes)
  } catch {
    return { piece, problem: notText }
  }
  try {
    return { piece, value: parseJson(text) }
  } catch (error) {
    return { piece, problem: `it is not JSON: ${(error as Error).message}` }
  }
}
