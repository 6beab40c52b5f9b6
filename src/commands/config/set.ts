import type { Context } from '../../context.ts'
import { Failure } from '../../failure.ts'
import { withPreference } from '../../settings/saved-state.ts'
import { type Preferences, settingTable } from '../../settings/table.ts'
import { argument, command, define } from '../declare.ts'
import { noticeOverride, preferenceArgument } from './preference.ts'

export const configSet = () =>
  define(
    command('set', 'keep a preference', {
      examples: [
        ['petstore config set output table', 'tables, also in a pipe'],
        ['petstore config set timeout 2.5', 'give up an attempt at a request sooner'],
      ],
    })
      .addArgument(preferenceArgument())
      .addArgument(argument('<value>', 'what it is from now on')),
    async (_options, context, name, text) => {
      await save(context, name, text)
      await context.confirm(`${name} set to ${text}${name === 'timeout' ? ' seconds' : ''}`)
      await noticeOverride(context, name)
    },
  )

async function save<Name extends keyof Preferences>(context: Context, name: Name, text: string): Promise<void> {
  const { expected, read } = settingTable[name].type
  const value = read(text)
  if (value === undefined) {
    throw new Failure('usage', `${name} must be ${expected}`, { hint: 'petstore config set --help' })
  }
  await context.store.change((state) => withPreference(state, name, value))
}
