import { withPreference } from '../../settings/saved-state.ts'
import { command, define } from '../declare.ts'
import { preferenceArgument } from './preference.ts'

export const configUnset = define(
  command('unset', 'remove a saved setting', {
    changes: 'machine',
    destroys: true,
    examples: `
      # go back to the default output format
      petstore config unset output
    `
  }).addArgument(preferenceArgument),
  async (_options, { store, report }, name) => {
    await store.change(state => withPreference(state, name, undefined))
    await report.confirm(`${name} unset`)
  }
)
