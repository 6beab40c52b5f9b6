import { Failure } from '../../failure.ts'
import { removeAllKeys, removeKey } from '../../settings/saved-state.ts'
import { command, define, option } from '../declare.ts'

export const authLogout = define(
  command('logout', 'remove a saved API key', {
    actsOn: ['environment'],
    changes: 'machine',
    destroys: true,
    examples: `
      # remove the key of one environment
      petstore auth logout --env staging
      # remove all keys
      petstore auth logout --all
    `
  }).addOption(option('--all', 'remove the keys of all environments').conflicts('env')),
  async ({ all }, { settings, store, report }) => {
    const environment = settings.value('env')
    if (environment === 'local' && !all)
      throw new Failure('usage', "petstore serve uses the API key of 'local', which stays")
    await store.change(state => (all ? removeAllKeys(state) : removeKey(state, environment)))
    await report.confirm(`logged out of ${all ? 'all environments' : `'${environment}'`}`)
  }
)
