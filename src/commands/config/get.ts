import type { Context } from '../../context.ts'
import { command } from '../declare.ts'
import { preferenceArgument } from './preference.ts'

export const configGet = (context: Context) =>
  command('get', 'print a preference as it is in force', {
    examples: [
      ['petstore config get timeout', 'how many seconds an attempt at a request may take'],
      ['PETSTORE_RETRIES=0 petstore config get retries', 'a variable counts too'],
    ],
  })
    .addArgument(preferenceArgument())
    .action(async (name) => {
      const { value } = (await context.settings())[name]
      await context.output.text(String(value))
    })
