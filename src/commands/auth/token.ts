import { command, define } from '../declare.ts'
import { localKey } from '../local-key.ts'

export const authToken = define(
  command('token', 'print the API key', {
    actsOn: ['environment', 'key'],
    examples: `
      # print the key, for example for another program
      petstore auth token
      # print the key of petstore serve
      petstore auth token --env local
    `
  }),
  async (_options, context) => {
    const { settings, output } = context
    const isLocal = settings.value('env') === 'local'
    const key = isLocal ? await localKey(context) : settings.endpoint('pets').key
    await output.text(key ?? '')
  }
)
