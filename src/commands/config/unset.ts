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
      if (isRemoved) await context.confirm(`removed the saved ${name}`)
      else await context.notice('not-saved', `no ${name} is saved`)
      await noticeOverride(context, name)
    },
  )
