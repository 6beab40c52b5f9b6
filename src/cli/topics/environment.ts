import { documentedVariables } from '../../settings/table.ts'
import type { Topic } from '../page.ts'

export const environment: Topic = {
  name: 'environment',
  summary: 'environments, addresses, and the variables that are read',
  sections: () => [
    {
      paragraphs: [
        'An environment is a pair of addresses, for the animals and for messages, and the key for them. Three come with the program: production, staging and local. petstore env set makes others.',
        'local is the service inside this program, on a database of your own. It needs no address and no key.',
        'Options come first, then variables, then what is kept, then the defaults. A variable that is set to nothing is not set.',
      ],
    },
    {
      heading: 'Variables',
      entries: documentedVariables().map(({ name, about }) => ({ term: name, description: about })),
    },
    {
      heading: 'Examples',
      commands: [
        ['petstore env list', 'the environments, and which is in use'],
        ['PETSTORE_ENV=local petstore pets list', 'another one for one command'],
        ['petstore env use local', 'another one from now on'],
      ],
    },
  ],
}
