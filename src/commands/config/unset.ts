import { withoutPreference } from '../../settings/saved-state.ts'
import { command, define } from '../declare.ts'
import { noticeOverride, preferenceArgument } from './preference.ts'

export const configUnset = () =>
  define(
    command('unset', 'forget a preference: its default holds again', {
      examples: [
        ['petstore config unset output', 'a table in a terminal and JSON elsewhere again'],
        ['petstore config unset timeout --quiet', 'the same without a notice'],
      ],
    }).addArgument(preferenceArgument()),
    async (_options, context, name) => {
      let isRemoved = false
      await context.store.change((state) => {
        const changed = withoutPreference(state, name)
        isRemoved = changed !== undefined
        return changed
      })
      await context.notice('unset', isRemoved ? `${name} is kept no more` : `no ${name} was kept`)
      await noticeOverride(context, name)
    },
  )
