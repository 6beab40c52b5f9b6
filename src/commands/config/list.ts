import { listedSettings, showSetting } from '../../settings/settings.ts'
import { command, define } from '../declare.ts'

const columns = ['setting', 'value', 'origin', 'from']

export const configList = () =>
  define(
    command('list', 'show every setting with its value and source', {
      actsOn: ['settings'],
      fields: columns,
      examples: [
        ['petstore config list', 'show all settings'],
        ['petstore config list --env local --json', 'show the settings for another environment, as JSON'],
      ],
    }),
    async (_options, context) => {
      const settings = await context.settings()
      const rows = await Promise.all(listedSettings.map((name) => showSetting(settings, name)))
      const withoutSecrets = rows.map(async (row) => ({
        ...row,
        value: typeof row.value === 'string' ? await context.redact(row.value) : row.value,
      }))
      await context.output.list(await Promise.all(withoutSecrets), columns, { isWrapped: true })
    },
  )
