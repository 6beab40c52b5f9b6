import type { Topic } from './page.ts'

/** The build writes this page to skills/petstore/SKILL.md. */
export const agents: Topic = {
  name: 'agents',
  summary: 'how an agent uses petstore (a skill in Markdown)',
  frontMatter: {
    name: 'petstore',
    description:
      'Use the petstore command to list, get, add and import the pets of a pet store service, to send it messages, and to run the service locally. For tasks that mention petstore, its pets, its environments or its API keys.',
  },
  sections: () => [
    {
      paragraphs: [
        '`petstore commands` prints every command as JSON: arguments, options with choices and defaults, examples, output fields, whether it changes something, and the exit codes. Read it instead of guessing.',
      ],
      commands: [
        ["petstore commands --jq '.commands[] | select(.changes | not) | .name'", 'the commands that change nothing'],
        [`petstore commands --jq '.commands[] | select(.name == "pets add")'`, 'one command'],
      ],
    },
    {
      heading: 'Try it locally',
      paragraphs: [
        '`--env local` is the real service, built into the program, with sample pets. It needs no API key and no URL, and nothing leaves the machine.',
      ],
      commands: [
        [`petstore pets list --env local --jq '.[] | select(.status == "sold") | .id'`, 'the ids of the sold pets'],
        ['petstore pets add --env local --name Rex --category-id 2', 'add a pet'],
      ],
    },
    {
      heading: 'Output',
      entries: [
        {
          term: 'stdout',
          description:
            'only data; JSON by default in a pipe. Integers have 64 bits and are exact; use `--int64 string` if your JSON reader uses doubles',
        },
        {
          term: 'stderr',
          description:
            'notices and errors, in a pipe one JSON object per line: `{"error":{"code":"auth","message":"…","exitCode":4,"hint":"…"}}`. `hint` is the command to run next; `retryable` is true if the same command can simply be run again. A notice is not an error',
        },
        { term: 'filters', description: 'use `--jq`, `--fields` or `-o tsv`; do not parse a table' },
        { term: '`--dry-run`', description: 'sends nothing; with `--json` it prints the request as one JSON object' },
      ],
    },
    {
      heading: 'Exit codes',
      entries: [
        { term: '0', description: 'done' },
        { term: '6, 7', description: 'the service has changed nothing: try again later, a few times' },
        { term: '10', description: 'the change may have been made: check first, then decide' },
        {
          term: '8',
          description: 'some rows of an import were not added: read their outcomes; the same command resumes',
        },
        { term: '2, 3', description: 'correct the command line or the data; the same command fails again' },
        { term: '4', description: 'ask the user for an API key or for access; do not try other keys' },
        { term: '5', description: 'not found' },
        { term: '9', description: 'a problem on this machine: follow the hint, or ask' },
        { term: '1', description: 'a bug in petstore: tell the user' },
        { term: '130, 143', description: 'interrupted; if the command changes something, check first' },
      ],
    },
    {
      heading: 'API keys',
      paragraphs: [
        'An API key comes from the variable `PETSTORE_API_KEY`, or from the standard input of `petstore auth login`. No option takes a key. Never write a key into a command line, a project file or an answer, and do not run `petstore auth token` unless the user asks for it.',
        'URLs come from `PETSTORE_BASE_URL` and `PETSTORE_MESSAGES_URL`, or from `petstore env set`. `petstore auth status` shows which environments have a key, by fingerprint.',
      ],
    },
    {
      heading: 'Rules',
      entries: [
        { term: 'Never prompt', description: 'pass `--no-input`' },
        {
          term: 'Know the environment',
          description: 'production is the default; run `petstore env list` before you change anything',
        },
        { term: 'Announce changes', description: 'name the environment before a command that adds or sends something' },
      ],
    },
  ],
}
