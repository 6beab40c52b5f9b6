import {
  environmentNames,
  removeAllKeys,
  removeKey,
  type SavedState,
  savedEnvironment,
} from '../../settings/saved-state.ts'
import { command, define, option } from '../declare.ts'
import { noticeOverride } from '../saving.ts'

export const authLogout = () =>
  define(
    command('logout', 'remove a saved API key', {
      prints: ['object', 'logout'],
      actsOn: ['environment'],
      changes: 'machine',
      deletes: true,
      examples: [
        ['petstore auth logout --env staging', 'remove the key of one environment'],
        ['petstore auth logout --all', 'remove all keys'],
      ],
    }).addOption(option('--all', 'remove the keys of all environments').conflicts('env')),
    async ({ all }, context) => {
      const settings = await context.settings()
      const environment = settings.value('env')
      const remove = (state: SavedState) =>
        all ? removeAllKeys(state) : removeKey(state, environment)

      const { before, after } = await context.store.change(remove)
      const whose = all ? 'any environment' : `'${environment}'`
      if (before === after)
        await context.report.notice('not-saved', `no API key is saved for ${whose}`)
      else
        await context.report.confirm(
          all ? 'logged out of all environments' : `logged out of '${environment}'`,
        )
      const hadKey = environmentNames(before).filter(
        (name) => savedEnvironment(before, name).apiKey !== undefined,
      )
      const environments = hadKey.filter(
        (name) => savedEnvironment(after, name).apiKey === undefined,
      )
      await context.output.changed({ changed: before !== after, environments })
      await noticeOverride(context, settings.newEnvironment(environment).apiKey)
    },
  )
