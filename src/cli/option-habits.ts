import { listLimits, petStatuses } from '../model/pets.ts'
import { type Habit, mostPets } from './habits.ts'
import {
  aDescendingField,
  aField,
  aFileAfterAt,
  aFileElsewhere,
  aFileOfRows,
  aNumber,
  anObject,
  any,
  aStatus,
  asShare,
  fieldsOfCommand,
  inMilliseconds,
  inSeconds,
  like,
  oneField,
  oneOfNames,
  type ValueReader,
} from './typed-words.ts'

export interface OptionHabit extends Habit {
  /** An option that must be on the command line too. */
  readonly beside?: string
  /** The command instead. */
  readonly command?: string
}

const untilAny = 'any(.[]; .status == "{value}")'

/** Options of other programs for a body. */
export const dataOptions = ['--data', '--body', '-d', '--payload', '--pet', '--json-body']

/** Options of other programs for a base URL. */
const urlOptions = ['--url', '--server', '--endpoint', '--host', '--api-url']

const fileOptions = ['-f', '--from-file', '--input']

export const sortOptions = ['--sort', '--sort-by', '--order', '--order-by']

/** An option that has another name here. */
function renamed(typed: readonly string[], option: string): OptionHabit {
  return { typed, value: any, becomes: [option, '{value}'] }
}

/** An option whose value needs no option here. */
function needless(typed: readonly string[], value: ValueReader = any): OptionHabit {
  return { typed, value, becomes: ['{value}'] }
}

/** On commands with a body. */
const bodyHabits: readonly OptionHabit[] = [
  { typed: dataOptions, value: aFileAfterAt, becomes: ['--file', '{value}'] },
  needless(dataOptions, anObject),
]

/** For options that a command does not have; the first row that fits. */
export const optionHabits: Readonly<Record<string, readonly OptionHabit[]>> = {
  'pets get': [
    needless(['--id']),
    { typed: ['--name', '-n'], value: any, becomes: ['--name', '{value}'], command: 'pets list' },
  ],
  'pets list': [
    { typed: ['--id'], value: aNumber, becomes: ['{value}'], command: 'pets get' },
    needless(['--search']),
    needless(['--filter', '--where', '--selector', '--field-selector'], like(/^\S+$/)),
    needless(['--query'], like(/^(?:name|status|categoryId)=.+/i)),
    { typed: ['--all'], becomes: [], adds: [mostPets] },
    { typed: ['--count', '--total'], value: aNumber, becomes: ['--limit', '{value}'] },
    { typed: ['--count', '--total'], becomes: ['--jq', 'length'], adds: [mostPets] },
    {
      typed: sortOptions,
      value: aDescendingField,
      becomes: ['--jq', 'sort_by(.{value}) | reverse'],
      adds: [mostPets],
    },
    {
      typed: sortOptions,
      value: oneField,
      becomes: ['--jq', 'sort_by(.{value})'],
      adds: [mostPets],
    },
    { typed: ['--wait'], beside: '--until', becomes: [] },
    { typed: ['--wait'], value: aStatus, becomes: ['--until', untilAny] },
    { typed: ['--wait'], beside: '--status', becomes: ['--until', 'length > 0'] },
    // jq knows no such function, so the program refuses it.
    { typed: ['--wait'], becomes: ['--until', 'EXPRESSION'] },
  ],
  'pets add': [
    renamed(['--name', '-n'], '--name'),
    needless(['-f', ...dataOptions], aField),
    {
      typed: [...fileOptions, '--csv', '--from-csv', '--ndjson'],
      value: aFileOfRows,
      becomes: ['{value}'],
      command: 'pets import',
    },
    { typed: fileOptions, value: like(/^[^=]+$/), becomes: ['--file', '{value}'] },
    ...bodyHabits,
  ],
  'pets import': [
    needless(['--file', '--input', '--from', '-f', '-i']),
    { typed: ['--csv'], becomes: ['--format', 'csv'] },
    { typed: ['--validate', '--dry'], becomes: ['--check'] },
    renamed(['--parallel', '--jobs', '--workers', '-j'], '--concurrency'),
    { typed: ['--resume', '--continue'], becomes: [] },
  ],
  'messages send': [needless(['-m', '--message', '--text', '--body', '--content'])],
  'auth token': [{ typed: ['--show', '--raw', '--plain', '--reveal'], becomes: [] }],
  'auth login': [
    renamed(urlOptions, '--base-url'),
    { typed: ['--with-token', '--token-stdin'], becomes: [] },
  ],
  'env set': [renamed(urlOptions, '--base-url')],
  api: [
    ...bodyHabits,
    renamed(['--input'], '--file'),
    needless(['-x', '--request', '--method']),
    renamed(['--query', '--param', '--params'], '--field'),
  ],
  completion: [needless(['-s', '--shell'])],
  serve: [
    renamed(['-p'], '--port'),
    renamed(['--fail-rate', '--error-rate', '--failure-rate'], '--fail'),
    renamed(['--delay', '--slow'], '--latency'),
  ],
}

/** The same for every command, after its own rows. */
export const sharedOptionHabits: readonly OptionHabit[] = [
  renamed(['--format', '--output-format', '--out'], '--output'),
  { typed: ['--csv'], becomes: ['--output', 'csv'] },
  renamed(['--environment', '--profile', '--stage'], '--env'),
  { typed: ['--local'], becomes: ['--env', 'local'] },
  { typed: ['--staging'], becomes: ['--env', 'staging'] },
  { typed: ['--production', '--prod'], becomes: ['--env', 'production'] },
  {
    typed: ['--columns', '--select', '--field'],
    value: fieldsOfCommand,
    becomes: ['--fields', '{value}'],
  },
  renamed(
    [
      '--max',
      '--count',
      '-n',
      '-l',
      '--per-page',
      '--page-size',
      '--max-items',
      '--top',
      '--first',
    ],
    '--limit',
  ),
  renamed(['--interval', '--every'], '--watch'),
  renamed(['--retry', '--max-retries', '--retry-count', '--attempts'], '--retries'),
  { typed: ['--follow', '-w'], becomes: ['--watch'] },
  renamed(['--state', '-s'], '--status'),
  ...petStatuses.map((status) => ({ typed: [`--${status}`], becomes: ['--status', status] })),
  renamed(['--category', '-c'], '--category-id'),
  {
    typed: ['--no-header', '--no-headers', '--noheader', '--noheaders'],
    becomes: ['--output', 'tsv'],
  },
  { typed: ['--silent'], becomes: ['--quiet'] },
  { typed: ['--debug', '--trace'], becomes: ['--verbose'] },
]

interface ValueHabit {
  /** The name of the option, or of the argument. */
  readonly option: string
  readonly value: ValueReader
  /** The value instead. */
  readonly becomes: string
}

/** For values that an option refuses. */
export const valueHabits: readonly ValueHabit[] = [
  { option: '--limit', value: like(/^(?:all|max|\d{3,})$/i), becomes: String(listLimits.maximum) },
  { option: '--until', value: aStatus, becomes: untilAny },
  { option: '--until', value: like(/^status=+"?(\w+)"?$/), becomes: untilAny },
  { option: '--output', value: oneOfNames(['jsonl', 'jsonlines']), becomes: 'ndjson' },
  { option: '--output', value: oneOfNames(['text', 'txt']), becomes: 'table' },
  { option: '--timeout', value: inSeconds, becomes: '{value}' },
  { option: '--watch', value: inSeconds, becomes: '{value}' },
  { option: '--latency', value: inMilliseconds, becomes: '{value}' },
  { option: '--fail', value: asShare, becomes: '{value}' },
  { option: '--file', value: aFileElsewhere, becomes: '{value}' },
  { option: 'file', value: aFileElsewhere, becomes: '{value}' },
]
