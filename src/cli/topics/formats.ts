import { formatNames, formats as outputFormats } from '../../output/formats.ts'
import type { Topic } from '../page.ts'

export const formats: Topic = {
  name: 'formats',
  summary: 'output formats, and how to choose and filter fields',
  sections: () => [
    {
      paragraphs: [
        'Data goes to stdout, and nothing else does. Prompts, notices, progress and errors go to stderr.',
        'Integers are exact in every format: 9007199254740993 is printed as 9007199254740993.',
      ],
    },
    {
      heading: 'Formats',
      entries: formatNames.map((name) => ({ term: name, description: outputFormats[name].description })),
    },
    {
      heading: 'Filters',
      entries: [
        { term: '--fields id,name', description: 'print only these fields, in this order, in any format' },
        {
          term: '--jq EXPRESSION',
          description:
            'run jq over the JSON. Strings are printed raw, everything else as one line of JSON. jq is built in. The expression is checked before anything is sent',
        },
        {
          term: '--int64 string',
          description:
            'in JSON, print integers beyond 2^53 as strings, for jq before 1.7 and other programs that round',
        },
      ],
    },
    {
      heading: 'In a terminal',
      paragraphs: [
        'Text from the service cannot control the terminal: control characters are replaced by visible symbols. JSON writes them as escapes. In a pipe, csv is exact.',
      ],
    },
    {
      heading: 'Examples',
      commands: [
        ['petstore pets list --env local --output csv', 'print CSV for a spreadsheet'],
        ["petstore pets list --env local -o tsv | awk -F'\\t' '{print $2}'", 'read columns in a shell script'],
        [
          `petstore pets list --env local --jq '.[] | select(.status == "sold") | .name'`,
          'print the names of sold pets',
        ],
        ['petstore pets list --env local | jq length', 'count pets; in a pipe the default is json'],
      ],
    },
  ],
}
