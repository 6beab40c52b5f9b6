import type { Topic } from '../page.ts'

export const imports: Topic = {
  name: 'import',
  summary: 'how to import files, and how to resume an import',
  sections: () => [
    {
      paragraphs: [
        'petstore pets import reads NDJSON (one row per line), a JSON array, or CSV with a header. The fields of a row are name, categoryId and status. An id is dropped, because the service assigns a new one. Any other field makes the row invalid.',
        'A journal on disk records each row before it is sent and after the reply. After Ctrl-C, a crash or a power cut, run the same command again: it resumes where it stopped. Rows that were added are not sent again. Rejected and invalid rows are tried again.',
        'A journal belongs to one input, one URL and one environment; it is refused for any other. A file with changed content is another input: --restart imports all of it. A piped import can be resumed only with --journal. petstore env unset local also sets aside the journals of local imports.',
      ],
    },
    {
      heading: 'Outcomes',
      entries: [
        { term: 'added', description: 'the service added the pet' },
        { term: 'skipped', description: 'an earlier run added it' },
        { term: 'rejected', description: 'the service rejected it; the next run tries it again' },
        { term: 'invalid', description: 'the row is not a pet; the next run tries it again' },
        {
          term: 'doubtful',
          description: 'it was sent, and the outcome is unknown; check, then resend it with --resend-doubtful',
        },
      ],
    },
    {
      heading: 'How an import ends',
      paragraphs: [
        'The exit code is 8 if a row is rejected, invalid or doubtful. A refused API key (4), an unreachable service (6) or a full disk (9) ends the import at once, and it can be resumed. If the service asks for a pause, all requests wait.',
      ],
    },
    {
      heading: 'Examples',
      commands: [
        ['petstore pets import pets.csv --check', 'check every row first; this needs no API key'],
        ['petstore pets import pets.csv --env local --rejects rejects.csv', 'write the rows to correct to a file'],
        ['petstore pets import pets.csv --env local -o ndjson > outcomes.ndjson', 'record the outcome of every row'],
        [
          'cat pets.ndjson | petstore pets import - --env local --journal pets.journal',
          'import from a pipe, with a journal to resume from',
        ],
      ],
    },
  ],
}
