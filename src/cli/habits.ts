/** What is meant, or why it is not possible; then the usual message would not help. */
type Answer = string | { readonly reason: string; readonly meant?: string }

const noKey = 'no argument and no option takes an API key: petstore auth login asks for it'
const noJson = 'JSON comes from a file, or from standard input with --file -'
const noUrl = 'a base URL belongs to an environment and its API key'
const noOrders = 'the service has only pets and messages'
const aName = '(.*\\p{L}.*)'
const aStatus = '(available|pending|sold)'

/**
 * What people and agents type by habit, for each command, and for all below `any`. On the left the
 * words as a regular expression, in which a space ends a word: what begins with a dash may stand
 * anywhere, the rest is first behind the command. On the right what takes their place; `petstore`
 * takes the place of the command too, and `TEXT` stands for all words behind it.
 */
export const habits: Readonly<Record<string, Readonly<Record<string, Answer>>>> = {
  any: {
    '--(?:api-?key|key|token|with-token|password)(?: .+)?': {
      reason: noKey,
      meant: 'petstore auth login'
    },
    '--category (.+)': '--category-id $1',
    '--format (.+)': '--output $1',
    '--(csv|tsv|table)': '--output $1',
    '--(local|staging|production)': '--env $1'
  },
  'pets list': {
    [aStatus]: '--status $1',
    '([a-zA-Z]+(?:,[a-zA-Z]+)+)': '--fields $1',
    '([.[].*|length)': '--jq $1',
    [aName]: '--name $1',
    '-(?:-max|-top|-count|-first|n|l) (\\d+)': '--limit $1',
    '-(?:-state|s) (.+)': '--status $1',
    '--(?:columns|select) (.+)': '--fields $1',
    '--search (.+)': '--name $1',
    '--count': '--jq length',
    '--all': '--limit 100',
    '--(?:sort|order)(?:-by)? (\\w+) --(?:desc|reverse)': '--jq sort_by(.$1)|reverse',
    '--(?:sort|order)(?:-by)? (\\w+)': '--jq sort_by(.$1)',
    '--filter (status|name) (.+)': '--$1 $2',
    '--(?:page|offset|skip).*': { reason: 'the service has no pages: it lists the first 100 pets' }
  },
  pets: {
    [aStatus]: 'list --status $1',
    '(?:find|search) ([^-].*)': 'list --name $1',
    'find|search|all': 'list',
    count: 'list --jq length',
    'export --format (.+)': 'list --output $1',
    export: 'list --output csv',
    watch: 'list --watch',
    '(?:describe |fetch )?(\\d+)': 'get $1',
    '(?:upload|load) (.+)': 'import $1',
    'delete.*|remove|rm': { reason: 'the service cannot delete pets' },
    'update|edit|patch|set': { reason: 'the service cannot change pets' }
  },
  'pets get': {
    '--id (\\d+)': '$1',
    'id=(\\d+)': '$1',
    [aName]: 'petstore pets list --name $1'
  },
  'pets add': {
    '(.+) (\\d+)': '--name $1 --category-id $2',
    '-f (.+)': '--file $1',
    '(.+\\.json)': '--file $1',
    '\\{.*': { reason: noJson, meant: '--file -' },
    '-(?:-data|d) .+': { reason: noJson, meant: '--file -' },
    '[^-{.]+': { reason: 'a pet needs --name and --category-id' }
  },
  'pets import': {
    '-(?:-file|f) (.+)': '$1',
    '--dry-run|-n': '--check'
  },
  'messages send': {
    '(?![^]* -).+ .+': 'TEXT',
    '-(?:-text|-message|m) (.+)': '$1'
  },
  messages: {
    'list|get': { reason: 'the service cannot list messages' }
  },
  auth: {
    'whoami|list|show': 'status'
  },
  'auth login': {
    '.+': { reason: noKey, meant: 'petstore auth login' }
  },
  login: {
    '.+': { reason: noKey, meant: 'petstore login' }
  },
  config: {
    'show|ls': 'list',
    '(output|timeout|retries|color) (.+)': 'set $1 $2'
  },
  'config set': {
    '(output|timeout|retries|color)=(.+)': '$1 $2',
    'env (.+)': 'petstore env use $1',
    'base-url (.+)': { reason: noUrl, meant: 'petstore auth login --base-url $1' }
  },
  'config get': {
    'base-url|env': { reason: noUrl, meant: 'petstore env list' }
  },
  env: {
    'add (.+) --base-url (.+)': 'set $1 --base-url $2',
    'add (.+)': 'set $1 --base-url https://HOST/v1',
    '(?:switch|select) (.+)': 'use $1',
    'show|current': 'list'
  },
  'env set': {
    '(.+) (https?:.+)': '$1 --base-url $2',
    '--url (.+)': '--base-url $1'
  },
  api: {
    '(pets.*)': '/$1',
    '([a-zA-Z]+) (pets.*)': '$1 /$2',
    '-(?:X|-method) (\\w+) (/.*)': '$1 $2',
    '(/.*) (?:(?:-X|--method) )?([a-zA-Z]+)': '$2 $1',
    '-(?:-data|d) .+': { reason: noJson, meant: '--file -' }
  },
  '': {
    'get (/.*)': 'api GET $1',
    '(list|get|add|import|find|count|export)(?: pets?)?': 'pets $1',
    send: 'messages send',
    'init|setup|configure': 'auth login',
    'start|mock': 'serve',
    'status|health|ping': 'doctor',
    'schema|describe': 'commands',
    version: '--version',
    'agents?|skills?': 'help agents',
    'orders?|store': { reason: noOrders },
    'update|upgrade': { reason: 'petstore does not update itself: update it as it was installed' }
  }
}
