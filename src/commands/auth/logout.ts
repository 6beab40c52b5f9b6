import { removeAllKeys, removeKey } from '../../settings/environments.ts'
import type { SavedState } from '../../settings/saved-state.ts'
import { command, define, option } from '../declare.ts'

export const authLogout = () =>
  define(
    command('logout', 'forget a kept key', {
      actsOn: ['environment'],
      examples: [
        ['petstore auth logout --env staging', "forget one environment's key"],
        ['petstore auth logout --all', 'forget all keys'],
      ],
    }).addOption(option('--all', 'forget the keys of all environments')),
    async ({ all }, context) => {
      const environment = (await context.settings()).value('env')
      const remove = (state: SavedState) => (all ? removeAllKeys(state) : removeKey(state, environment))

      let isRemoved = false
      await context.store.change((state) => {
        const changed = remove(state)
        isRemoved = changed !== undefined
        return changed
      })
      const whose = all ? 'any environment' : `'${environment}'`
      if (!isRemoved) await context.notice('not-saved', `no API key is saved for ${whose}`)
      else await context.confirm(all ? 'logged out of all environments' : `logged out of '${environment}'`)
      if (context.host.env.PETSTORE_API_KEY) {
        await context.notice('overridden', 'PETSTORE_API_KEY is set and still applies')
      }
    },
  )
