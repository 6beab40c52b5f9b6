import { listedSettings, showSetting } from '../../settings/shown-settings.ts'
import { command, define } from '../declare.ts'

const columns = ['setting', 'value', 'origin', 'from']

export const configList = () =>
  define(
    command('list', 'all settings as they stand, each with its origin', {
      actsOn: ['settings'],
      fields: columns,
      examples: [
        ['petstore config list', 'what holds now, and because of what'],
        ['petstore config list --env local --json', 'the same of another environment, for a program'],
      ],
    }),
    async (_options, context) => {
      const settings = await context.settings()
      const rows = await Promise.all(listedSettings.map((name) => showSetting(settings, name)))
      const withoutSecrets = rows.map(async (row) => ({
        ...row,
        value: typeof row.value === 'string' ? await context.redact(row.value) : row.value,
      }))
      await context.output.list(await Promise.all(withoutSecrets), columns)
    },
  )
