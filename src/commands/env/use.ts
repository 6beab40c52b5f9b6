import { useEnvironment } from '../../settings/saved-state.ts'
import { command, define } from '../declare.ts'
import { noticeOverride } from '../saving.ts'

export const environmentUse = define(
  command('use', 'choose the default environment', {
    prints: 'object',
    changes: 'machine',
    examples: `
      # use the local service by default
      petstore env use local
      # use production by default
      petstore env use production
    `
  }).argument('<environment>', 'name of the environment'),
  async (_options, context, name) => {
    const { before, after } = await context.store.change(state => useEnvironment(state, name))
    await context.report.confirm(`'${name}' is now the default environment`)
    await context.output.changed({
      environment: name,
      changed: before !== after
    })
    await noticeOverride(context, (await context.settings()).resolve('env'))
  }
)
