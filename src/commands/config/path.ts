import { requireConfigPath } from '../../settings/location.ts'
import { command, define } from '../declare.ts'

export const configFilePath = define(
  command('path', 'print the path of the config file', {
    examples: `
      # print the path; the file need not exist
      petstore config path
      # list everything that is saved
      ls -l "$(dirname "$(petstore config path)")"
    `
  }),
  (_options, { host, output }) => output.text(requireConfigPath(host))
)
