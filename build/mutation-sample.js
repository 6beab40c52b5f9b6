/**
 * A plugin for Stryker. `MUTATION_SAMPLE=50` tests fifty of the changes, the same ones for the same
 * `MUTATION_SEED`.
 */
import { createHash } from 'node:crypto'

const size = Number(process.env.MUTATION_SAMPLE ?? Number.POSITIVE_INFINITY)
const seed = process.env.MUTATION_SEED ?? ''

/** @typedef {{ id: string }} Mutant */

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
    const ranked = mutants
      .map(({ id }) => ({ id, rank: createHash('sha256').update(`${seed} ${id}`).digest('hex') }))
      .sort((one, other) => (one.rank < other.rank ? -1 : 1))
    // Stryker does not count a change that does not compile.
    const other = { status: 'compileError', reason: 'not in the sample' }
    return Object.fromEntries(
      ranked.map(({ id }, place) => [id, place < size ? { status: 'passed' } : other])
    )
  }
}

export const strykerPlugins = [{ kind: 'Checker', name: 'sample', injectableClass: SampleChecker }]
