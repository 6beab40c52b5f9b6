/**
 * What people and agents type by habit, below the command, `any` or `petstore` alone: what is typed →
 * what is meant, and a reason of those below.
 *
 * An option with its value is found anywhere in the line, all else first behind the command. What is
 * meant takes its place; with `petstore`, that of the command too. `a|b` are words that mean one
 * thing, `?` follows a letter that may be missing, and words in capitals are kinds (`kinds.ts`):
 * NUMBER2 is another number, NOTHING no word, and PIPE an input that is not named. The first row that
 * leads to a line without an error is right.
 */
export const habits = `
any
  --api-?key|--api_key|--key|--token|--password|--user|-u TEXT → petstore auth login --help #key
  --api-?key|--key|--token|--password → petstore auth login --help #key
  help WORD → WORD --help
  help → --help
  --help-all → --help
  --OPTION=true → --OPTION
  --dry-run client|server → --dry-run
  --data-binary|--data|--json|-d @FILE → --file FILE
  --cli-input-json file://FILE → --file FILE
  --input|--from-file FILE → --file FILE
  --format FORMAT --output|-o TEXT.DATA → --output FORMAT #stdout
  --output-file|--output|--out|-o TEXT.DATA → --output DATA #stdout
  --output|-o jsonl → --output ndjson
  --format jsonl → --format ndjson
  --output|-o text|wide --watch|--follow|-w → --watch
  --output|-o text|wide → --output table
  --output|-o ya?ml → --output json
  --output|-o custom-columns|jsonpath|go-template TEXT #jq
  --output|-o name #jq
  --LAYOUT → --output LAYOUT
  --jq TEXT -r|-c|--raw|--raw-output|--compact-output → --jq TEXT
  --pretty → NOTHING
  --raw → --output json
  --json FIELDS --jq|-q JQ → --jq JQ
  --json FIELDS → --json --fields FIELDS
  --columns|--select|--field FIELDS → --fields FIELDS
  --query|-q JQ → --jq JQ #jq
  --compact-output|--compact|-c → --jq .
  --server|--endpoint|--endpoint-url TEXT → petstore env set --help #url
  -p NUMBER → --port NUMBER
  -p NUMBER:NUMBER2 → --port NUMBER
  --id|--body|--message|--text|--shell|--method|--request|-X|-m TEXT → TEXT
  --environment|--profile|--context|-n ENVIRONMENT → --env ENVIRONMENT
  --ENVIRONMENT → --env ENVIRONMENT
  --timeout NUMBERs → --timeout NUMBER
  --watch NUMBERs → --watch NUMBER
  --max-retries|--retry NUMBER → --retries NUMBER
  --insecure|-k → petstore help environment #tls
  --web #web
  --debug|--trace → --verbose
  --silent|-s → --quiet
  --category NUMBER → --category-id NUMBER
  --category WORD #category
  --STATUS → --status STATUS
pets list
  --limit MANY → --limit 100 #limit
  --max-items|--max-results|--max|--count|--first|--per-page|--page-size|-l|-L|-n NUMBER → --limit NUMBER
  --all|--paginate|--all-namespaces|-A|-a → --complete #pages
  all → --complete #pages
  --page|--offset|--skip|--after|--cursor|--next-token|--starting-after|--starting-token TEXT #pages
  --page #pages
  --id NUMBER → petstore pets get NUMBER
  --url|--base-url TEXT → petstore env set --help #url
  --format|-f FORMAT → --output FORMAT
  --no-headers? --output|-o csv|tsv|table|text|wide → --output tsv #header
  --no-headers? --watch|--follow|-w → --watch
  --no-headers? → --output tsv #header
  DATA → --output DATA #stdout
  TEXT.DATA → --output DATA #stdout
  --file|-f TEXT.DATA → --output DATA #stdout
  STATUS pets? → --status STATUS
  STATUS STATUS2 → --jq map(select(IN(.status;{STATUS,STATUS2}|keys[])))
  STATUS --status STATUS2 → --jq map(select(IN(.status;{STATUS,STATUS2}|keys[])))
  --status STATUSES --limit NUMBER → --jq map(select(IN(.status;{STATUSES}|keys[])))|.[:NUMBER]
  --status STATUSES → --jq map(select(IN(.status;{STATUSES}|keys[])))
  --status !STATUS → --jq map(select(IN(.status;{STATUS}|keys[])|not))
  --not-status|--exclude-status STATUS → --jq map(select(IN(.status;{STATUS}|keys[])|not))
  STATUS → --status STATUS
  --state|--status all|any → NOTHING
  --state STATUS → --status STATUS
  --filter|--where|--selector|--field-selector|--search|--query|-l|-S status=?=STATUS → --status STATUS
  --filter|--where|--search|--query|-S status:'?STATUS'? → --status STATUS
  --filters? Name=status,Values=STATUS → --status STATUS
  --filter|--where category|categoryId NUMBER → --category-id NUMBER
  --filter|--where|--selector|--field-selector|-l name=NAME → --name NAME #name
  --filter|--where|--search|--query|-S name:NAME → --name NAME #name
  --name NAME NAME2 → --name NAME --name NAME2 #name
  NAME NAME2 → --name NAME --name NAME2 #name
  NAME → --name NAME #name
  --search|--query|--find|-S NAME → --name NAME #name
  --name-contains|--name-like|--contains KEY → --jq map(select({KEY}as$part|.name|ascii_downcase|contains($part|keys[]|ascii_downcase))) #name
  JQ → --jq JQ
  --filter|--where JQ → --jq map(select(JQ)) #jq
  --group-by FIELD → --jq group_by(.FIELD)
  --tags?|--labels?|--selector|-l TEXT #tags
  --query|--search|--find|--template|--format|--filter|--where|--group-by|-S TEXT #jq
  --since|--created-after|--created-before TEXT #dates
  --sort|--sort-by|--order-by .?FIELD --json|--fields FIELDS → --jq sort_by(.FIELD)|map({FIELDS})
  --sort|--sort-by|--order-by .?FIELD --desc|--reverse --limit NUMBER → --jq sort_by(.FIELD)|reverse|.[:NUMBER]
  --sort|--sort-by|--order-by .?FIELD --limit NUMBER → --jq sort_by(.FIELD)|.[:NUMBER]
  --sort|--sort-by|--order-by .?FIELD --order|--direction desc → --jq sort_by(.FIELD)|reverse
  --sort|--sort-by|--order-by .?FIELD --desc|--reverse → --jq sort_by(.FIELD)|reverse
  --sort|--sort-by|--order-by -FIELD --limit NUMBER → --jq sort_by(.FIELD)|reverse|.[:NUMBER]
  --sort|--sort-by|--order-by -FIELD → --jq sort_by(.FIELD)|reverse
  --sort|--sort-by|--order-by FIELD:desc → --jq sort_by(.FIELD)|reverse
  --sort|--sort-by|--order-by FIELD desc → --jq sort_by(.FIELD)|reverse
  --sort|--sort-by|--order-by .?FIELD → --jq sort_by(.FIELD)
  --sort|--sort-by|--order-by TEXT #sort
  --count|--total → --complete --jq length
  --ids|--ids-only → --jq .[].id
  --first → --limit 1
  --follow|-w --interval NUMBER → --watch NUMBER
  --watch --follow|-w|-f → --watch
  --follow|-w → --watch
  --interval NUMBER → --watch NUMBER
  --wait-for STATUS → --status STATUS --until length>0
  --wait-for JQ → --until JQ
  --wait-for TEXT #wait
pets
  find-by-status|findByStatus STATUS → list --status STATUS
  find-by-status|findByStatus → list
  find|search|query|export|download|ps → list
  upload|load|bulk-add|bulk-create|bulk-import → import
  count → list --complete --jq length
  exists NAME → list --name NAME --complete --jq length>0 #name
  exists NUMBER → get NUMBER
  watch --interval|-n NUMBER → list --watch NUMBER
  watch|events|listen|logs|tail → list --watch
  wait NUMBER --for status=STATUS → wait NUMBER --for STATUS
  wait --for status=STATUS → wait --for STATUS
  wait NUMBER --for=status|--for|--status|--until STATUS --timeout NUMBER2s? → list --status STATUS --until any(.[];.id==NUMBER) --wait NUMBER2
  wait NUMBER --for=status|--for|--status|--until STATUS → list --status STATUS --until any(.[];.id==NUMBER)
  wait --for=status|--for|--status|--until STATUS --timeout NUMBERs? → list --status STATUS --until length>0 --wait NUMBER
  wait --for=status|--for|--status|--until STATUS → list --status STATUS --until length>0
  wait → petstore pets list --help #wait
  describe|retrieve|info|inspect|read → get
  NUMBER → get NUMBER
  update|edit|change|rename|sell|patch|set|set-status|mark|label|delete|remove|rm → petstore pets --help #change
pets get
  NUMBER WORDS → NUMBER #one
  NUMBER,NUMBER2 → NUMBER #one
  NUMBER-NUMBER2 → NUMBER #one
  --format FORMAT → --output FORMAT
  --name NAME → petstore pets list --name NAME
  NAME → petstore pets list --name NAME
pets add
  --filename|--from-file|--bulk|--csv|-f ROWS → petstore pets import ROWS
  ROWS → petstore pets import ROWS
  --filename|-f FILE → --file FILE
  @FILE → --file FILE
  --state STATUS → --status STATUS
  --title NAME → --name NAME #title
  --tags?|--type|--species|--breed|--age TEXT #fields
  --data|--json|--body|-d {"name":"NAME","categoryId":NUMBER} → --name NAME --category-id NUMBER #json
  {"name":"NAME","categoryId":NUMBER} → --name NAME --category-id NUMBER #json
  -F|-f|-d name=NAME -F|-f|-d categoryId=NUMBER → --name NAME --category-id NUMBER
  -F|-f|-d name=NAME → petstore pets add --help #pet
  name=NAME categoryId:?=NUMBER → --name NAME --category-id NUMBER
  --name|-n NAME -c NUMBER → --name NAME --category-id NUMBER
  NAME NUMBER STATUS → --name NAME --category-id NUMBER --status STATUS
  NAME NUMBER → --name NAME --category-id NUMBER
  NAME --category-id NUMBER → --name NAME --category-id NUMBER
  JSONFILE → --file JSONFILE
  --data|--json|--body|-d JSON #json
  JSON #json
  NAME → petstore pets add --help #pet
pets import
  --file|--input|-f TEXT → TEXT
  PIPE → -
  --dry-run|--validate|-n → --check
  --resume|--continue → NOTHING #resume
  --skip-duplicates|--skip-existing|--ignore-duplicates|--force → --check #again
  --upsert|--update|--replace|--overwrite #change
  --restart #restart
  --resend|--accept TEXT #held
  --on-conflict|--on-duplicate TEXT → --check #again
  --continue-on-error → NOTHING #goes
  --delimiter|--separator TEXT → NOTHING #columns
  --parallel|--workers|--jobs|-j NUMBER → --concurrency NUMBER
  --batch-size|--chunk-size NUMBER → NOTHING #batch
messages
  list|ls|get|show|view|read|count|delete #messages
  create|new|post → send
  SAID → send SAID
messages send
  --to|--from|--subject TEXT #text
  WORDS → WORDS
auth
  whoami|list|show → status
  print-token|get-token → token
auth status
  --show-token → petstore auth token
auth login
  REMOTE → --env REMOTE
  --with-token → petstore auth login --help #stdin
  --hostname|--host|--server|--url TEXT → --base-url TEXT
  WORD → petstore auth login --help #key
login
  REMOTE → --env REMOTE
  --with-token → petstore auth login --help #stdin
  --hostname|--host|--server|--url TEXT → --base-url TEXT
  WORD → petstore auth login --help #key
config
  view|show|ls → list
  edit #config
  use-context ENVIRONMENT → petstore env use ENVIRONMENT
  get-contexts|current-context → petstore env list
config get
  env|environment|base-url → petstore env list
  api-key → petstore auth status
config set
  SETTING=TEXT → SETTING TEXT
  env|environment|default-env|default_env ENVIRONMENT → petstore env use ENVIRONMENT
  base-url URL → petstore auth login --base-url URL #url
  api-key|apiKey|api_key|key|token TEXT → petstore auth login --help #key
help
  VERB → pets VERB
commands
  VERB → pets VERB
env
  show|get WORD → list
  show|current|get → list
  switch|select ENVIRONMENT → use ENVIRONMENT
  add|create WORD --url|--base-url TEXT → set WORD --base-url TEXT
  add|create WORD URL → set WORD --base-url URL
  add|create WORD → set WORD --base-url https://HOST/v1
  delete|remove|rm #unset
env set
  --no-read-only → --read-write
  --url TEXT → --base-url TEXT
  WORD base-url URL → WORD --base-url URL
  WORD URL → WORD --base-url URL
api
  PATH → /PATH
  METHOD PATH → METHOD /PATH
  METHOD /pet → METHOD /pets
  /TEXT METHOD → METHOD /TEXT
  URL #path
  METHOD URL #path
  --data|--data-raw|--json|--body|-d {"name":"NAME","categoryId":NUMBER} → --raw-field name=NAME --field categoryId=NUMBER
  --data|--data-raw|--json|--body|-d JSON #json
  --data|-d KEY=TEXT --data|-d KEY2=TEXT2 → --field KEY=TEXT --field KEY2=TEXT2
  --data|-d KEY=TEXT → --field KEY=TEXT
  METHOD /TEXT name=NAME categoryId:?=NUMBER → METHOD /TEXT --raw-field name=NAME --field categoryId=NUMBER
  METHOD /TEXT @FILE → METHOD /TEXT --file FILE
  POST|post /pets name=NAME → petstore pets add --help #pet
  /TEXT --file TEXT2 → POST /TEXT --file TEXT2
  /TEXT --raw-field name=NAME --field categoryId=NUMBER → POST /TEXT --raw-field name=NAME --field categoryId=NUMBER
  --query|--param KEY=TEXT → --raw-field KEY=TEXT
  /pets --paginate → GET /pets --field limit=100 #pages
  GET|get /pets --paginate → GET /pets --field limit=100 #pages
  --paginate #pages
serve
  NUMBER → --port NUMBER
  start → NOTHING
  stop|restart #serve
  --daemon|--background|--detach|-d → NOTHING #serve
petstore
  --url|--base-url TEXT → petstore env set --help #url
  get|describe|list messages? #messages
  create|post|add|send messages? WORDS → messages send WORDS
  send|send-message WORDS → messages send WORDS
  get|describe|show|find pets → pets list
  list-pets|listPets|describe-pets|get-pets → pets list
  wait pet NUMBER --for status=STATUS → pets wait NUMBER --for STATUS
  wait pets? --for status=STATUS → pets wait --for STATUS
  wait pets?/NUMBER → pets wait NUMBER
  get|show|view|describe|inspect pets?/NUMBER → pets get NUMBER
  add|create|new pets? WORD → pets add WORD
  add|create|new pets? --name NAME --category-id NUMBER → pets add --name NAME --category-id NUMBER
  add|create|new pets? --file|-f FILE → pets add --file FILE
  add|create|new pets? → petstore pets add --help #pet
  add|create|new WORD → pets add WORD
  add|create|new --name NAME --category-id NUMBER → pets add --name NAME --category-id NUMBER
  add|create|new --file|-f FILE → pets add --file FILE
  add|create|new → petstore pets add --help #pet
  VERB pets? → pets VERB
  VERB → pets VERB
  update|edit|patch|set|label|tag|sell|delete|remove|rm status|PET → petstore pets --help #change
  delete|remove|rm → petstore pets --help #change
  apply --filename|-f ROWS → pets import ROWS
  apply --filename|-f FILE → pets add --file FILE
  curl|request|http → api
  METHOD /v1/TEXT → api METHOD /TEXT
  METHOD → api METHOD
  /v1/TEXT → api /TEXT
  /TEXT → api /TEXT
  use|switch ENVIRONMENT → env use ENVIRONMENT
  set env ENVIRONMENT → env use ENVIRONMENT
  environments|profiles|contexts → env
  agents?|skills?|docs|schema|openapi|mcp|tools → petstore help agents
  explain WORD → commands WORD
  server status|health → doctor
  server|mock|start|run server|start|mock → serve
  server|mock|start|run → serve
  configure set → config set
  init|setup|configure → petstore auth login --help
  status|health|ping|check|info|debug|diagnose → doctor
  version → --version
  reset|seed #reset
  orders?|store|inventory|users #only
  update|upgrade #update
`

/** Why a line is not possible as it was typed. */
export const reasons: Readonly<Record<string, string>> = {
  again:
    'rows that may be pets of an earlier import are held: --add sends them, --skip counts them',
  batch: 'each row is a request of its own; --concurrency is how many are sent at a time',
  category: 'the category of a pet is a number: --category-id',
  change: 'the service cannot change or delete a pet',
  columns: 'the first line of CSV decides what separates its columns',
  config: 'petstore config set saves one setting, and config path prints the name of the file',
  dates: 'a pet has no dates',
  fields: 'a pet has only --name, --category-id and --status',
  goes: 'an import goes on at such rows: --stop-on-error ends it',
  header: 'of the formats for rows, only tsv has no header',
  held: '--add sends held rows, and --skip counts them as added',
  jq: 'use --fields name, or --jq with an expression of jq',
  json: 'JSON comes from a file, or from standard input with --file -',
  key: 'no argument and no option takes an API key: petstore auth login asks for it',
  limit: 'the service lists no more than 100 pets',
  messages: 'the service cannot list messages',
  name: '--name finds pets with exactly this name',
  one: 'it gets one pet at a time',
  only: 'the service has only pets and messages',
  pages: 'the service has no pages: it lists the first 100 pets',
  path: 'a path begins with / and names no host',
  pet: 'a pet needs --name and --category-id',
  reset: 'petstore env unset local deletes the data of the local service',
  resume: 'the same command goes on where it ended',
  restart: '--batch NAME is for pets that are compared with no others',
  serve: 'petstore serve runs until Ctrl-C: write & behind it',
  sort: '--jq sorts, for example sort_by(.name)',
  stdin: 'the API key is read from standard input',
  stdout: 'data goes to standard output: write > and the name of the file behind the command',
  tags: 'a pet has no tags or labels',
  text: 'a message is only a text',
  title: 'the name of a pet is --name',
  tls: 'NODE_EXTRA_CA_CERTS names a file with certificates to trust',
  unset: 'petstore env unset removes an environment',
  update: 'petstore does not update itself: update it as it was installed',
  url: 'a base URL belongs to an environment and its API key',
  wait: 'pets list --until EXPR waits for a jq expression, and --wait SECONDS limits it',
  web: 'pets have no web page; petstore serve has one of the local service'
}
