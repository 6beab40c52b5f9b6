import { type AnyCommand, notesOf } from '../commands/declare.ts'
import { listLimits, petStatuses } from '../model/pets.ts'
import { environmentNames } from '../settings/saved-state.ts'
import { preferenceNames } from '../settings/table.ts'
import { nearest } from './nearest.ts'

/**
 * Names that people know from other programs, and petstore's names for them. `fixes.ts` repairs a
 * command line with these rows. Facts about one command are in its declaration.
 */
export interface Habit {
  /** Words at the beginning of a command line, or options; in lower case. */
  readonly typed: readonly string[]
  /** Reads the value. The row fits if it gives one. Without it, the row takes no value. */
  readonly value?: ValueReader
  /** The words instead. `{value}` is the value that was read. */
  readonly becomes: readonly string[]
  /** Options to add, unless they were typed or exclude one that was. */
  readonly adds?: readonly (readonly string[])[]
}

/** What the value stands for; undefined if it is not of the kind that a row is about. */
type ValueReader = (word: string, command: AnyCommand) => string | undefined

interface OptionHabit extends Habit {
  /** An option that must be on the command line too. */
  readonly beside?: string
  /** The command instead. */
  readonly command?: string
}

const any = (word: string) => (word === '' ? undefined : word)

/** The first group of a pattern, otherwise the whole word. */
const like = (pattern: RegExp) => (word: string) => {
  const found = pattern.exec(word)
  return found === null ? undefined : (found[1] ?? word)
}

const oneOfNames = (names: readonly string[]) => (word: string) =>
  names.includes(word.toLowerCase()) ? word.toLowerCase() : undefined

const aStatus = oneOfNames(petStatuses)
const aNumber = like(/^\d+$/)
const startOfObject = /^\s*[{[]/
/** JSON that is not a single value. */
export const isObject = (word: string) => startOfObject.test(word)
export const aFileAfterAt = like(/^@(.+)$/s)
const aField = like(/^(?:name|categoryId|status)=[^=]+$/s)
const aFileOfRows = like(/^.+\.(?:csv|tsv|ndjson|jsonl)$/is)

const fieldsOfCommand = (word: string, command: AnyCommand) => {
  const { fields = [] } = notesOf(command)
  const areFields = word.split(',').every((field) => fields.includes(field))
  return areFields ? word : undefined
}

/** A message, unless it may be a misspelled command. */
const aMessage = (word: string) =>
  nearest(word, ['send', ...verbsOfMessages]) === undefined ? word : undefined

const verbsOfMessages = ['list', 'get', 'show', 'read', 'view', 'help', 'create', 'post']

const largestList = String(listLimits.maximum)
const mostPets = ['--limit', largestList]
const untilAny = 'any(.[]; .status == "{value}")'

/** Each command, and words at the beginning of a command line that mean it. */
const meanings: Readonly<Record<string, readonly string[]>> = {
  'auth login': [
    'login',
    'signin',
    'auth signin',
    'auth add',
    'auth set',
    'auth set-key',
    'auth set-token',
    'config set api-key',
    'config set key',
    'config set token',
  ],
  'auth logout': ['logout', 'signout'],
  'auth status': [
    'whoami',
    'status',
    'auth show',
    'auth check',
    'auth list',
    'auth ls',
    'auth whoami',
    'keys',
    'keys list',
  ],
  'auth token': [
    'auth key',
    'auth print',
    'config get api-key',
    'config get key',
    'config get token',
  ],
  '--version': ['version', 'ver'],
  'pets list': ['list', 'ls', 'list pets', 'get pets', 'show pets', 'pets all', 'pets index'],
  'pets get': [
    'get',
    'show',
    'view',
    'get pet',
    'show pet',
    'view pet',
    'info pet',
    'pets show',
    'pets view',
    'pets read',
    'pets fetch',
    'pets retrieve',
    'pets inspect',
    'pets describe',
    'pets info',
  ],
  'pets add': [
    'add',
    'create',
    'new',
    'add pet',
    'create pet',
    'new pet',
    'pets create',
    'pets new',
    'pets insert',
    'pets post',
  ],
  'pets import': [
    'import',
    'upload',
    'apply',
    'import pets',
    'pets upload',
    'pets load',
    'pets bulk',
  ],
  'messages send': [
    'send',
    'send message',
    'message send',
    'msg send',
    'msgs send',
    'messages create',
    'messages post',
    'messages new',
    'messages add',
    'messages write',
    'messages say',
  ],
  env: ['envs', 'environment', 'environments', 'profile', 'profiles'],
  'env list': ['env ls', 'env show', 'env get', 'env status', 'env current'],
  'env set': ['env add', 'env create', 'env new'],
  'env unset': ['env delete', 'env remove', 'env rm'],
  'env use': [
    'use',
    'env switch',
    'env select',
    'env change',
    'env activate',
    'config use-context',
    'config set env',
    'config set environment',
  ],
  config: ['settings', 'preferences', 'configure'],
  'config list': ['config show', 'config ls', 'config view', 'config all'],
  serve: ['server', 'server start', 'server run', 'start', 'run', 'mock'],
  doctor: ['check', 'diagnose', 'health', 'ping'],
  commands: ['schema', 'describe'],
  'help agents': ['agents', 'agent', 'skill', 'skills'],
}
/** For the first words of a command line; the first row that fits. */
export const commandHabits: readonly Habit[] = [
  { typed: ['petstore'], becomes: [] },
  {
    typed: ['pets', 'describe pet', 'describe pets', 'pets search', 'pets find'],
    value: aNumber,
    becomes: ['pets', 'get', '{value}'],
  },
  {
    typed: ['get', 'show', 'view', 'describe', 'pets get'],
    value: like(/^pets?\/(\d+)$/i),
    becomes: ['pets', 'get', '{value}'],
  },
  {
    typed: ['get', 'fetch', 'curl', 'request'],
    value: like(/^\/[\w/.?=&%-]*$/),
    becomes: ['api', 'GET', '{value}'],
  },
  {
    typed: ['pets search', 'pets find', 'pets filter', 'pets findbystatus', 'search', 'find'],
    becomes: ['pets', 'list'],
  },
  {
    typed: ['pets count', 'count'],
    becomes: ['pets', 'list'],
    adds: [mostPets, ['--jq', 'length']],
  },
  {
    typed: ['export', 'dump', 'export pets', 'pets export', 'pets dump'],
    becomes: ['pets', 'list'],
    adds: [mostPets, ['--json']],
  },
  { typed: ['watch', 'pets watch'], becomes: ['pets', 'list'], adds: [['--watch']] },
  { typed: ['wait', 'pets wait'], becomes: ['pets', 'list', '--wait'] },
  { typed: ['message', 'msg', 'msgs'], value: aMessage, becomes: ['messages', 'send', '{value}'] },
  {
    typed: ['env'],
    value: oneOfNames(environmentNames({})),
    becomes: ['env', 'use', '{value}'],
  },
  {
    typed: ['config'],
    value: like(new RegExp(`^(?:${preferenceNames.join('|')})(?:=|$)`)),
    becomes: ['config', 'set', '{value}'],
  },
  {
    typed: ['config set base-url', 'config set messages-url', 'config set url'],
    becomes: ['env', 'set', '--help'],
  },
  {
    typed: ['init', 'setup'],
    becomes: ['auth', 'login'],
    adds: [['--base-url', 'https://HOST/v1']],
  },
  {
    typed: ['openapi'],
    becomes: ['api', 'GET', '/openapi.json'],
    adds: [['--env', 'local']],
  },
  ...Object.entries(meanings).map(([command, typed]) => ({ typed, becomes: command.split(' ') })),
]

/** Options of other programs for a body. */
export const dataOptions = ['--data', '--body', '-d']

const fileOptions = ['-f', '--from-file', '--input']

export const sortOptions = ['--sort', '--sort-by', '--order', '--order-by']

/** A path that the service describes and that can be read, also without its slash or in a URL. */
export const describedPath = /^(?:https?:\/\/[\w.:-]+(?=\/))?\/?(?:v1\/)?(pets(?:\/\d+)?)$/i

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
  needless(dataOptions, like(startOfObject)),
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
    needless(['--filter', '--where'], like(/^\S+$/)),
    needless(['--query'], like(/^(?:name|status|categoryId)=.+/i)),
    { typed: ['--all'], becomes: [], adds: [mostPets] },
    { typed: ['--count', '--total'], value: aNumber, becomes: ['--limit', '{value}'] },
    { typed: ['--count', '--total'], becomes: ['--jq', 'length'], adds: [mostPets] },
    {
      typed: sortOptions,
      value: (word, command) => (word.includes(',') ? undefined : fieldsOfCommand(word, command)),
      becomes: ['--jq', 'sort_by(.{value})'],
      adds: [mostPets],
    },
    { typed: ['--wait'], value: aStatus, becomes: ['--until', untilAny] },
    { typed: ['--wait'], beside: '--status', becomes: ['--until', 'length > 0'] },
    // jq knows no such function, so the program refuses it.
    { typed: ['--wait'], becomes: ['--until', 'EXPRESSION'] },
  ],
  'pets add': [
    renamed(['--name', '-n'], '--name'),
    needless(['-f', ...dataOptions], aField),
    { typed: fileOptions, value: aFileOfRows, becomes: ['{value}'], command: 'pets import' },
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
  'messages send': [needless(['-m', '--message', '--text', '--body'])],
  'auth login': [
    renamed(['--url'], '--base-url'),
    { typed: ['--with-token', '--token-stdin'], becomes: [] },
  ],
  'env set': [renamed(['--url'], '--base-url')],
  api: [
    ...bodyHabits,
    renamed(['--input'], '--file'),
    needless(['-x', '--request', '--method']),
    renamed(['--query', '--param', '--params'], '--field'),
  ],
  completion: [needless(['-s', '--shell'])],
  serve: [renamed(['-p'], '--port')],
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
    ['--max', '--count', '-n', '-l', '--per-page', '--page-size', '--top', '--first'],
    '--limit',
  ),
  renamed(['--interval', '--every'], '--watch'),
  { typed: ['--follow', '-w'], becomes: ['--watch'] },
  renamed(['--state', '-s'], '--status'),
  ...petStatuses.map((status) => ({ typed: [`--${status}`], becomes: ['--status', status] })),
  renamed(['--category', '-c'], '--category-id'),
  { typed: ['--silent'], becomes: ['--quiet'] },
  { typed: ['--debug', '--trace'], becomes: ['--verbose'] },
]

interface ValueHabit {
  readonly option: string
  readonly value: ValueReader
  /** The value instead. */
  readonly becomes: string
}

/** For values that an option refuses. */
export const valueHabits: readonly ValueHabit[] = [
  { option: '--limit', value: like(/^(?:all|max|\d{3,})$/i), becomes: largestList },
  { option: '--until', value: aStatus, becomes: untilAny },
  { option: '--output', value: oneOfNames(['jsonl', 'jsonlines']), becomes: 'ndjson' },
  { option: '--output', value: oneOfNames(['text', 'txt']), becomes: 'table' },
]

/**
 * Options that other programs have for a key. petstore has none, and the value must not be shown.
 */
export const keyOptions = [
  '--api-key',
  '--apikey',
  '--key',
  '--token',
  '--auth',
  '--password',
  '--secret',
  '--bearer',
]
