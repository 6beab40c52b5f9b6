/** The habits below `pets` and its commands; `habits.ts` says how a row is read. */
export const petHabits = `pets list
  --limit MANY → --limit 100 #limit
  --max-items|--max-results|--max|--count|--per-page|--page-size|--size|--first|--head|--top|-l|-L|-n NUMBER → --limit NUMBER
  --last|--tail NUMBER → --jq .[-NUMBER:]
  --ids → --jq .[].id
  --all|--paginate|--all-namespaces|-A|-a → --complete #pages
  --page|--offset|--skip|--after|--cursor|--next-token|--starting-after|--starting-token #pages
  --id NUMBER → petstore pets get NUMBER
  --url|--base-url TEXT → petstore env set --help #url
  --format|-f FORMAT → --output FORMAT
  --no-headers? → --output tsv #header
  TEXT.DATA → --output DATA #stdout
  --file|-f TEXT.DATA → --output DATA #stdout
  STATUS STATUS2 → --jq map(select(IN(.status;{STATUS,STATUS2}|keys[]))) #several
  --status STATUS STATUS2 → --jq map(select(IN(.status;{STATUS,STATUS2}|keys[]))) #several
  --status STATUS,STATUS2 → --jq map(select(IN(.status;{STATUS,STATUS2}|keys[]))) #several
  --status STATUS --status STATUS2 #several
  --status !STATUS → --jq map(select(IN(.status;{STATUS}|keys[])|not))
  --state|--status all|any → NOTHING
  --status! STATUS → --jq map(select(IN(.status;{STATUS}|keys[])|not))
  --state|-s STATUS → --status STATUS
  STATUS → --status STATUS
  --filter|--where|--selector|--field-selector|--search|--query|-l|-S status:?=?=?STATUS → --status STATUS
  --filter|--where category|categoryId NUMBER → --category-id NUMBER
  --filter|--where|--selector|--field-selector|--search|--query|-l|-S name:?=?=?NAME → --name NAME #name
  --name NAME NAME2 → --name NAME --name NAME2 #name
  --search|--query|--find|--name-contains|--match|--grep|-S PART → --jq map(select((.name|ascii_downcase)as$name|{PART}|keys[]|ascii_downcase|inside($name))) #part
  SMALL → --jq map(select((.name|ascii_downcase)as$name|{SMALL}|keys[]|ascii_downcase|inside($name))) #part
  TITLE → --name TITLE #name
  NAME #part
  all → NOTHING
  --tags?|--labels?|--selector|-l #tags
  --query|--search|--find|--template|--format|--filter|--where|--group-by|-S #jq
  --name-contains|--name-prefix|--match|--grep #part
  --sort|--sort-by|--order-by .?FIELD --json|--fields FIELDS → --jq sort_by(.FIELD)|map({FIELDS})
  --sort|--sort-by|--order-by .?FIELD --desc|--reverse|--order=desc → --jq sort_by(.FIELD)|reverse
  --sort|--sort-by|--order-by .?FIELD --limit NUMBER → --jq sort_by(.FIELD)|.[:NUMBER]
  --sort|--sort-by|--order-by -FIELD → --jq sort_by(.FIELD)|reverse
  --sort|--sort-by|--order-by .?FIELD → --jq sort_by(.FIELD)
  --sort|--sort-by|--order-by|--order|--reverse|--desc #sort
  --count|--total → --complete --jq length #count
  --follow|-w → --watch
  --wait-for STATUS → --status STATUS --until length>0
  --wait-for #wait
pets
  find-by-status|findByStatus STATUS → list --status STATUS
  find|search|query|export|ps → list
  upload|load|bulk-import → import
  count → list --complete --jq length
  head NUMBER → list --limit NUMBER
  tail NUMBER → list --jq .[-NUMBER:]
  watch NUMBER → list --watch --jq select(.pet.id==NUMBER)
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
  --status STATUS → list --status STATUS
  --limit NUMBER → list --limit NUMBER
pets get
  NUMBER WORDS → NUMBER #one
  NUMBER,TEXT → NUMBER #one
  --format FORMAT → --output FORMAT
  --name NAME → petstore pets list --name NAME
  NAME → petstore pets list NAME
pets add
  --filename|--from-file|--bulk|-f ROWS → petstore pets import ROWS
  --filename|-f FILE → --file FILE
  @FILE → --file FILE
  -|--stdin → --file -
  --if-not-exists #once
  --title|--id|--photo-urls?|--price|--tags?|--type|--species|--breed|--age #fields
  -F|-f|-d name=NAME -F|-f|-d categoryId=NUMBER → --name NAME --category-id NUMBER
  -F|-f|-d name=NAME → petstore pets add --help #pet
  name=NAME categoryId:?=NUMBER → --name NAME --category-id NUMBER
  NAME NUMBER → --name NAME --category-id NUMBER
  NAME → --name NAME
  NAME → petstore pets add --help #pet
  --data|--data-raw|--json|--body|-d JSON #json
  JSON #json
pets import
  --file|--input|-f TEXT → TEXT
  PIPE → -
  --dry-run|--validate|--preview|-n → --check
  --resume|--continue → NOTHING #resume
  --skip-errors|--ignore-errors|--continue-on-error → NOTHING #errors
  --errors|--errors-file WORD → --rejects WORD
  --fail-fast|--on-error=stop → --stop-on-error
  --type|--input-format FORMAT → --format FORMAT
  --idempotency-key WORD → --batch WORD
  --no-headers?|--map|--mapping #columns
  ROWS ROWS2 #file
  --skip-duplicates|--skip-existing|--ignore-duplicates|--allow-duplicates|--dedupe|--force → --check #again
  --upsert|--update|--replace|--overwrite #change
  --parallel|--workers|--jobs|-j|-c NUMBER → --concurrency NUMBER
  --batch-size|--chunk-size NUMBER → NOTHING #batch
`
