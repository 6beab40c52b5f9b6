import { Failure } from '../../failure.ts'
import type { Context } from '../../session/context.ts'
import { useEnvironment } from '../../settings/saved-state.ts'
import { command, define } from '../declare.ts'

export const environmentUse = define(
  command('use', 'choose the default environment', {
    changes: 'machine',
    examples: `
      # use the local service by default
      petstore env use local
      # use production by default
      petstore env use production
    `
  }).argument('[environment]', 'name of the environment; in a terminal it can be chosen'),
  async (_options, context, typed) => {
    const name = typed ?? (await chooseEnvironment(context))
    await context.store.change(state => useEnvironment(state, name))
    await context.report.confirm(`'${name}' is now the default environment`)
  }
)

async function chooseEnvironment(context: Context) {
  const { settings } = context
  const refusal = new Failure('usage', 'the environment is missing', { hint: 'petstore env list' })
  return context.withPrompts(openPrompt =>
    openPrompt(refusal).choice(
      'Default environment',
      settings.environments().map(({ name }) => name),
      settings.value('env')
    )
  )
}
