import { endings } from '../failure.ts'
import { formatNames, formats as outputFormats } from '../output/formats.ts'
import { documentedVariables, preferenceNames } from '../settings/table.ts'
import { allOf } from '../settings/value-types.ts'
import { agents } from './agent-skill.ts'
import { optionEntry } from './option-text.ts'
import type { Topic } from './page.ts'
import { ownOptions } from './shared-options.ts'

const options: Topic = {
  name: 'options',
  summary: 'the options that every command takes',
  sections: (program) => [
    {
      paragraphs: [
        'Every command takes these options, before or after its name. An option that has no effect on a command is a usage error, for example --jq with petstore completion.',
        `An option overrides its variable, a variable overrides a saved setting, and a saved setting overrides the default. petstore config set saves ${allOf(preferenceNames)}; petstore env use saves the environment.`,
      ],
    },
    { heading: 'Options', entries: ownOptions(program).map(optionEntry) },
    {
      heading: 'Examples',
      commands: [
        ['petstore --env local pets list --fields id,name', 'options before and after the command'],
        ['petstore config list', 'show every setting with its value and source'],
      ],
    },
  ],
}

const environment: Topic = {
  name: 'environment',
  summary: 'environments, URLs and variables',
  sections: () => [
    {
      paragraphs: [
        'An environment has a base URL for pets, a messages URL and an API key. production, staging and local always exist; petstore env set creates others.',
        'local is the real service, built into this program, with a database on this machine. It needs no URL and no API key.',
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

const exitCodes: Topic = {
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
        'After 6 or 7, the service has changed nothing. Run the same command again later.',
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

const formats: Topic = {
  name: 'formats',
  summary: 'output formats, and how to choose and filter fields',
  sections: () => [
    {
      paragraphs: [
        'Only data goes to stdout. Prompts, notices, progress and errors go to stderr.',
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
            'run jq over the JSON. Strings are printed raw, everything else as one line of JSON. jq is built in, and cannot read files or variables of this machine. The expression is checked before anything is sent',
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

const imports: Topic = {
  name: 'import',
  summary: 'how to import files, and how to resume an import',
  sections: () => [
    {
      paragraphs: [
        'petstore pets import reads NDJSON (one row per line), a JSON array, or CSV with a header. The fields of a row are name, categoryId and status. An id is dropped, because the service assigns a new one. Any other field makes the row invalid.',
        'A journal on disk records each row before it is sent and after the reply. After Ctrl-C, a crash or a power cut, run the same command again: it resumes where it stopped. Rows that were added are not sent again. Rejected and invalid rows are tried again.',
        'A journal belongs to one input, one URL and one environment; it is refused for any other. A file with changed content is another input: --restart imports all of it, even rows that were added before. To correct rows, let --rejects write them to a file, and import that file. A piped import can be resumed only with --journal. petstore env unset local also sets aside the journals of local imports.',
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
        'The exit code is 8 if a row is rejected, invalid or doubtful. A refused API key (4), an unreachable service (6) or a full disk (9) ends the import at once; it can be resumed later. If the service asks for a pause, all requests wait.',
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

const security: Topic = {
  name: 'security',
  summary: 'API keys: their sources, and where they are saved and sent',
  sections: () => [
    {
      paragraphs: [
        'Keys cannot be given as options, so they never show up in the process list or in your shell history. An API key comes from the variable PETSTORE_API_KEY, or from petstore auth login, which prompts for it without showing it or reads it from standard input.',
        'A saved key is in the config file, which only its owner can read. It is sent only to the URLs that it was saved with. Redirects are not followed.',
        'A key never appears on stderr: if a service repeats it, it is masked (unless it has fewer than four characters). petstore auth token prints the key. petstore auth status shows its fingerprint, the first eight digits of its SHA-256.',
        'Plain http is refused unless the host is this machine; PETSTORE_ALLOW_HTTP=1 allows it. A URL with a user name or a password is refused.',
      ],
    },
    {
      heading: 'Examples',
      commands: [
        ['petstore auth login --base-url https://HOST/v1', 'type or paste the key; it is not shown'],
        ['petstore auth login --base-url https://HOST/v1 < key.txt', 'read the key from a file'],
        ['petstore auth status --no-verify', 'show which keys are saved, by fingerprint'],
      ],
    },
  ],
}

/** The pages of help that belong to no single command, in the order of `petstore --help`. */
export const topics: readonly Topic[] = [options, environment, exitCodes, formats, imports, security, agents]
