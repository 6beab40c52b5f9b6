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
    const ids = mutants.map(({ id }) => id).sort((one, other) => (rank(one) < rank(other) ? -1 : 1))
    const sample = new Set(ids.slice(0, size))
    // Stryker does not count a change that does not compile.
    const other = { status: 'compileError', reason: 'not in the sample' }
    return Object.fromEntries(ids.map(id => [id, sample.has(id) ? { status: 'passed' } : other]))
  }
}

/** @param {string} id of a change, in the order of the sources */
function rank(id) {
  return createHash('sha256').update(`${seed} ${id}`).digest('hex')
}

export const strykerPlugins = [{ kind: 'Checker', name: 'sample', injectableClass: SampleChecker }]
