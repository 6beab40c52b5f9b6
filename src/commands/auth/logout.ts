import { removeAllKeys, removeKey } from '../../settings/saved-state.ts'
import { command, define, option } from '../declare.ts'
import { noticeOverride } from '../saving.ts'

export const authLogout = define(
  command('logout', 'remove a saved API key', {
    prints: 'object',
    actsOn: ['environment'],
    changes: 'machine',
    deletes: true,
    examples: `
      # remove the key of one environment
      petstore auth logout --env staging
      # remove all keys
      petstore auth logout --all
    `
  }).addOption(option('--all', 'remove the keys of all environments').conflicts('env')),
  async ({ all }, context) => {
    const settings = await context.settings()
    const environment = settings.value('env')
    const { before, after } = await context.store.change(state =>
      all ? removeAllKeys(state) : removeKey(state, environment)
    )
    const changed = before !== after
    const of = all ? 'all environments' : `'${environment}'`
    if (changed) await context.report.confirm(`logged out of ${of}`)
    else
      await context.report.notice(
        'not-saved',
        `no API key is saved for ${all ? 'any environment' : of}`
      )
    await context.output.changed({ changed })
    await noticeOverride(context, settings.newEnvironment(environment).apiKey)
  }
)
