import { command, define } from '../declare.ts'
import { preferenceArgument } from '../saving.ts'

export const configGet = define(
  command('get', 'print the value of a setting', {
    prints: ['value', 'settingValue'],
    examples: [
      ['petstore config get timeout', 'print the time limit for a request'],
      ['PETSTORE_RETRIES=0 petstore config get retries', 'a variable overrides the saved value'],
    ],
  }).addArgument(preferenceArgument),
  async (_options, context, name) => {
    await context.output.text((await context.settings()).value(name))
  },
)
