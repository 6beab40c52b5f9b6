import { resolveKey, resolveUrl } from '../../settings/endpoint.ts'
import { localKey } from '../../settings/local-key.ts'
import { command, define } from '../declare.ts'

export const authToken = () =>
  define(
    command('token', 'print the API key', {
      actsOn: ['environment', 'key'],
      examples: [
        ['petstore auth token', 'print the key, for example for another program'],
        ['petstore auth token --env staging', 'print the key of another environment'],
        ['petstore auth token --env local', 'print the key of petstore serve'],
      ],
    }),
    async (_options, context) => {
      const settings = await context.settings()
      const environment = settings.environmentNamed(settings.value('env'))
      if (environment.name === 'local') {
        const { key, problem } = await localKey(context.store)
        // A key that could not be saved is valid only in this run, so printing it would be useless.
        if (problem !== undefined) throw problem
        return context.output.text(key)
      }
      // A key that no request would use is not printed either.
      const isAnywhere = environment.baseUrl === undefined
      const target = isAnywhere ? undefined : resolveUrl('pets', environment, settings.value('allow-http'))
      await context.output.text(resolveKey(environment, target).key)
    },
  )
