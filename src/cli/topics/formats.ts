import { formatNames, formats as outputFormats } from '../../output/formats.ts'
import type { Topic } from '../page.ts'

export const formats: Topic = {
  name: 'formats',
  summary: 'what goes to stdout, and in which form',
  sections: () => [
    {
      paragraphs: [
        'stdout is for data alone. Whatever else there is to say or to ask goes to stderr.',
        'Integers are exact in every format: 9007199254740993 comes out as 9007199254740993.',
      ],
    },
    {
      heading: 'Formats',
      entries: formatNames.map((name) => ({ term: name, description: outputFormats[name].description })),
    },
    {
      heading: 'What of it',
      entries: [
        { term: '--fields id,name', description: 'only these fields, in this order, in every format' },
        {
          term: '--jq EXPR',
          description:
            'what jq makes of the JSON: a string as it is, any other result as JSON on one line; jq itself is inside, and integers that are passed through stay exact. A bad expression is found before anything is sent',
        },
        {
          term: '--int64 string',
          description: 'large integers in quotes, in JSON: for jq before 1.7 and others that round beyond 2^53',
        },
      ],
    },
    {
      paragraphs: [
        'What the service sends cannot make a terminal do anything: a control character is replaced by a sign for it. In a pipe csv is exact.',
      ],
    },
    {
      heading: 'Examples',
      commands: [
        ['petstore pets list --env local --output csv', 'for a spreadsheet'],
        [
          'petstore pets list --env local -o tsv | while IFS=$\'\\t\' read -r id name rest; do echo "$name is $id"; done',
          'for a loop of the shell',
        ],
        [`petstore pets list --env local --jq '.[] | select(.status == "sold") | .name'`, 'the names of what was sold'],
        ['petstore pets list --env local | jq length', 'for jq: in a pipe it is JSON unasked'],
      ],
    },
  ],
}
