import { preferenceNames } from '../../settings/table.ts'
import { allOf } from '../../settings/value-types.ts'
import { optionEntry } from '../option-text.ts'
import type { Topic } from '../page.ts'
import { ownOptions } from '../shared-options.ts'

export const options: Topic = {
  name: 'options',
  summary: 'the options that every command takes',
  sections: (program) => [
    {
      paragraphs: [
        'Every command takes these options, before or after its name. An option that has no effect on a command is a usage error, for example --jq with petstore completion.',
        `An option overrides its variable, a variable overrides a saved setting, and a saved setting overrides the default. petstore config set saves ${allOf(preferenceNames)}; petstore env use saves the environment.`,
      ],
    },
    { heading: 'Options', entries: ownOptions(program).map(optionEntry) },
    {
      heading: 'Examples',
      commands: [
        ['petstore --env local pets list --fields id,name', 'options before and after the command'],
        ['petstore config list', 'show every setting with its value and source'],
      ],
    },
  ],
}
