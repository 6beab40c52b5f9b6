import { listedSettings, showSetting } from '../../settings/settings.ts'
import { command, define } from '../declare.ts'

const settingColumns = ['setting', 'value', 'origin', 'from']

export const configList = define(
  command('list', 'show every setting with its value and source', {
    prints: 'array',
    actsOn: ['settings'],
    fields: settingColumns,
    examples: `
      # show all settings
      petstore config list
      # show the settings for another environment, as JSON
      petstore config list --env local --json
    `
  }),
  async (_options, context) => {
    const settings = await context.settings()
    const redact = await context.report.redactor()
    const rows = listedSettings.map(async name => {
      const { value, ...row } = await showSetting(settings, name)
      return { ...row, value: typeof value === 'string' ? redact(value) : value }
    })
    await context.output.list(await Promise.all(rows), { names: settingColumns })
  }
)
