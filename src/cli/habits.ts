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
  --api-?key|--key|--token|--password|--user|-u TEXT → petstore auth login --help #key
  help → --help
  --dry-run client|server → --dry-run
  --data|--json|--body|-d @FILE → --file FILE
  --data|--data-raw|--json|--body|-d JSON #json
  --input|--from-file FILE → --file FILE
  --format FORMAT --output|-o TEXT.DATA → --output FORMAT #stdout
  --output-file|--output|--out|-o TEXT.DATA → --output DATA #stdout
  --output|-o jsonl → --output ndjson
  --format jsonl → --format ndjson
  --output|-o text|wide → --output table
  --output|-o ya?ml → --output json
  --output|-o custom-columns|jsonpath|go-template #jq
  --LAYOUT → --output LAYOUT
  --pretty|--raw-output|-r → NOTHING
  --json FIELDS --jq|-q JQ → --jq JQ
  --json FIELDS → --json --fields FIELDS
  --columns|--select|--field FIELDS → --fields FIELDS
  --query|-q JQ → --jq JQ #jq
  --compact-output|--compact|-c → --jq .
  --server|--endpoint-url TEXT → petstore env set --help #url
  --id|--body|--message|--text|--method|--request|-X|-m TEXT → TEXT
  --environment|--profile|--context|-n ENVIRONMENT → --env ENVIRONMENT
  --ENVIRONMENT → --env ENVIRONMENT
  --insecure|-k → petstore help environment #tls
  --web #web
  --debug|--trace → --verbose
  --category NUMBER → --category-id NUMBER
  --timeout NUMBERs → --timeout NUMBER
  --STATUS → --status STATUS
pets list
  --limit MANY → --limit 100 #limit
  --max-items|--max-results|--max|--count|--per-page|--page-size|-l|-L|-n NUMBER → --limit NUMBER
  --all|--paginate|--all-namespaces|-A|-a → --complete #pages
  --page|--offset|--skip|--after|--cursor|--next-token|--starting-after|--starting-token #pages
  --id NUMBER → petstore pets get NUMBER
  --url|--base-url TEXT → petstore env set --help #url
  --format|-f FORMAT → --output FORMAT
  --no-headers? → --output tsv #header
  TEXT.DATA → --output DATA #stdout
  --file|-f TEXT.DATA → --output DATA #stdout
  STATUS STATUS2 → --jq map(select(IN(.status;{STATUS,STATUS2}|keys[])))
  --status STATUS STATUS2 → --jq map(select(IN(.status;{STATUS,STATUS2}|keys[])))
  --status STATUS,STATUS2 → --jq map(select(IN(.status;{STATUS,STATUS2}|keys[])))
  --status !STATUS → --jq map(select(IN(.status;{STATUS}|keys[])|not))
  --state|--status all|any → NOTHING
  --state STATUS → --status STATUS
  STATUS → --status STATUS
  --filter|--where|--selector|--field-selector|--search|--query|-l|-S status:?=?=?STATUS → --status STATUS
  --filter|--where category|categoryId NUMBER → --category-id NUMBER
  --filter|--where|--selector|--field-selector|--search|--query|-l|-S name:?=?=?NAME → --name NAME #name
  --name NAME NAME2 → --name NAME --name NAME2 #name
  --search|--query|--find|-S NAME → --name NAME #name
  NAME → --name NAME #name
  --tags?|--labels?|--selector|-l #tags
  --query|--search|--find|--template|--format|--filter|--where|--group-by|--name-contains|-S #jq
  --sort|--sort-by|--order-by .?FIELD --json|--fields FIELDS → --jq sort_by(.FIELD)|map({FIELDS})
  --sort|--sort-by|--order-by .?FIELD --desc|--reverse|--order=desc → --jq sort_by(.FIELD)|reverse
  --sort|--sort-by|--order-by .?FIELD --limit NUMBER → --jq sort_by(.FIELD)|.[:NUMBER]
  --sort|--sort-by|--order-by -FIELD → --jq sort_by(.FIELD)|reverse
  --sort|--sort-by|--order-by .?FIELD → --jq sort_by(.FIELD)
  --sort|--sort-by|--order-by #sort
  --count|--total → --complete --jq length
  --follow|-w → --watch
  --wait-for STATUS → --status STATUS --until length>0
  --wait-for #wait
pets
  find-by-status|findByStatus STATUS → list --status STATUS
  find|search|query|export|ps → list
  upload|load|bulk-import → import
  count → list --complete --jq length
  watch --interval|-n NUMBER → list --watch NUMBER
  watch|events|listen|logs|tail → list --watch
  wait NUMBER --for=status|--for|--status STATUS --timeout NUMBER2 → list --status STATUS --until any(.[];.id==NUMBER) --wait NUMBER2
  wait NUMBER --for=status|--for|--status STATUS → list --status STATUS --until any(.[];.id==NUMBER)
  wait --for=status|--for|--status STATUS --timeout NUMBER → list --status STATUS --until length>0 --wait NUMBER
  wait --for=status|--for|--status STATUS → list --status STATUS --until length>0
  wait → petstore pets list --help #wait
  describe|retrieve|info|inspect|read → get
  NUMBER → get NUMBER
  update|edit|change|rename|sell|patch|set|set-status|mark|label|delete|remove|rm → petstore pets --help #change
pets get
  NUMBER WORDS → NUMBER #one
  NUMBER,TEXT → NUMBER #one
  --format FORMAT → --output FORMAT
  --name NAME → petstore pets list --name NAME
  NAME → petstore pets list --name NAME
pets add
  --filename|--from-file|--bulk|-f ROWS → petstore pets import ROWS
  --filename|-f FILE → --file FILE
  @FILE → --file FILE
  --title|--tags?|--type|--species|--breed|--age #fields
  -F|-f|-d name=NAME -F|-f|-d categoryId=NUMBER → --name NAME --category-id NUMBER
  -F|-f|-d name=NAME → petstore pets add --help #pet
  name=NAME categoryId:?=NUMBER → --name NAME --category-id NUMBER
  NAME NUMBER → --name NAME --category-id NUMBER
  NAME → --name NAME
  NAME → petstore pets add --help #pet
  JSON #json
pets import
  --file|--input|-f TEXT → TEXT
  PIPE → -
  --dry-run|--validate|-n → --check
  --resume|--continue → NOTHING #resume
  --skip-duplicates|--skip-existing|--ignore-duplicates|--force → --check #again
  --upsert|--update|--replace|--overwrite #change
  --parallel|--workers|--jobs|-j NUMBER → --concurrency NUMBER
  --batch-size|--chunk-size NUMBER → NOTHING #batch
messages
  list|ls|get|show|view|read|count|delete #messages
  create|new|post → send
messages send
  --to|--from|--subject #text
  WORDS → WORDS
auth
  whoami|list|show → status
auth status
  --show-token → petstore auth token
auth login
  --with-token → petstore auth login --help #stdin
  --hostname|--host|--server|--url TEXT → --base-url TEXT
  WORD → petstore auth login --help #key
config
  view|show|ls → list
  use-context ENVIRONMENT → petstore env use ENVIRONMENT
  get-contexts|current-context → petstore env list
config get
  env|environment|base-url → petstore env list
config set
  KEY=TEXT → KEY TEXT
  env|environment ENVIRONMENT → petstore env use ENVIRONMENT
  base-url URL → petstore auth login --base-url URL #url
  api-?key|key|token TEXT → petstore auth login --help #key
env
  show|get WORD → list
  show|current|get → list
  switch|select ENVIRONMENT → use ENVIRONMENT
  add|create WORD --url|--base-url TEXT → set WORD --base-url TEXT
  add|create WORD → set WORD --base-url https://HOST/v1
  delete|remove|rm #unset
env set
  --no-read-only → --read-write
  --url TEXT → --base-url TEXT
  WORD URL → WORD --base-url URL
api
  PATH → /PATH
  METHOD PATH → METHOD /PATH
  /TEXT METHOD → METHOD /TEXT
  --data|-d KEY=TEXT → --field KEY=TEXT
  METHOD /TEXT name=NAME categoryId:?=NUMBER → METHOD /TEXT --raw-field name=NAME --field categoryId=NUMBER
  /TEXT --file TEXT2 → POST /TEXT --file TEXT2
  --paginate #pages
serve
  -p NUMBER → --port NUMBER
  --daemon|--background|--detach|-d → NOTHING #serve
petstore
  --url|--base-url TEXT → petstore env set --help #url
  get|describe|list messages? #messages
  create|post|add|send messages? WORDS → messages send WORDS
  send|send-message WORDS → messages send WORDS
  get|describe|show|find pets → pets list
  list-pets|describe-pets → pets list
  get|show|view|describe|inspect pets?/NUMBER → pets get NUMBER
  VERB pets? → pets VERB
  VERB → pets VERB
  add|create|new → petstore pets add --help #pet
  update|edit|patch|set|label|tag|sell|delete|remove|rm status|PET → petstore pets --help #change
  apply --filename|-f ROWS → pets import ROWS
  apply --filename|-f FILE → pets add --file FILE
  curl|request|http → api
  METHOD /v1/TEXT → api METHOD /TEXT
  METHOD → api METHOD
  use|switch ENVIRONMENT → env use ENVIRONMENT
  environments|profiles|contexts → env
  agents?|skills?|docs|schema|openapi|mcp|tools → petstore help agents
  explain WORD → commands WORD
  server|mock start → serve
  init|setup|configure → petstore auth login --help
  status|health|ping|check|diagnose → doctor
  version → --version
  orders?|store|inventory|users #only
  update|upgrade #update
`
