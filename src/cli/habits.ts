import { petsSummary } from '../commands/index.ts'

/** What is meant, or why it is not possible; then the usual message would not help. */
type Answer = string | { readonly reason: string; readonly meant?: string }

const aKey = {
  reason: 'no argument and no option takes an API key: petstore auth login asks for it',
  // The login itself would be wrong for the environment local.
  meant: 'petstore auth login --help'
}
const login = {
  '--with-token': {
    reason: 'the API key is read from standard input',
    meant: 'petstore auth login'
  },
  '[^-].*': aKey
}
const aPet = {
  reason: 'a pet needs --name and --category-id',
  meant: 'petstore pets add --help'
}
const aName = '((?!pets?/)\\p{L}.*)'
const aStatus = '(available|pending|sold)'
const toAFile = {
  reason: 'data goes to standard output: write > and the name of the file behind the command',
  meant: '--output $1'
}
const aUrl = {
  reason: 'a base URL belongs to an environment and its API key',
  meant: 'petstore env set --help'
}
const otherJson = '-(?:-data|-json|-body|d) [{].*'
const aBody = { reason: 'JSON comes from a file, or from standard input with --file -' }
/** Simple JSON needs no file. */
const aPetInJson =
  '-(?:-data|-json|-body|d) [{]\\s*"name":\\s*"([^"\\\\]+)",\\s*"categoryId":\\s*(\\d+)\\s*[}]'
const byJq = { reason: 'use --fields name, or --jq with an expression of jq' }
const byName = { reason: '--name finds pets with exactly this name', meant: '--name $1' }

/**
 * What people and agents type by habit, for each command, and for all below `any`. On the left the
 * words as a regular expression, in which a space ends a word: what begins with a dash may stand
 * anywhere, the rest is first behind the command. On the right what takes their place; `petstore`
 * takes the place of the command too, and `TEXT` stands for all the words as one.
 */
export const habits: Readonly<Record<string, Readonly<Record<string, Answer>>>> = {
  any: {
    '--(?:api[-_]?key|key|token|password)(?: .+)?': aKey,
    'help (.+)': '$1 --help',
    help: '--help',
    '-(?:-data @|-json @|d @|-input |-from-file |-cli-input-json file://)(.+(?<!csv|ndjson|jsonl))':
      '--file $1',
    '-(?:-output|-output-file|-out-file|-out|o) .*\\.(csv|json|ndjson|tsv)': toAFile,
    '-(-output|o|-format) jsonl': '-$1 ndjson',
    '-(?:-output|o) (?:text|wide)|--pretty': '--output table',
    '-(?:-output|o) ya?ml': '--output json',
    '-(?:-output|o) (?:name|custom-columns|jsonpath|go-template)[^]*': byJq,
    '--(?:server|endpoint) .+': aUrl,
    '-p (\\d+)': '--port $1',
    '-(?:-id|-body|-message|-text|m|X|-method|-shell) (.+)': '$1',
    '--(?:environment |profile |context )?(local|staging|production)': '--env $1',
    '--(csv|tsv|table|ndjson)': '--output $1',
    '--(?:columns?|select|field) (.+)': '--fields $1',
    '--debug': '--verbose',
    '--json (\\w+(?:,\\w+)*)': '--json --fields $1',
    '--category (.+)': '--category-id $1'
  },
  'pets list': {
    '--(?:page(?!-size)|offset|skip).*': {
      reason: 'the service has no pages: it lists the first 100 pets'
    },
    '--format (.+)': '--output $1',
    [aStatus]: '--status $1',
    '(?:.*\\.)?(csv|json|ndjson|tsv)': toAFile,
    '-(?:-file|f) .*\\.(csv|json|ndjson|tsv)': toAFile,
    [aName]: byName,
    '([.[].*)': '--jq $1',
    [`-(?:-state |-(?:filter|where|selector|field-selector) status |l status |s |-)${aStatus}`]:
      '--status $1',
    [`--(?:search|query|filter name) ${aName}`]: byName,
    [`--status ${aStatus},${aStatus}(?! [^]*--limit)`]: '--jq map(select(.status|IN("$1","$2")))',
    '--(?:query|template|tag|filter|where|selector) .*|-l \\D.*': byJq,
    '--no-headers?': '--output tsv',
    '-(?:-max|-count|-per-page|-page-size|l|L|n) (\\d+)': '--limit $1',
    '--(?:sort|sort-by|order-by) (?:-(\\w+)|(\\w+) --(?:(?:(?:order|direction) )?desc|reverse))|--order desc --sort (\\w+)':
      '--jq sort_by(.$1$2$3)|reverse',
    '--(?:sort|sort-by|order-by) (\\w+)': '--jq sort_by(.$1)',
    '--count': '--jq length',
    '--follow|-w': '--watch',
    '--(?:base-)?url .+': aUrl,
    '--all|--paginate': '--limit 100'
  },
  pets: {
    'find-?[bB]y-?[sS]tatus(?: --status)? (\\w+)': 'list --status $1',
    'find|search|export|download|dump': 'list',
    'upload|load|bulk-?[a-z]+': 'import',
    count: 'list --jq length',
    watch: 'list --watch',
    'describe|retrieve|info|inspect|read': 'get',
    '(\\d+)': 'get $1',
    '(?:update|edit|change|rename|sell|patch|set|delete|remove|rm)(?:-\\w+)?': {
      reason: `petstore can only ${petsSummary}`,
      meant: 'petstore pets --help'
    }
  },
  'pets get': {
    '(\\d+)(?:(?: |,)\\d+)+': { reason: 'it gets one pet at a time', meant: '$1' },
    '--format (.+)': '--output $1',
    [aName]: 'petstore pets list --name $1'
  },
  'pets add': {
    '-(?:f|-file|-from-file|-bulk|-csv) (.+\\.(?:csv|ndjson|jsonl)|.*pets\\.json)':
      'petstore pets import $1',
    '--tags? .+': { ...aPet, reason: 'a pet has only --name, --category-id and --status' },
    [aPetInJson]: '--name $1 --category-id $2',
    [`(?:name )?${aName} (?:categoryId )?(\\d+)`]: '--name $1 --category-id $2',
    [`${aName}(?= [^]*--category-id)`]: '--name $1',
    '(?:-f |--filename |)(.+\\.json|-)': '--file $1',
    [otherJson]: aBody,
    '[{].*': aBody,
    [aName]: aPet
  },
  'pets import': {
    '-(?:-file|-input|f) (.+)': '$1',
    '--dry-run|--validate|-n': '--check'
  },
  messages: {
    'list|get': { reason: 'the service cannot list messages' },
    'create|new|post': 'send'
  },
  'messages send': {
    '--(?:to|from|subject) .+': { reason: 'a message is only a text' },
    '[^-].*(?: [^-].*)+': 'TEXT'
  },
  auth: {
    'whoami|list|show': 'status'
  },
  'auth login': login,
  login,
  config: {
    'view|show|ls': 'list',
    'use-context (.+)': 'petstore env use $1'
  },
  'config set': {
    '(timeout|retries|output|color)=(.+)': '$1 $2',
    '(?:default-)?env(?:ironment)? (.+)': 'petstore env use $1',
    'base-url (.+)': { ...aUrl, meant: 'petstore auth login --base-url $1' },
    '(?:api[-_]?[kK]ey|key|token) .+': aKey
  },
  env: {
    'show|current|get': 'list',
    '(?:switch|select) (.+)': 'use $1',
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
    '(/.*) ([a-zA-Z]+)': '$2 $1',
    [aPetInJson]: '--raw-field name=$1 --field categoryId=$2',
    [otherJson]: aBody,
    '(/.*)(?= [^]*--(?:file|raw-field name .+ --field) )': 'POST $1'
  },
  '': {
    '--(?:base-)?url .+': aUrl,
    '(?:get|describe) pets|find': 'pets list',
    '(?:get|list) messages?': 'messages list',
    '(?:(?:create|post) messages?|send(?: messages?|-message)?) (.+)': 'messages send $1',
    '(?:add|create|new)(?: pets?|-pets?)?(?! [^-]|[^]* -(?:-category-id|-file|f) )': aPet,
    '(list|ls|get|show|view|add|create|new|import|upload|load|count|export|search|describe|watch)(?! messages?)(?: pets?|-pets?)?':
      'pets $1',
    '(update|edit|patch|delete|remove|rm)(?:-pets?| pets?|(?= \\d))': 'pets $1',
    'apply (?:-f|--filename) (.+(?<!pets)\\.json)': 'pets add --file $1',
    'apply (?:-f|--filename) (.+)': 'pets import $1',
    '(?:(?:curl|request) )?((?:(?:get|GET|post|POST|put|patch|delete) )?)(?:/v1)?(/.*)': 'api $1$2',
    '(?:use|switch) (.+)': 'env use $1',
    '(?:environment|profile|context)s?': 'env',
    '(?:agent|skill|docs|schema|openapi|spec)[^]*': 'help agents',
    'server(?: start)?|start|run|mock': 'serve',
    'init|setup|configure': 'petstore auth login --help',
    '(?:server )?(?:status|health|ping|check|info|debug|diagnose)': 'doctor',
    version: '--version',
    'orders?|store|inventory|users?': { reason: 'the service has only pets and messages' },
    '(?:update|upgrade)(?! [^-])': {
      reason: 'petstore does not update itself: update it as it was installed'
    }
  }
}
