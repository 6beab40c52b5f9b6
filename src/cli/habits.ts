import { listLimits } from '../model/pets.ts'
import type { ValueReader } from './typed-words.ts'

/**
 * Names that people know from other programs, and petstore's names for them. `fixes.ts` repairs a
 * command line with these rows, one mistake after another: what a row makes can be the beginning of
 * another row. Facts about one command are in its declaration.
 */
export interface Habit {
  /** Words at the beginning of a command line, or options; in lower case. */
  readonly typed: readonly string[]
  /** Reads the value. The row fits if it gives one. Without it, the row takes no value. */
  readonly value?: ValueReader
  /** The words instead. `{value}` is the value that was read. */
  readonly becomes: readonly string[]
  /** Options to add, unless they were typed or exclude one that was. */
  readonly adds?: readonly (readonly string[])[]
}

export const mostPets: readonly string[] = ['--limit', String(listLimits.maximum)]
