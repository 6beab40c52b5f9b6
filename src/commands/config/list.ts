import type { Context } from '../../context.ts'
import { describeSetting, shownSettings } from '../../settings/overview.ts'
import { command } from '../declare.ts'

const columns = ['setting', 'value', 'origin', 'from']

export const configList = (context: Context) =>
  command('list', 'all settings as they stand, each with its origin', {
    actsOn: ['settings'],
    fields: columns,
    examples: [
      ['petstore config list', 'what holds now, and because of what'],
      ['petstore config list --env local --json', 'the same of another environment, for a program'],
    ],
  }).action(async () => {
    const settings = await context.settings()
    const rows = await Promise.all(shownSettings.map((name) => describeSetting(settings, name)))
    await context.output.list(rows, columns)
  })
