/**
 * A plugin for Stryker. `MUTATION_SAMPLE=50` tests fifty of the changes, the same ones for the same
 * `MUTATION_SEED`.
 */
import { createHash } from 'node:crypto'

const size = Number(process.env.MUTATION_SAMPLE ?? Number.POSITIVE_INFINITY)
const seed = process.env.MUTATION_SEED ?? ''

/**
 * @typedef {{ line: number, column: number }} Position
 * @typedef {{ id: string, fileName: string, mutatorName: string, replacement: string, location: {
 *   start: Position, end: Position } }} Mutant
 */

class SampleChecker {
  async init() {}

  /**
   * One group, so that `check` sees all changes.
   *
   * @param {Mutant[]} mutants
   */
  async group(mutants) {
    return [mutants.map(({ id }) => id)]
  }

  /** @param {Mutant[]} mutants */
  async check(mutants) {
    const ordered = mutants.map(mutant => ({ id: mutant.id, rank: rankOf(mutant) })).sort(byRank)
    return Object.fromEntries(
      ordered.map(({ id }, index) => [
        id,
        // Stryker does not count a change that does not compile.
        index < size
          ? { status: 'passed' }
          : { status: 'compileError', reason: 'not in the sample' }
      ])
    )
  }
}

/** @param {Mutant} mutant */
function rankOf({ fileName, mutatorName, replacement, location }) {
  return createHash('sha256')
    .update(
      JSON.stringify([
        seed,
        fileName.replace(/^.*(?=src\/)/, ''),
        mutatorName,
        replacement,
        location
      ])
    )
    .digest('hex')
}

/**
 * @param {{ rank: string }} one
 * @param {{ rank: string }} other
 */
function byRank(one, other) {
  return one.rank < other.rank ? -1 : 1
}

export const strykerPlugins = [{ kind: 'Checker', name: 'sample', injectableClass: SampleChecker }]
