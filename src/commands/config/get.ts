import { command, define } from '../declare.ts'
import { preferenceArgument } from './preference.ts'

export const configGet = define(
  command('get', 'print the value of a setting', {
    prints: 'value',
    examples: `
      # print the time limit for a request
      petstore config get timeout
      # a variable overrides the saved value
      PETSTORE_RETRIES=0 petstore config get retries
    `
  }).addArgument(preferenceArgument),
  (_options, { settings, output }, name) => output.text(settings.value(name))
)
