import { useEnvironment } from '../../settings/environments.ts'
import { argument, command, define } from '../declare.ts'

export const environmentUse = () =>
  define(
    command('use', 'choose the environment to work on', {
      examples: [
        ['petstore env use local', 'work on the local service from now on'],
        ['petstore env use production', 'and back'],
      ],
    }).addArgument(argument('<environment>', 'its name')),
    async (_options, context, name) => {
      await context.store.change((state) => useEnvironment(state, name))
      await context.confirm(`'${name}' is the default environment now`)
      if (context.host.env.PETSTORE_ENV) {
        await context.notice('overridden', 'PETSTORE_ENV is set and overrides the default environment')
      }
    },
  )
