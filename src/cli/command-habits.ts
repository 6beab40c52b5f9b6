import { environmentNames } from '../settings/saved-state.ts'
import { preferenceNames } from '../settings/table.ts'
import { type Habit, mostPets } from './habits.ts'
import { aMessage, aNumber, anId, aStatus, like, oneOfNames } from './typed-words.ts'

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
    'token',
    'auth key',
    'auth print',
    'auth print-token',
    'auth print-access-token',
    'config get api-key',
    'config get key',
    'config get token',
  ],
  '--version': ['version', 'ver'],
  'pets list': ['list', 'ls', 'get pets', 'show pets', 'pets all', 'pets index'],
  'pets get': [
    'get',
    'show',
    'view',
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
    'pets create',
    'pets new',
    'pets insert',
    'pets post',
    // With a file of rows, it is an import.
    'apply',
    'pets apply',
  ],
  'pets import': [
    'import',
    'upload',
    'load',
    'bulk',
    'import pets',
    'pets upload',
    'pets load',
    'pets bulk',
    'pets batch',
    'pets bulk-add',
    'pets bulk-create',
    'pets bulk-import',
    'pets add-many',
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
  'env list': [
    'env ls',
    'env show',
    'env get',
    'env status',
    'env current',
    'config get env',
    'config get-contexts',
    'contexts',
  ],
  'env set': ['env add', 'env create', 'env new', 'config set-context'],
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
  config: ['settings', 'preferences'],
  'config list': ['config show', 'config ls', 'config view', 'config all'],
  serve: ['server', 'server start', 'server run', 'start', 'run', 'mock'],
  doctor: ['check', 'diagnose', 'health', 'ping'],
  commands: ['schema', 'describe'],
  completion: [
    'completions',
    'autocomplete',
    'completion install',
    'completion script',
    'completion show',
    'completion generate',
  ],
  'help agents': ['agents', 'agent', 'skill', 'skills'],
}
/** For the first words of a command line; the first row that fits. */
export const commandHabits: readonly Habit[] = [
  { typed: ['petstore'], becomes: [] },
  { typed: ['pets', 'pet'], value: aStatus, becomes: ['pets', 'list', '--status', '{value}'] },
  { typed: [''], value: like(/^pets?\/(\d+)$/i), becomes: ['pets', 'get', '{value}'] },
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
    typed: [
      ...['search', 'find', 'filter', 'lookup', 'query', 'where'].flatMap(alsoInPets),
      'pets findbystatus',
    ],
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
  // A list cannot be about one pet.
  { typed: ['watch', 'pets watch'], value: anId, becomes: ['pets', 'list', '--help'] },
  { typed: ['watch', 'pets watch'], becomes: ['pets', 'list'], adds: [['--watch']] },
  {
    typed: ['wait', 'pets wait'],
    value: anId,
    becomes: ['pets', 'list'],
    adds: [['--until', 'any(.[]; .id == {value})']],
  },
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
    typed: ['init', 'setup', 'configure'],
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

function alsoInPets(word: string): string[] {
  return [word, `pets ${word}`]
}

/** A path that the service describes and that can be read, also without its slash or in a URL. */
export const describedPath = /^(?:https?:\/\/[\w.:-]+(?=\/))?\/?(?:v1\/)?(pets(?:\/\d+)?)$/i
