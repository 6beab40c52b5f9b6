import { preferenceNames } from '../../settings/table.ts'
import { command, define } from '../declare.ts'

const settingColumns = { names: ['setting', 'value', 'origin'] }

export const configList = define(
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
