import { documentedVariables } from '../../settings/table.ts'
import type { Topic } from '../page.ts'

export const environment: Topic = {
  name: 'environment',
  summary: 'environments, URLs and variables',
  sections: () => [
    {
      paragraphs: [
        'An environment has a base URL for pets, a messages URL and an API key. production, staging and local always exist; petstore env set creates others.',
        'local is the real service inside this program, with a database on this machine. It needs no URL and no API key.',
        'An option overrides a variable, a variable overrides a saved setting, and a saved setting overrides the default. An empty variable counts as unset.',
      ],
    },
    {
      heading: 'Variables',
      entries: documentedVariables().map(({ name, about }) => ({ term: name, description: about })),
    },
    {
      heading: 'Examples',
      commands: [
        ['petstore env list', 'list the environments and their URLs'],
        ['PETSTORE_ENV=local petstore pets list', 'use another environment for one command'],
        ['petstore env use local', 'make it the default environment'],
      ],
    },
  ],
}
