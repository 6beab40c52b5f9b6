import { petStatuses } from '../model/pets.ts'
import { formatNames } from '../output/formats.ts'
import { petColumns } from '../output/view.ts'
import { environmentNames } from '../settings/saved-state.ts'

const status = petStatuses.join('|')
const environments = environmentNames({}).join('|')
const fields = petColumns.names.join('|')
const formats = formatNames.join('|')
const reserved = `all|asc|desc|help|pets?|${status}|${environments}|${fields}|${formats}`
/** Not a word that means something else. */
const name = `(?!(?:${reserved})(?:/|\n))\\p{L}[^"'\\\\=_:<>|()[\\]{}\n]*`
const methods = 'get|head|post|put|patch|delete'

/** What the words in capitals stand for. A digit behind one tells it from another. */
export const kinds: Readonly<Record<string, string>> = {
  TEXT: '.+',
  /** Neither an option nor `@` and a file. */
  WORD: '[^@-].*',
  /** All up to an option. */
  WORDS: '[^@-].*(?:\n[^-].*)*',
  NAME: name,
  /** As most names begin. */
  TITLE: `(?=\\p{Lu})${name}`,
  /** A part of a name. */
  PART: `(?!(?:${reserved})\n)[A-Za-z]\\w*`,
  SMALL: `(?!(?:${reserved})\n)[a-z]\\w*`,
  NUMBER: '\\d+',
  MANY: '(?!100\n)[1-9]\\d{2,}',
  STATUS: status,
  FIELD: fields,
  FIELDS: '\\w+(?:,\\w+)*',
  KEY: '\\w+',
  /** `--json` is an option. */
  LAYOUT: formatNames.filter(name => name !== 'json').join('|'),
  FORMAT: formats,
  ENVIRONMENT: environments,
  VERB: 'list|ls|ps|count|export|search|find|get|show|view|describe|inspect|retrieve|add|create|new|import|upload|load|wait|watch|events|listen|logs|tail',
  PET: 'pets?(?:/\\d+)?|\\d+',
  METHOD: `${methods}|${methods.toUpperCase()}`,
  PATH: '(?:pets|messages).*',
  URL: 'https?:.+',
  /** Of jq, and not of JMESPath, such as `[].name` and `length(@)`. */
  JQ: '(?!\\[[\\]*?]|.*[@&`])(?:[.[]|(?:any|all|map|select|sort_by|group_by|unique_by|min_by|max_by)\\().*|length',
  JSON: '[{[].*',
  /** A file of many pets. */
  ROWS: '.+\\.(?:csv|ndjson|jsonl)|.*pets\\.json',
  FILE: '(?!.*\\.(?:csv|ndjson|jsonl)\n).+',
  DATA: 'csv|json|ndjson|tsv',
  /** The sign stands for an input that no argument names. */
  PIPE: '<'
}

/** Why a line is not possible as it was typed. */
export const reasons: Readonly<Record<string, string>> = {
  again:
    'rows that may be pets of an earlier import are held: --add sends them, --skip counts them',
  batch: 'each row is a request of its own; --concurrency is how many are sent at a time',
  change: 'the service cannot change or delete a pet',
  columns: 'a CSV file begins with the header name,categoryId,status',
  count: '--jq length counts the list',
  errors: 'an import goes on after a wrong row; --rejects writes such rows to a file',
  fields: 'a pet has only --name, --category-id and --status',
  file: 'an import reads one file',
  header: 'of the formats for rows, only tsv has no header',
  input: 'a file is sent from standard input: petstore messages send < FILE',
  jq: 'use --fields name, or --jq with an expression of jq',
  json: 'JSON comes from a file, or from standard input with --file -',
  key: 'no argument and no option takes an API key: petstore auth login asks for it',
  local: "'local' is built in: it needs no URL and no API key",
  login: 'it takes no argument: --env names the environment, and it asks for the API key',
  limit: 'the service lists no more than 100 pets',
  messages: 'the service cannot list messages',
  name: '--name finds pets with exactly this name',
  once: '--idempotency-key adds a pet once, where the service honors it',
  one: 'it gets one pet at a time',
  only: 'the service has only pets and messages',
  pages: 'the service has no pages: it lists the first 100 pets',
  part: '--name finds pets with exactly this name; --jq finds parts of names',
  pet: 'a pet needs --name and --category-id',
  resume: 'the same command goes on where it ended',
  serve: 'petstore serve runs until Ctrl-C: write & behind it',
  several: 'a list is of one status, or of all: --jq chooses from it',
  sort: '--jq sorts JSON, for example sort_by(.name); another program sorts other formats',
  stdin: 'the API key is read from standard input',
  stdout: 'data goes to standard output: write > and the name of the file behind the command',
  tags: 'a pet has no tags or labels',
  text: 'a message is only a text',
  tls: 'NODE_EXTRA_CA_CERTS names a file with certificates to trust',
  unset: 'petstore env unset removes an environment',
  unsetSetting: 'petstore config unset removes a setting',
  update: 'petstore does not update itself: update it as it was installed',
  url: 'a base URL belongs to an environment and its API key',
  wait: 'pets list --until EXPR waits for a jq expression, and --wait SECONDS limits it',
  web: 'pets have no web page; petstore serve has one of the local service',
  yes: '--yes deletes without asking'
}
