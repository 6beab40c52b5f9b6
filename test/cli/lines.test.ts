import { expect, test } from 'vitest'
import { inWork, rowsOf, typed } from './typing.ts'

/** Valid lines, with the exit code and the beginning of what they print. */
const lines = `
pets list => 0 [ { "id": 1, "name": "Biscuit", "categoryI
pets ls => 0 [ { "id": 1, "name": "Biscuit", "categoryI
pet list => 0 [ { "id": 1, "name": "Biscuit", "categoryI
pets list --status available => 0 [ { "id": 1, "name": "Biscuit", "categoryI
pets list --status=sold => 0 [ { "id": 5, "name": "Pebble", "categoryId
pets list --status pending => 0 [ { "id": 3, "name": "Sir Waddles", "categ
pets list --category-id 2 => 0 [ { "id": 2, "name": "Marmalade", "categor
pets list --category-id 1 --status sold => 0 []
pets list --name Biscuit => 0 [ { "id": 1, "name": "Biscuit", "categoryI
pets list --name Rex --name Biscuit => 0 [ { "id": 1, "name": "Biscuit", "categoryI
pets list --name=Nobody => 0 []
pets list --limit 3 => 0 [ { "id": 1, "name": "Biscuit", "categoryI
pets list --limit=5 --json => 0 [ { "id": 1, "name": "Biscuit", "categoryI
pets list --limit 1 --limit 2 --jq length => 0 2
pets list --fields id,name => 0 [ { "id": 1, "name": "Biscuit" }, { "id":
pets list --fields name => 0 [ { "name": "Biscuit" }, { "name": "Marmal
pets list --json --fields id => 0 [ { "id": 1 }, { "id": 2 }, { "id": 3 }, {
pets list --jq length => 0 10
pets list --jq '.[0].name' => 0 Biscuit
pets list --jq 'sort_by(.name) | .[0].id' => 0 1
pets list --jq '.[] | select(.status == "sold") | .name' => 0 Pebble Methuselah
pets list --status sold --jq length => 0 2
pets list -o csv --limit 2 => 0 id,name,categoryId,status 1,Biscuit,1,avai
pets list -o tsv --limit 2 => 0 1 Biscuit 1 available 2 Marmalade 2 availa
pets list -o ndjson --limit 2 => 0 {"id":1,"name":"Biscuit","categoryId":1,"s
pets list -o table --limit 2 => 0 id name categoryId status 1 Biscuit 1 avai
pets list --output csv --fields name --limit 1 => 0 name Biscuit
pets list -o json --jq length => 0 10
pets list -qo csv --limit 1 => 0 id,name,categoryId,status 1,Biscuit,1,avai
pets list --int64 string --jq '.[8].categoryId' => 0 9007199254740993
pets list --retries 3 => 0 [ { "id": 1, "name": "Biscuit", "categoryI
pets list --timeout 0.5 => 0 [ { "id": 1, "name": "Biscuit", "categoryI
pets list --quiet --verbose --jq length => 0 10
pets list -qv --jq length => 0 10
-qv pets list --jq length => 0 10
--json pets list --limit 1 => 0 [ { "id": 1, "name": "Biscuit", "categoryI
-e local pets list --limit 1 => 0 [ { "id": 1, "name": "Biscuit", "categoryI
--env local pets list --limit 1 => 0 [ { "id": 1, "name": "Biscuit", "categoryI
pets list --env local --limit 1 => 0 [ { "id": 1, "name": "Biscuit", "categoryI
--env staging pets list --env local --jq length => 0 10
pets list --env staging --dry-run => 0 curl --silent --show-error --globoff --req
pets list --env production --dry-run => 0 curl --silent --show-error --globoff --req
pets list --until 'length > 0' --jq length => 0 10
pets list --until 'any(.[]; .id == 3)' --jq '.[2].id' => 0 3
pets list --color never --limit 1 => 0 [ { "id": 1, "name": "Biscuit", "categoryI
pets list --no-color --limit 1 => 0 [ { "id": 1, "name": "Biscuit", "categoryI
pets list --no-input --limit 1 => 0 [ { "id": 1, "name": "Biscuit", "categoryI
pets show 3 => 0 { "id": 3, "name": "Sir Waddles", "categor
pets view 3 => 0 { "id": 3, "name": "Sir Waddles", "categor
pets create --name Rex --category-id 1 => 0 { "id": 11, "name": "Rex", "categoryId": 1
pets new --name Rex --category-id 1 => 0 { "id": 11, "name": "Rex", "categoryId": 1
pets get 3 => 0 { "id": 3, "name": "Sir Waddles", "categor
pets get 1 --json => 0 { "id": 1, "name": "Biscuit", "categoryId"
pets get 9 --fields categoryId => 0 { "categoryId": 9007199254740993 }
pets get 404 => 5 {"error":{"code":"not-found","message":"
pets add --name Rex --category-id 1 => 0 { "id": 11, "name": "Rex", "categoryId": 1
pets add --name Rex --category-id 1 --status sold => 0 { "id": 11, "name": "Rex", "categoryId": 1
pets add --name=Rex --category-id=9007199254740993 --jq .categoryId => 0 9007199254740993
pets add --name -x --category-id 2 --jq .name => 0 -x
pets add --name=--yes --category-id 2 --jq .name => 0 --yes
pets add --file pet.json => 0 { "id": 11, "name": "Rex", "categoryId": 2
pets add --file=pet.json --jq .name => 0 Rex
pets add --name Rex --category-id 2 --dry-run => 0 curl --silent --show-error --globoff --req
pets add --name Rex --category-id -5 --jq .categoryId => 0 -5
pets import pets.csv => 0 {"line":2,"outcome":"added","id":11}
pets import pets.csv --env local => 0 {"line":2,"outcome":"added","id":11}
pets import --format csv pets.csv => 0 {"line":2,"outcome":"added","id":11}
pets import pets.csv --check => 0
pets import pets.csv --concurrency 2 --jq .outcome => 0 added
messages send hello --jq .message => 0 hello
messages send --jq .message -- --json => 0 --json
messages send 'two words' --jq .message => 0 two words
message send hello --fields status => 0 { "status": "queued" }
env list --jq length => 0 3
env list --json --fields name => 0 [ { "name": "production" }, { "name": "sta
env ls --jq '.[2].name' => 0 local
env use local => 0
env set qa --base-url https://qa.example.com => 0
env set dev --messages-url https://pets.example => 0
auth status --env local --jq length => 0 1
auth login --env dev --base-url https://dev.example.com/api --dry-run => 0 curl --silent --show-error --globoff --req
auth login --env dev => 9 {"error":{"code":"local","message":"no b
auth logout --env staging => 0
auth logout --all => 0
auth token => 0
config get timeout => 0 30
config set timeout 10 => 0
config set output json => 0
config unset timeout => 0
config list --jq length => 0 4
config path => 0
api /pets => 0 [{"id":1,"name":"Biscuit","categoryId":1,"
api GET /pets => 0 [{"id":1,"name":"Biscuit","categoryId":1,"
api get /pets/3 => 0 {"id":3,"name":"Sir Waddles","categoryId":
api GET '/pets?limit=1' -i => 0 HTTP/1.1 200 content-type: application/jso
api GET /pets -f status=sold -F limit=1 => 0 [{"id":5,"name":"Pebble","categoryId":4,"s
api POST /pets -f name=Rex -F categoryId=2 => 0 {"id":11,"name":"Rex","categoryId":2}
api POST /pets -fname=Rex -FcategoryId=2 => 0 {"id":11,"name":"Rex","categoryId":2}
api POST /pets --raw-field name=Rex --field categoryId=9007199254740993 => 0 {"id":11,"name":"Rex","categoryId":9007199
api POST /pets --file pet.json => 0 {"id":11,"name":"Rex","categoryId":2}
api POST /pets --raw-field name=Rex => 3 {"code":"invalid_request","message":"categ
api HEAD /pets/1 => 0
api GET /pets/404 => 5 {"code":"not_found","message":"there is no
completion zsh => 0 #compdef petstore # Completion of petstore
completion bash => 0 # Completion of petstore for bash. At each
completion fish => 0 # Completion of petstore for fish. At each
commands pets list --jq '.commands[0].name' => 0 pets list
help pets list => 0 Usage: petstore pets list [options] list p
help exit-codes => 0 Scripts can rely on the exit code of every
help agents => 0 --- name: petstore description: >- Use the
pets --help => 0 Usage: petstore pets [options] [command] l
--help pets list => 0 Usage: petstore pets list [options] list p
-h pets => 0 Usage: petstore pets [options] [command] l
messages send @nothing --jq .message => 0 @nothing
pets list -h => 0 Usage: petstore pets list [options] list p
--version => 0
-V => 0
`

test.each(['-v', '-version'])('%s alone asks for the version', async line => {
  expect((await typed(line)).stdout).toBe((await typed('--version')).stdout)
})

test.each(rowsOf(lines))('petstore %s', async (line, expected) => {
  await inWork(async () => {
    const { code, text } = await typed(line)
    expect(`${code} ${text}`.slice(0, expected.length)).toBe(expected)
  })
})
