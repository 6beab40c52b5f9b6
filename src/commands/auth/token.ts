import { checkKey } from '../../config/keys.ts'
import type { Context } from '../../context.ts'
import { Failure } from '../../failure.ts'
import { command } from '../declare.ts'

export const authToken = (context: Context) =>
  command('token', 'print the key in force', {
    actsOn: ['environment', 'key'],
    examples: [
      ['petstore auth token', 'the key alone, for another program'],
      ['petstore auth token --env staging', 'the key of another environment'],
    ],
  }).action(async () => {
    const settings = await context.settings()
    const { name, apiKey } = settings.environmentNamed(settings.environment.value)
    if (apiKey === undefined) {
      throw new Failure('auth', `there is no key for the environment ${name}`, {
        hint: name === 'local' ? 'petstore pets list --env local' : `petstore auth login --env ${name}`,
      })
    }
    await context.output.text(checkKey(apiKey.value))
  })
