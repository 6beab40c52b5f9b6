import { petStatuses } from '../model/pets.ts'
import { formatNames } from '../output/formats.ts'
import { petColumns } from '../output/view.ts'
import { environmentNames } from '../settings/saved-state.ts'
import { preferenceNames } from '../settings/table.ts'

const status = petStatuses.join('|')
const environments = environmentNames({}).join('|')
const imports = 'import|upload|load|bulk-add|bulk-create|bulk-import'
const waits = 'wait|watch|events|listen|logs|tail'
const methods = 'get|head|post|put|patch|delete'

/** What the words in capitals of `habits.ts` stand for. A digit behind one tells it from another. */
const kinds: Readonly<Record<string, string>> = {
  TEXT: '.+',
  WORD: '[^-].*',
  /** All up to an option. */
  WORDS: '[^-].*(?:\n[^-].*)*',
  /** A message, and no command with a typing mistake. */
  SAID: '(?:\\p{Lu}|\\S+ ).*(?:\n[^-].*)*',
  /** Not a word that means something else. */
  NAME: `(?!(?:all|asc|desc|pets?|${status}|${environments})(?:/|\n))\\p{L}[^"'\\\\=_:<>|()[\\]{}\n]*`,
  NUMBER: '\\d+',
  MANY: '(?!100\n)[1-9]\\d{2,}',
  STATUS: status,
  STATUSES: `(?:${status})(?:,(?:${status}))+`,
  FIELD: petColumns.names.join('|'),
  FIELDS: '\\w+(?:,\\w+)*',
  KEY: '\\w+',
  /** `--json` is an option. */
  LAYOUT: formatNames.filter(name => name !== 'json').join('|'),
  FORMAT: formatNames.join('|'),
  SETTING: preferenceNames.join('|'),
  ENVIRONMENT: environments,
  /** It has an API key. */
  REMOTE: environments.replace('|local', ''),
  OPTION: '[a-z-]+',
  VERB: `list|ls|ps|count|export|search|find|exists|get|show|view|describe|inspect|retrieve|${imports}|${waits}`,
  PET: 'pets?(?:/\\d+)?|\\d+',
  METHOD: `${methods}|${methods.toUpperCase()}`,
  PATH: '(?:pets|messages).*',
  URL: 'https?:.+',
  /** Of jq, and not of JMESPath, such as `[].name`. */
  JQ: '(?!\\[[\\]*?])[.[].*|[a-z_]+\\(.*',
  JSON: '[{[].*',
  /** A file of many pets. */
  ROWS: '.+\\.(?:csv|ndjson|jsonl)|.*pets\\.json',
  FILE: '(?!.*\\.(?:csv|ndjson|jsonl)\n).+',
  JSONFILE: '.+\\.json|-',
  DATA: 'csv|json|ndjson|tsv',
  /** The sign stands for an input that no argument names. */
  PIPE: '<'
}

/** What the kinds of a row are in a line. */
export type Values = Readonly<Record<string, string>>

const kindName = /[A-Z]{2,}\d?/g

/** An option and its value, or words behind the command, in a line of one word a line. */
export function patternOf(typed: string): RegExp {
  const words = typed.split(' ').map(patternOfWord)
  const start = typed.startsWith('-') ? '' : '\0'
  return new RegExp(`\n${start}${words.join('[\n=]\0?')}(?=\n)`, 'u')
}

/** Of the signs of regular expressions, a row has `|`, and `?` for what may be missing. */
function patternOfWord(word: string) {
  const literal = word.replace(/[$()*+.[\\\]^{}]/g, '\\$&')
  // JSON may have spaces.
  const spaced = word.startsWith('{') ? literal.replace(/(?<=[{:,])|(?=\\})/g, '\\s*') : literal
  const source = spaced.replace(kindName, name => {
    const kind = kinds[name.replace(/\d$/, '')]
    return kind === undefined ? name : `(?<${name}>${kind})`
  })
  return `(?:${source})`
}

/** Several words that are meant as one are joined by spaces. */
export function filledIn(word: string, values: Values): string {
  return word.replace(kindName, name => values[name]?.replaceAll('\n', ' ') ?? name)
}
