import { petHabits } from './habits-of-pets.ts'

/**
 * What people and agents type by habit, below the command, `any` or `petstore` alone: what is typed →
 * what is meant, and why not as it was typed.
 *
 * The words of a row stand one behind the other: an option with its value anywhere in the line, all
 * else first behind the command. What is meant takes their place; with `petstore`, that of the
 * command too. `a|b` are words that mean one thing, `?` follows a letter that may be missing, and
 * words in capitals are kinds (`habit-words.ts`): NUMBER2 is another number, NOTHING no word, and
 * PIPE an input that is not named. The first row that leads to a line without an error is right.
 */
export const habits = `
any
  -u URL → --base-url URL
  -u URL #url
  --api-?key|--key|--token|--password|--user|-u TEXT → petstore auth login --help #key
  help → --help
  --dry-run client|server → --dry-run
  --dryrun|--curl → --dry-run
  --data|--json|--body|--message|--text|--content|-d|-m @FILE → --file FILE
  --input|--from-file FILE → --file FILE
  --format FORMAT --output|-o TEXT.DATA → --output FORMAT #stdout
  --output-file|--output|--out|-o TEXT.DATA → --output DATA #stdout
  --output|-o jsonl → --output ndjson
  --format jsonl → --format ndjson
  --output|-o text|wide → --output table
  --output|-o ya?ml → --output json
  --output|-o custom-columns|jsonpath|go-template #jq
  --LAYOUT → --output LAYOUT
  --pretty|--raw-output|-r|--yes|--no-pager|--progress → NOTHING
  --json FIELDS --jq|-q JQ → --jq JQ
  --json FIELDS → --json --fields FIELDS
  --columns|--select|--field FIELDS → --fields FIELDS
  --query|-q JQ → --jq JQ #jq
  --compact-output|--compact|-c → --jq .
  --server|--endpoint-url TEXT → petstore env set --help #url
  --id|--body|--message|--content|--text|--method|--request|-X|-m WORD → WORD
  --environment|--profile|--context|-env|-n ENVIRONMENT → --env ENVIRONMENT
  --prod → --env production
  --ENVIRONMENT → --env ENVIRONMENT
  --insecure|-k → petstore help environment #tls
  --web #web
  --debug|--trace|--log-level=debug → --verbose
  --category NUMBER → --category-id NUMBER
  --max-time|--request-timeout NUMBERs? → --timeout NUMBER
  --timeout NUMBERs → --timeout NUMBER
  --STATUS → --status STATUS
messages
  list|ls|get|show|view|read|count|delete #messages
  create|new|post|add → send
messages send
  --to|--from|--subject #text
  --data|-d JSON #text
  --file|-f|--stdin #input
  -t WORD → WORD
  WORDS → WORDS
auth
  whoami|list|show|check|verify|test → status
  print-access-token → token
auth status
  --show-token → petstore auth token
auth login
  --with-token|--stdin|--key-file → petstore auth login --help #stdin
  --env|-e local #local
  --hostname|--host|--server|--url TEXT → --base-url TEXT
  URL → --base-url URL
  local → petstore env use local #local
  ENVIRONMENT → --env ENVIRONMENT
  WORD → petstore auth login --help #login
config
  view|show|ls|cat → list
  file|edit → path
  delete|remove|rm|clear #unsetSetting
  use-context ENVIRONMENT → petstore env use ENVIRONMENT
  get-contexts|current-context → petstore env list
config get
  env|environment|base-url → petstore env list
config set
  KEY=TEXT → KEY TEXT
  env|environment ENVIRONMENT → petstore env use ENVIRONMENT
  base-url|url URL → petstore auth login --base-url URL #url
  api-?key|key|token TEXT → petstore auth login --help #key
env
  switch|select|default ENVIRONMENT → use ENVIRONMENT
  ENVIRONMENT → use ENVIRONMENT
  show|get|describe WORD → list
  show|current|default|get → list
  add|create local → petstore env use local #local
  add|create|update|edit WORD URL → set WORD --base-url URL
  add|create|update|edit WORD --url|--base-url TEXT → set WORD --base-url TEXT
  add|create WORD → set WORD --base-url https://HOST/v1
  delete|remove|rm|reset #unset
env unset
  --force|-y #yes
env set
  base-url|url URL → petstore auth login --base-url URL #url
  --no-read-only → --read-write
  --url TEXT → --base-url TEXT
  local URL → petstore env use local #local
  WORD URL → WORD --base-url URL
api
  PATH → /PATH
  METHOD PATH → METHOD /PATH
  /TEXT METHOD → METHOD /TEXT
  --data|-d KEY=TEXT → --field KEY=TEXT
  --data|-d|--body|--json JSON #json
  /TEXT --query|--params? KEY=TEXT2 → GET /TEXT --raw-field KEY=TEXT2
  --query|--params? KEY=TEXT → --raw-field KEY=TEXT
  --head|-I → HEAD --include
  METHOD /TEXT name=NAME categoryId:?=NUMBER → METHOD /TEXT --raw-field name=NAME --field categoryId=NUMBER
  /TEXT --file TEXT2 → POST /TEXT --file TEXT2
  --paginate #pages
serve
  -p NUMBER → --port NUMBER
  --daemon|--background|--detach|-d → NOTHING #serve
help
  environment-variables|variables → environment
  exit|errors? → exit-codes
  output|jq|filters? → formats
  VERB → pets VERB
petstore
  --url|--base-url TEXT → petstore env set --help #url
  get|describe|list messages? #messages
  msgs? → messages
  create|post|add|send messages? WORDS → messages send WORDS
  send|send-message WORDS → messages send WORDS
  get|describe|show|find pets → pets list
  list-pets|describe-pets → pets list
  get|show|view|describe|inspect pets?/NUMBER → pets get NUMBER
  pets:?-?VERB → pets VERB
  VERB pets? → pets VERB
  VERB → pets VERB
  add|create|new → petstore pets add --help #pet
  update|edit|patch|set|label|tag|sell|delete|remove|rm status|PET → petstore pets --help #change
  apply --filename|-f ROWS → pets import ROWS
  apply --filename|-f FILE → pets add --file FILE
  curl|request|http|raw → api
  METHOD /v1/TEXT → api METHOD /TEXT
  METHOD → api METHOD
  use|switch ENVIRONMENT → env use ENVIRONMENT
  environments|profiles|contexts → env
  token → auth token
  exit-codes → help exit-codes
  list-commands → commands
  agents?|skills?|docs|schema|openapi|mcp|tools → petstore help agents
  explain WORD → commands WORD
  server|mock start → serve
  mock|start → serve
  init|setup|configure → petstore auth login --help
  status|health|ping|check|diagnose → doctor
  version → petstore --version
  orders?|store|inventory|users #only
  update|upgrade #update
`.concat(petHabits)
