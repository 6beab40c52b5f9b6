import { withPreference } from '../../settings/saved-state.ts'
import { command, define } from '../declare.ts'
import { noticeOverride, preferenceArgument } from '../saving.ts'

export const configUnset = define(
  command('unset', 'remove a saved setting', {
    prints: 'object',
    changes: 'machine',
    deletes: true,
    examples: `
      # go back to the default output format
      petstore config unset output
      # go back to the default time limit, without a notice
      petstore config unset timeout --quiet
    `
  }).addArgument(preferenceArgument),
  async (_options, context, name) => {
    const { before, after } = await context.store.change(state =>
      withPreference(state, name, undefined)
    )
    const changed = before !== after
    if (changed) await context.report.confirm(`removed the saved ${name}`)
    else await context.report.notice('not-saved', `no ${name} is saved`)
    await context.output.changed({ setting: name, value: null, changed })
    await noticeOverride(context, (await context.settings()).resolve(name))
  }
)
