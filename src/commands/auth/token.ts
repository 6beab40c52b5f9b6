import { resolveKey } from '../../settings/environment.ts'
import { variableOf } from '../../settings/setting-row.ts'
import { command, define } from '../declare.ts'
import { localKey } from '../local-key.ts'

export const authToken = define(
  command('token', 'print the API key', {
    actsOn: ['environment', 'key'],
    examples: `
      # print the key, for example for another program
      petstore auth token
      # print the key of another environment
      petstore auth token --env staging
      # print the key of petstore serve
      petstore auth token --env local
    `
  }),
  async (_options, context) => {
    const settings = await context.settings()
    const environment = settings.environmentNamed()
    if (environment.name === 'local') return context.output.text(await localKey(context.store))
    const { baseUrl } = environment
    const target = baseUrl && { url: baseUrl.value, urlVariable: variableOf(baseUrl.origin) }
    await context.output.text(resolveKey(environment, target).key)
  }
)
