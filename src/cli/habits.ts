import { type AnyCommand, notesOf } from '../commands/declare.ts'
import { listLimits, petStatuses } from '../model/pets.ts'
import { environmentNames } from '../settings/saved-state.ts'
import { preferenceNames } from '../settings/table.ts'
import { nearest } from './nearest.ts'
import { commandName } from './tree.ts'

/**
 * Names that people know from other programs, and petstore's names for them. `fixes.ts` repairs a
 * command line with these rows. Facts about one command are in its declaration.
 */
export interface Habit {
  /** Words at the beginning of a command line, or options; in lower case. */
  readonly typed: readonly string[]
  /** The commands that an option belongs to; by default all. */
  readonly on?: readonly string[]
  /** An option that must be on the command line too. */
  readonly beside?: string
  /**
   * Reads the value: the next word, or what is glued to the option. The row fits if it gives one.
   * Without it, the row takes no value.
   */
  readonly value?: (word: string, command: AnyCommand) => string | undefined
  /** The words instead. `{value}` is the value that was read. */
  readonly becomes: readonly string[]
  /** Options to add, unless they were typed or exclude one that was. */
  readonly adds?: readonly (readonly string[])[]
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
/** JSON that is not a single value. */
export const isObject = (word: string) => /^\s*[{[]/.test(word)
const anObject = (word: string) => (isObject(word) ? word : undefined)
const aFileAfterAt = like(/^@(.+)$/s)

const fieldsOfCommand = (word: string, command: AnyCommand) =>
  word.split(',').every((field) => notesOf(command).fields?.includes(field)) ? word : undefined

/** A message, unless it may be a misspelled command. */
const aMessage = (word: string) =>
  nearest(word, ['send', ...verbsOfMessages]) === undefined ? word : undefined

const verbsOfMessages = ['list', 'get', 'show', 'read', 'view', 'help', 'create', 'post']

const mostPets = ['--limit', String(listLimits.maximum)]
const untilAny = ['--until', 'any(.[]; .status == "{value}")']
/** jq knows no such function, so the program refuses it. */
const untilPlaceholder = ['--until', 'EXPRESSION']

/** Each command, and words at the beginning of a command line that mean it. */
const meanings: Readonly<Record<string, readonly string[]>> = {
  'auth login': [
    'login',
    'signin',
    'auth signin',
    'auth add',
    'auth set',
    'auth set-key',
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
    'pets show',
    'pets view',
    'pets read',
    'pets fetch',
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
  'pets import': ['import', 'upload', 'import pets', 'pets upload', 'pets load', 'pets bulk'],
  'messages send': [
    'send',
    'msg',
    'send message',
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
    'config set env',
    'config set environment',
  ],
  config: ['settings', 'preferences', 'configure'],
  'config list': ['config show', 'config ls', 'config view', 'config all'],
  serve: ['server', 'start', 'run', 'mock'],
  doctor: ['check', 'diagnose', 'health', 'ping'],
  commands: ['schema', 'describe'],
  'help agents': ['agents', 'agent', 'skill', 'skills'],
}
/** For the first words of a command line; the first row that fits. */
export const commandHabits: readonly Habit[] = [
  { typed: ['petstore'], becomes: [] },
  { typed: ['pets'], value: aNumber, becomes: ['pets', 'get', '{value}'] },
  { typed: ['pets search', 'pets find'], value: aNumber, becomes: ['pets', 'get', '{value}'] },
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
  { typed: ['message'], value: aMessage, becomes: ['messages', 'send', '{value}'] },
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

/** A path that the service describes and that can be read, also without its slash or in a URL. */
export const describedPath = /^(?:https?:\/\/[\w.:-]+\/(?:v1\/)?)?(pets(?:\/\d+)?)$/i

const listsPets = ['pets list']
const addsPets = ['pets add']
const imports = ['pets import']
const sendsRequests = ['api']

/** For options that do not exist where they were typed; the first row that fits. */
export const optionHabits: readonly Habit[] = [
  { on: ['pets get'], typed: ['--id'], value: any, becomes: ['{value}'] },
  {
    on: listsPets,
    typed: ['--filter', '--where', '--search'],
    value: any,
    becomes: ['{value}'],
  },
  {
    on: listsPets,
    typed: ['--query'],
    value: like(/^(?:name|status|categoryId)=.+/i),
    becomes: ['{value}'],
  },
  { on: listsPets, typed: ['--all'], becomes: [], adds: [mostPets] },
  { on: listsPets, typed: ['--count', '--total'], value: aNumber, becomes: ['--limit', '{value}'] },
  {
    on: listsPets,
    typed: ['--count', '--total'],
    becomes: ['--jq', 'length'],
    adds: [mostPets],
  },
  {
    on: listsPets,
    typed: ['--sort', '--sort-by', '--order', '--order-by'],
    value: (word, command) => (word.includes(',') ? undefined : fieldsOfCommand(word, command)),
    becomes: ['--jq', 'sort_by(.{value})'],
    adds: [mostPets],
  },
  { on: listsPets, typed: ['--wait'], value: aStatus, becomes: untilAny },
  { on: listsPets, typed: ['--wait'], beside: '--status', becomes: ['--until', 'length > 0'] },
  { on: listsPets, typed: ['--wait'], becomes: untilPlaceholder },
  { on: addsPets, typed: ['--name', '-n'], value: any, becomes: ['--name', '{value}'] },
  { on: addsPets, typed: ['-c'], value: any, becomes: ['--category-id', '{value}'] },
  {
    on: addsPets,
    typed: ['-f'],
    value: like(/^(?:name|categoryId|status)=.+/s),
    becomes: ['{value}'],
  },
  {
    on: addsPets,
    typed: ['-f', '--from-file', '--input'],
    value: any,
    becomes: ['--file', '{value}'],
  },
  {
    on: [...addsPets, ...sendsRequests],
    typed: dataOptions,
    value: aFileAfterAt,
    becomes: ['--file', '{value}'],
  },
  {
    on: [...addsPets, ...sendsRequests],
    typed: dataOptions,
    value: anObject,
    becomes: ['{value}'],
  },
  { on: imports, typed: ['--file', '--input', '-f', '-i'], value: any, becomes: ['{value}'] },
  {
    on: imports,
    typed: ['--parallel', '--jobs', '--workers', '-j'],
    value: any,
    becomes: ['--concurrency', '{value}'],
  },
  { on: imports, typed: ['--resume', '--continue'], becomes: [] },
  {
    on: ['messages send'],
    typed: ['-m', '--message', '--text', '--body'],
    value: any,
    becomes: ['{value}'],
  },
  {
    on: ['auth login', 'env set'],
    typed: ['--url'],
    value: any,
    becomes: ['--base-url', '{value}'],
  },
  { on: ['auth login'], typed: ['--with-token', '--token-stdin'], becomes: [] },
  { on: sendsRequests, typed: ['-x', '--request', '--method'], value: any, becomes: ['{value}'] },
  {
    on: sendsRequests,
    typed: ['--query', '--param', '--params'],
    value: any,
    becomes: ['--field', '{value}'],
  },
  { on: ['serve'], typed: ['-p'], value: any, becomes: ['--port', '{value}'] },
  {
    typed: ['--format', '--output-format', '--out'],
    value: any,
    becomes: ['--output', '{value}'],
  },
  { typed: ['--csv'], becomes: ['--output', 'csv'] },
  {
    typed: ['--environment', '--profile', '--stage'],
    value: any,
    becomes: ['--env', '{value}'],
  },
  { typed: ['--local'], becomes: ['--env', 'local'] },
  { typed: ['--staging'], becomes: ['--env', 'staging'] },
  { typed: ['--production', '--prod'], becomes: ['--env', 'production'] },
  {
    typed: ['--columns', '--select', '--field'],
    value: fieldsOfCommand,
    becomes: ['--fields', '{value}'],
  },
  {
    typed: ['--max', '--count', '-n', '-l', '--per-page', '--page-size', '--top', '--first'],
    value: any,
    becomes: ['--limit', '{value}'],
  },
  { typed: ['--interval', '--every'], value: any, becomes: ['--watch', '{value}'] },
  { typed: ['--follow', '-w'], becomes: ['--watch'] },
  { typed: ['--state', '-s'], value: any, becomes: ['--status', '{value}'] },
  { typed: ['--category'], value: any, becomes: ['--category-id', '{value}'] },
]

/** For values that an option refuses; in `becomes`, the value of the option. */
export const valueHabits: readonly Habit[] = [
  { typed: ['--limit'], value: like(/^(?:all|max|\d{3,})$/i), becomes: mostPets },
  { typed: ['--until'], value: aStatus, becomes: untilAny },
  {
    typed: ['--output'],
    value: oneOfNames(['jsonl', 'jsonlines']),
    becomes: ['--output', 'ndjson'],
  },
  { typed: ['--output'], value: oneOfNames(['text', 'txt']), becomes: ['--output', 'table'] },
]

const noOperation = 'the service has no such operation'

/** Why a command or an option does not exist that people look for; it has no equivalent either. */
interface Absence {
  readonly reason: string
  readonly typed: readonly string[]
}

export const absences: readonly Absence[] = [
  {
    reason: noOperation,
    typed: [
      ...inGroup('pets', ['update', 'edit', 'change', 'put', 'patch', 'delete', 'remove', 'rm']),
      ...inGroup('pets', ['sell', 'buy', 'adopt', 'return', 'move']),
      ...inGroup('messages', ['list', 'ls', 'get', 'show', 'read', 'view']),
      ...inGroup('messages', ['delete', 'remove', 'rm', 'edit', 'update']),
      ...['delete', 'remove', 'rm', 'edit', 'sell', 'buy', 'adopt', 'return', 'patch', 'move'],
    ],
  },
  {
    reason:
      "the local service does not implement orders; 'petstore api GET /store/orders' asks the service",
    typed: ['orders', 'order', 'store', 'stores'],
  },
  {
    reason: 'how it was installed decides how it is upgraded (docs/install.md)',
    typed: ['update', 'upgrade', 'install', 'self-update'],
  },
  {
    reason: `${noOperation}; it lists at most ${listLimits.maximum} pets`,
    typed: ['--page', '--offset', '--skip', '--cursor'],
  },
  {
    reason: `${noOperation}; --jq 'sort_by(.name)' sorts the pets that it lists`,
    typed: ['--sort', '--sort-by', '--order', '--order-by'],
  },
  {
    reason: 'fields are given with -F, and a body with --file (--file - reads standard input)',
    typed: inGroup('api', dataOptions),
  },
  {
    reason: 'for a single run, set PETSTORE_BASE_URL or PETSTORE_MESSAGES_URL',
    typed: ['--base-url', '--messages-url', '--url'],
  },
]

function inGroup(group: string, words: readonly string[]): string[] {
  return words.map((word) => `${group} ${word}`)
}

/** Why a command or an option does not exist; undefined if nothing is known about it. */
export function reasonAgainst(command: AnyCommand, word: string): string | undefined {
  const typed = word.toLowerCase()
  const path = `${commandName(command)} ${typed}`.trim()
  const own = absences.find((absence) => absence.typed.includes(path))
  if (own !== undefined || !typed.startsWith('-')) return own?.reason
  return absences.find((absence) => absence.typed.includes(typed))?.reason
}

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
