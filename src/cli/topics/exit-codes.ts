import { endings } from '../../failure.ts'
import type { Topic } from '../page.ts'

export const exitCodes: Topic = {
  name: 'exit-codes',
  summary: 'how a run can end',
  sections: () => [
    { paragraphs: ['How a run can end, for scripts to go by.'] },
    {
      heading: 'Exit codes',
      entries: endings.map(({ code, name, meaning }) => ({ term: `${code} ${name}`, description: meaning })),
    },
    {
      heading: 'What to do about them',
      paragraphs: [
        'After 6 and 7 nothing was changed at the service: the same command may be run again, later.',
        'After 10 look first: what was asked for may have been done, and doing it again would do it twice.',
        'stderr says what failed and, on a second line, what to run next. With json or ndjson, unless stderr is a terminal, both are fields of one line of JSON, {"error":{"code":"auth","message":"…","exitCode":4}}, with hint, status, serviceCode and retryable where there are such.',
      ],
    },
    {
      heading: 'Examples',
      commands: [
        ['petstore pets get 404 --env local || echo "ended with $?"', 'what a shell sees of it'],
        ["petstore commands | jq -r '.exitCodes[] | [.code, .name] | @tsv'", 'the table for a program'],
      ],
    },
  ],
}
