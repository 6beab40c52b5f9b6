/** What is meant, or why it is not possible; then the usual message would not help. */
type Answer = string | { readonly reason: string; readonly meant?: string }

const aKey = {
  reason: 'no argument and no option takes an API key: petstore auth login asks for it',
  // The login itself would be wrong for the environment local.
  meant: 'petstore auth login --help'
}
const noOperation = { reason: 'the service has no such operation for pets' }
const aName = '(\\p{L}.*)'
const aStatus = '(available|pending|sold)'
const noMessages = { reason: 'the service cannot list messages' }
const toAFile = {
  reason: 'data goes to standard output: write > and the name of the file behind the command'
}
const aUrl = 'a base URL belongs to an environment and its API key'

/**
 * What people and agents type by habit, for each command, and for all below `any`. On the left the
 * words as a regular expression, in which a space ends a word: what begins with a dash may stand
 * anywhere, the rest is first behind the command. On the right what takes their place; `petstore`
 * takes the place of the command too, and `TEXT` stands for all the words as one.
 */
export const habits: Readonly<Record<string, Readonly<Record<string, Answer>>>> = {
  any: {
    '--(?:api[-_]?key|key|token|with-token|password)(?: .+)?': aKey,
    '-(?:-data|-json|d) [{@].*': {
      reason: 'JSON comes from a file, or from standard input with --file -',
      meant: '--file -'
    },
    '-(?:-output|-output-file|-out-file|-out|o) .*\\.(csv|json|ndjson|tsv)': {
      ...toAFile,
      meant: '--output $1'
    },
    '--(?:server|endpoint) .+': { reason: aUrl, meant: 'petstore env set --help' },
    '--(?:environment )?(local|staging|production)': '--env $1',
    '--(csv|tsv|table|ndjson)': '--output $1',
    '--(?:columns?|select|field) (.+)': '--fields $1',
    '--debug': '--verbose',
    '--json (\\w+(?:,\\w+)*)': '--json --fields $1',
    '--category (.+)': '--category-id $1'
  },
  'pets list': {
    '--format (.+)': '--output $1',
    [aStatus]: '--status $1',
    [aName]: '--name $1',
    '([.[].*)': '--jq $1',
    [`-(?:-state |-(?:filter|selector|field-selector) status |l status |s |-)${aStatus}`]:
      '--status $1',
    [`--(?:search|query|filter name) ${aName}`]: '--name $1',
    '-(?:-max|-count|-per-page|l|L|n) (\\d+)': '--limit $1',
    '--(?:sort|sort-by|order-by) (\\w+) --(?:order|direction) desc': '--jq sort_by(.$1)|reverse',
    '--(?:sort|sort-by|order-by) (\\w+)': '--jq sort_by(.$1)',
    '--count': '--jq length',
    '--all|--paginate': '--limit 100',
    '--(?:page|offset|skip).*': { reason: 'the service has no pages: it lists the first 100 pets' }
  },
  pets: {
    'find-?[bB]y-?[sS]tatus(?: --status)? (\\w+)': 'list --status $1',
    'find|search': 'list',
    'export[^]*\\b(csv|json|ndjson|tsv)': { ...toAFile, meant: 'petstore pets list --output $1' },
    export: 'list',
    count: 'list --jq length',
    watch: 'list --watch',
    'describe|retrieve': 'get',
    '(\\d+)': 'get $1',
    'delete|remove|rm|update|edit|patch|set': noOperation
  },
  'pets get': {
    '--format (.+)': '--output $1',
    '--id (\\d+)': '$1',
    [aName]: 'petstore pets list --name $1'
  },
  'pets add': {
    [`${aName} (\\d+)`]: '--name $1 --category-id $2',
    [`${aName}(?= [^]*--category-id)`]: '--name $1',
    '(?:-f |--filename |)(.+\\.json|-)': '--file $1'
  },
  'pets import': {
    '-(?:-file|-input|f) (.+)': '$1',
    '--dry-run|--validate|-n': '--check'
  },
  messages: {
    'list|get': noMessages,
    'create|new|post': 'send'
  },
  'messages send': {
    '[^-].*(?: [^-].*)+': 'TEXT',
    '-(?:-body|-message|-text|m) (.+)': '$1'
  },
  auth: {
    'whoami|list|show': 'status'
  },
  'auth login': {
    '[^-].*': aKey
  },
  login: {
    '[^-].*': aKey
  },
  config: {
    'view|show|ls': 'list',
    'use-context (.+)': 'petstore env use $1'
  },
  'config get': {
    'env(?:ironment)?': 'petstore env list'
  },
  'config set': {
    'env(?:ironment)? (.+)': 'petstore env use $1',
    'base-url (.+)': {
      reason: aUrl,
      meant: 'petstore auth login --base-url $1'
    },
    '(?:api[-_]?[kK]ey|key|token) .+': aKey
  },
  env: {
    'show|current|get': 'list',
    '(?:add|create) (.+)(?= [^]*-url)': 'set $1',
    '(?:add|create) (.+)': 'set $1 --base-url https://HOST/v1',
    'delete|remove|rm': { reason: 'petstore env unset removes an environment' }
  },
  'env set': {
    '--no-read-only': '--read-write',
    '(.+) (?:--url )?(https?:.+)': '$1 --base-url $2'
  },
  api: {
    '((?:[a-zA-Z]+ )?)(pets.*)': '$1/$2',
    '-(?:X|-method) (\\w+)': '$1',
    '(/.*) ([a-zA-Z]+)': '$2 $1'
  },
  '': {
    '(?:get|describe) pets|find': 'pets list',
    '(?:get|list) messages?': noMessages,
    '(?:create|send|post) messages? (.+)': 'messages send $1',
    '(add|create|new)(?: pets?|-pets?)?(?= [^]*(?:--category-id|--file|-f) )': 'pets $1',
    '(list|get|show|view|import|count|export|search|describe|watch)(?! messages?)(?: pets?|-pets?)?':
      'pets $1',
    '(get|post|put|patch|delete) (/.*)': 'api $1 $2',
    '(?:curl|raw|request) (.+)': 'api $1',
    '(?:api-)?keys?[^]*': 'auth status',
    'schema|openapi|spec': 'commands',
    'server(?: start)?|start': 'serve',
    '(?:delete|remove|rm|update|edit|patch) pets?': noOperation,
    'init|setup|configure': 'petstore auth login --help',
    'status|health|ping|check': 'doctor',
    version: '--version',
    'orders?|store': { reason: 'the service has only pets and messages' },
    'update|upgrade': { reason: 'petstore does not update itself: update it as it was installed' }
  }
}
