import { endings } from '../../failure.ts'
import type { Topic } from '../page.ts'

export const exitCodes: Topic = {
  name: 'exit-codes',
  summary: 'what each exit code means, and errors as JSON',
  sections: () => [
    { paragraphs: ['Scripts can rely on the exit code of every command.'] },
    {
      heading: 'Exit codes',
      entries: endings.map(({ code, name, meaning }) => ({ term: `${code} ${name}`, description: meaning })),
    },
    {
      heading: 'What to do next',
      paragraphs: [
        'After 6 or 7, nothing was changed at the service. Run the same command again later.',
        'After 10, check first. The change may have been made, and the same command could make it twice.',
      ],
    },
    {
      heading: 'Errors',
      paragraphs: [
        'An error is one line on stderr. If there is a command that helps, a second line gives it as a hint.',
        'If the output format is json or ndjson and stderr is not a terminal, an error is one line of JSON instead: {"error":{"code":"auth","message":"…","exitCode":4,"hint":"…"}}. The code is the name in the table. status and serviceCode are present if the service replied. retryable is true if the same command can simply be run again.',
      ],
    },
    {
      heading: 'Examples',
      commands: [
        ['petstore pets get 404 --env local || echo "exit code $?"', 'print the exit code'],
        ["petstore commands | jq -r '.exitCodes[] | [.code, .name] | @tsv'", 'print the table for another program'],
      ],
    },
  ],
}
