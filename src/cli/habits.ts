/** What is meant, or why it is not possible; then the usual message would not help. */
type Answer = string | { readonly reason: string; readonly meant?: string }

const noKey = 'no argument and no option takes an API key: petstore auth login asks for it'
const noJson = 'JSON comes from a file, or from standard input with --file -'
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
    '--(?:api-?key|token|password)(?: .+)?': { reason: noKey, meant: 'petstore auth login' },
    '--category (.+)': '--category-id $1',
    '--format (.+)': '--output $1',
    '--(local|staging|production)': '--env $1'
  },
  'pets list': {
    [aStatus]: '--status $1',
    '([a-zA-Z]+(?:,[a-zA-Z]+)+)': '--fields $1',
    '([.[].*|length)': '--jq $1',
    [aName]: '--name $1',
    '--count': '--jq length',
    '--all': '--limit 100',
    '--sort(?:-by)? (\\w+)': '--jq sort_by(.$1)',
    '--filter (status|name) (.+)': '--$1 $2',
    '--(?:page|offset).*': { reason: 'the service has no pages: it lists the first 100 pets' }
  },
  pets: {
    '(?:find|search) (.+)': 'list --name $1',
    [aStatus]: 'list --status $1',
    count: 'list --jq length',
    export: 'list --output csv',
    watch: 'list --watch',
    'delete|remove|rm': { reason: 'the service cannot delete pets' },
    'update|edit|patch': { reason: 'the service cannot change pets' }
  },
  'pets get': {
    [aName]: 'petstore pets list --name $1'
  },
  'pets add': {
    '(.+) (\\d+)': '--name $1 --category-id $2',
    '-(?:-data|d) .+': { reason: noJson, meant: '--file -' }
  },
  'pets import': {
    '-(?:-file|f) (.+)': '$1',
    '--dry-run': '--check'
  },
  'messages send': {
    '(?![^]* -).+ .+': 'TEXT'
  },
  messages: {
    'list|get': { reason: 'the service cannot list messages' }
  },
  'auth login': {
    '.+': { reason: noKey, meant: 'petstore auth login' }
  },
  login: {
    '.+': { reason: noKey, meant: 'petstore login' }
  },
  'config set': {
    'env (.+)': 'petstore env use $1',
    'base-url (.+)': {
      reason: 'a base URL belongs to an environment and its API key',
      meant: 'petstore auth login --base-url $1'
    }
  },
  env: {
    'add (.+) --base-url (.+)': 'set $1 --base-url $2',
    'add (.+)': 'set $1 --base-url https://HOST/v1'
  },
  api: {
    '(pets.*)': '/$1',
    '([a-zA-Z]+) (pets.*)': '$1 /$2',
    '-(?:-data|d) .+': { reason: noJson, meant: '--file -' }
  },
  '': {
    '(list|get|add|import|find|count|export)': 'pets $1',
    send: 'messages send',
    'init|setup': 'auth login',
    version: '--version',
    'agents?': 'help agents',
    'orders?|store': { reason: noOrders },
    'update|upgrade': { reason: 'petstore does not update itself: update it as it was installed' }
  }
}
