import type { Topic } from './topic.ts'

export const imports: Topic = {
  name: 'import',
  summary: 'how many animals are added, and what happens when that is interrupted',
  sections: () => [
    {
      paragraphs: [
        "Rows have the fields name, categoryId and status; an id is left out, for the service gives out new ones. Each row's fate is on disk before the next is taken for granted, so the same command goes on where it stopped.",
      ],
    },
    {
      heading: 'Outcomes',
      entries: [
        { term: 'added', description: 'the service has it' },
        { term: 'skipped', description: 'an earlier run has added it' },
        { term: 'rejected', description: 'the service refused it; it is tried again on the next run' },
        { term: 'invalid', description: 'it is no animal; it is tried again on the next run' },
        { term: 'doubtful', description: 'it was sent and the outcome is not known; look before it is sent again' },
      ],
    },
  ],
}
