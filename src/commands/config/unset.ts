import type { Context } from '../../context.ts'
import { preferences, unsetPreference } from '../../settings/preferences.ts'
import { command } from '../declare.ts'
import { noticeOverride, preferenceArgument } from './preference.ts'

export const configUnset = (context: Context) =>
  command('unset', 'forget a preference: its default holds again', {
    examples: [
      ['petstore config unset output', 'a table in a terminal and JSON elsewhere again'],
      ['petstore config unset timeout --quiet', 'the same without a notice'],
    ],
  })
    .addArgument(preferenceArgument())
    .action(async (name) => {
      let isForgotten = false
      await context.store.change((state) => {
        const changed = unsetPreference(state, name)
        isForgotten = changed !== undefined
        return changed
      })
      await context.notice('unset', isForgotten ? `${name} is kept no more` : `no ${name} was kept`)
      await noticeOverride(context, preferences[name].variables)
    })
