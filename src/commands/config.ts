import { Failure } from '../failure.ts'
import { requireConfigPath } from '../settings/location.ts'
import { withPreference } from '../settings/saved-state.ts'
import { preferenceNames, settingTable } from '../settings/table.ts'
import { Argument, command, define, group } from './declare.ts'

const settingArgument = new Argument('<name>', 'name of the setting').choices(preferenceNames)

const settingColumns = { names: ['setting', 'value', 'origin'] }

const list = define(
  command('list', 'show each setting with its value and source', {
    prints: 'array',
    columns: settingColumns,
    examples: `
      # show the settings
      petstore config list
    `
  }),
  async (_options, { settings, output }) => {
    const rows = preferenceNames.map(setting => {
      const { value, origin } = settings.resolve(setting)
      return { setting, value, origin: origin.name }
    })
    await output.list(rows, settingColumns)
  }
)

const get = define(
  command('get', 'print the value of a setting', {
    prints: 'value',
    examples: `
      # print the time limit for a request
      petstore config get timeout
      # a variable overrides the saved value
      PETSTORE_RETRIES=0 petstore config get retries
    `
  }).addArgument(settingArgument),
  (_options, { settings, output }, name) => output.text(settings.value(name))
)

const set = define(
  command('set', 'save a setting', {
    changes: 'machine',
    examples: `
      # print tables in pipes too
      petstore config set output table
      # shorten the time limit for a request
      petstore config set timeout 2.5
    `
  })
    .addArgument(settingArgument)
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

const unset = define(
  command('unset', 'remove a saved setting', {
    changes: 'machine',
    destroys: true,
    examples: `
      # go back to the default output format
      petstore config unset output
    `
  }).addArgument(settingArgument),
  async (_options, { store, report }, name) => {
    await store.change(state => withPreference(state, name, undefined))
    await report.confirm(`${name} unset`)
  }
)

const path = define(
  command('path', 'print the path of the config file', {
    examples: `
      # print the path; the file need not exist
      petstore config path
      # list everything that is saved
      ls -l "$(dirname "$(petstore config path)")"
    `
  }),
  (_options, { host, output }) => output.text(requireConfigPath(host))
)

export const configCommands = group('config', 'show and save settings', [
  list,
  get,
  set,
  unset,
  path
])
