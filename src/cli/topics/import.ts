import type { Topic } from '../page.ts'

export const imports: Topic = {
  name: 'import',
  summary: 'how many animals are added, and what happens when that is interrupted',
  sections: () => [
    {
      paragraphs: [
        'A file is NDJSON (a line is a row), a JSON array, or CSV with a header. Of a row, name, categoryId and status are sent. An id is dropped, for the service gives out new ones; a field of any other name is a mistake, and the row is invalid.',
        'A journal on disk is told of each row before it is sent and after. So the same command goes on where it stopped, after Ctrl-C, a crash or a power cut: what was added is not sent again, what was refused is tried again.',
        'A journal belongs to one input, address and environment, and is refused for any other. A file that has changed since is another input: --restart imports all of it. To resume standard input, give --journal: it is then copied to disk first. Where petstore env unset local deletes the local data, it puts the journals of imports into it aside.',
      ],
    },
    {
      heading: 'Outcomes',
      entries: [
        { term: 'added', description: 'the service has it' },
        { term: 'skipped', description: 'an earlier run has added it' },
        { term: 'rejected', description: 'the service refused it; it is tried again on the next run' },
        { term: 'invalid', description: 'it is no animal; it is tried again on the next run' },
        {
          term: 'doubtful',
          description: 'it was sent and the outcome is not known; look for it, then --resend-doubtful sends it again',
        },
      ],
    },
    {
      paragraphs: [
        'It ends with 8 where a row is rejected, invalid or doubtful. A key that is refused (4) or a service that is gone (6) ends it at once, and so does a full disk (9). Where the service asks for a pause, all requests wait together.',
      ],
    },
    {
      heading: 'Examples',
      commands: [
        ['petstore pets import pets.csv --check', 'look at every row first; this needs no key'],
        [
          'petstore pets import pets.csv --env local --rejects rejects.csv',
          'keep what was refused, to mend and import it',
        ],
        [
          'petstore pets import pets.csv --env local --output ndjson > outcomes.ndjson',
          'the outcome of each row, with its line and its id',
        ],
        [
          'petstore pets list --env local -o ndjson | petstore pets import - --env local --journal copy.journal',
          'from another program, and yet to be resumed',
        ],
      ],
    },
  ],
}
