import type { Context } from '../../context.ts'
import { forgetAllKeys, forgetKey } from '../../settings/environments.ts'
import type { KeptState } from '../../settings/state.ts'
import { command, option } from '../declare.ts'

export const authLogout = (context: Context) =>
  command('logout', 'forget a kept key', {
    actsOn: ['environment'],
    examples: [
      ['petstore auth logout --env staging', "forget one environment's key"],
      ['petstore auth logout --all', 'forget all keys'],
    ],
  })
    .addOption(option('--all', 'forget the keys of all environments'))
    .action(async ({ all }) => {
      const { environment } = await context.settings()
      const whose = all ? 'any environment' : `the environment ${environment.value}`
      const forget = (state: KeptState) => (all ? forgetAllKeys(state) : forgetKey(state, environment.value))

      let isForgotten = false
      await context.store.change((state) => {
        const changed = forget(state)
        isForgotten = changed !== undefined
        return changed
      })
      await context.notice(
        'logged-out',
        isForgotten
          ? `the key of ${all ? 'every environment' : environment.value} is forgotten`
          : `no key was kept for ${whose}`,
      )
      if (context.host.env.PETSTORE_API_KEY) {
        await context.notice('overridden', 'PETSTORE_API_KEY is set and still in force')
      }
    })
