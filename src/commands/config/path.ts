import { requireConfigDirectory } from '../../settings/location.ts'
import { command, define } from '../declare.ts'

export const configFilePath = () =>
  define(
    command('path', 'print where the config file is, or would be', {
      examples: [
        ['petstore config path', 'the file; it need not exist, and it may be broken'],
        ['ls -l "$(dirname "$(petstore config path)")"', 'everything that is kept'],
      ],
    }),
    async (_options, context) => {
      requireConfigDirectory(context.host)
      await context.output.text(context.store.path ?? '')
    },
  )
