import type { Context } from '../../context.ts'
import { Failure } from '../../failure.ts'
import { type Preferences, preferences, setPreference } from '../../settings/preferences.ts'
import { argument, command } from '../declare.ts'
import { noticeOverride, preferenceArgument } from './preference.ts'

export const configSet = (context: Context) =>
  command('set', 'keep a preference', {
    examples: [
      ['petstore config set output table', 'tables, also in a pipe'],
      ['petstore config set timeout 2.5', 'give up an attempt at a request sooner'],
    ],
  })
    .addArgument(preferenceArgument())
    .addArgument(argument('<value>', 'what it is from now on'))
    .action(async (name, text) => {
      await keep(context, name, text)
      await context.notice('set', `${name} is ${text} from now on`)
      await noticeOverride(context, preferences[name].variables)
    })

async function keep<Name extends keyof Preferences>(context: Context, name: Name, text: string): Promise<void> {
  const { expected, read } = preferences[name]
  const value = read(text)
  if (value === undefined) {
    throw new Failure('usage', `${name} must be ${expected}`, { hint: 'petstore config set --help' })
  }
  await context.store.change((state) => setPreference(state, name, value))
}
