import { command, define } from '../declare.ts'
import { preferenceArgument } from './preference.ts'

export const configGet = () =>
  define(
    command('get', 'print a preference as it is in force', {
      examples: [
        ['petstore config get timeout', 'how many seconds an attempt at a request may take'],
        ['PETSTORE_RETRIES=0 petstore config get retries', 'a variable counts too'],
      ],
    }).addArgument(preferenceArgument()),
    async (_options, context, name) => {
      await context.output.text(String((await context.settings()).value(name)))
    },
  )
