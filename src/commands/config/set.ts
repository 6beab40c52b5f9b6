import { Failure } from '../../failure.ts'
import { withPreference } from '../../settings/saved-state.ts'
import { settingTable } from '../../settings/table.ts'
import { command, define } from '../declare.ts'
import { preferenceArgument } from './preference.ts'

export const configSet = define(
  command('set', 'save a setting', {
    changes: 'machine',
    examples: `
      # print tables in pipes too
      petstore config set output table
      # shorten the time limit for a request
      petstore config set timeout 2.5
    `
  })
    .addArgument(preferenceArgument)
    .argument('<value>', 'value to save'),
  async (_options, { store, report }, name, text) => {
    const { expected, read, choices = [] } = settingTable[name].type
    const value = read(text)
    if (value === undefined) {
      throw new Failure('usage', `invalid ${name} '${text}': use ${expected}`, {
        unknownName: { name: text, known: choices, isValue: true }
      })
    }
    await store.change(state => withPreference(state, name, value))
    await report.confirm(`${name} set to ${text}`)
  }
)
