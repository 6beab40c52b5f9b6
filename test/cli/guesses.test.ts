import { expect, test } from 'vitest'
import { runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { answerTo, doing, homeForGuesses, inWork, petVerbs, wordsOf } from './guess-runner.ts'

/**
 * What people and programs type before they have read anything, and the complete answer. `does`
 * begins with the exit code of the hint and is the beginning of what it prints. A hint that is a
 * page of help, and a service that runs until a signal, are not run.
 */
const guesses = `
$ petstore env create dev --base-url https://dev.example.com/api --api-key abc123
error: unknown command 'env create'; also: an API key cannot be given as an option; petstore auth login asks for it, or reads standard input
hint: petstore auth login --env dev --base-url https://dev.example.com/api
does: 0 curl --silent --show-e

$ petstore env set --api-key abc123 dev
error: unknown option '--api-key': an API key cannot be given as an option; petstore auth login asks for it, or reads standard input
hint: petstore auth login --env dev
does: 9 error: no base URL is 

$ petstore pets available
error: unknown command 'pets available'
hint: petstore pets list --status available
does: 0 [ { "id": 1, "name": "

$ petstore pets get 1 --watch
error: unknown option '--watch': 'pets list' has it
hint: petstore pets get --help

$ petstore pets list category=1 status=sold
error: unexpected arguments 'category=1', 'status=sold'
hint: petstore pets list --category-id 1 --status sold
does: 0 [] 

$ petstore pets list status:available
error: unexpected argument 'status:available'
hint: petstore pets list --status available
does: 0 [ { "id": 1, "name": "

$ petstore create pet '{"name":"Fluffy","category":{"id":1}}'
error: unknown command 'create'; also: unexpected argument '***': a new pet has no field 'category'
hint: petstore pets add --help

$ petstore api /pets -X POST -f name=Rex -F categoryId=2
error: unknown option '-X'
hint: petstore api POST /pets -f name=Rex -F categoryId=2
does: 0 {"id":11,"name":"Rex",

$ petstore api /pets POST -f name=Rex -F categoryId=2
error: invalid method: use an HTTP method such as GET or POST
hint: petstore api POST /pets -f name=Rex -F categoryId=2
does: 0 {"id":11,"name":"Rex",

$ petstore api pets/3 DELETE
error: invalid method: use an HTTP method such as GET or POST
hint: petstore api --help

$ petstore pets list --retry 3
error: unknown option '--retry'
hint: petstore pets list --retries 3
does: 0 [ { "id": 1, "name": "

$ petstore pets list --query 'Pets[].Name'
error: unknown option '--query': --jq takes a jq expression, and --fields names of fields
hint: petstore pets list --help

$ petstore pets list -q name
error: unexpected argument 'name'
hint: petstore pets list --fields name
does: 0 [ { "name": "Biscuit" 

$ petstore store inventory
error: unknown command 'store': the service has only pets and messages, and a category is only a number
hint: petstore --help

$ petstore login --api-key K
error: unknown command 'login'; also: an API key cannot be given as an option; petstore auth login asks for it, or reads standard input
hint: petstore auth login
does: 2 error: 'local' is buil

$ petstore configure
error: unknown command 'configure'
hint: petstore auth login --base-url https://HOST/v1
does: 2 error: 'local' is buil

$ petstore pets list --max-items 5
error: unknown option '--max-items'
hint: petstore pets list --limit 5
does: 0 [ { "id": 1, "name": "

$ petstore pets patch 3
error: unknown command 'pets patch': the service has no such operation
hint: petstore pets --help

$ petstore pets wait 1 --until status=available
error: unknown command 'pets wait'
hint: petstore pets list --until 'any(.[]; .status == "available")'
does: 0 [ { "id": 1, "name": "

$ petstore pets --status=availble
error: unknown option '--status'
hint: petstore pets list --status=available
does: 0 [ { "id": 1, "name": "

$ petstore pets --limit 3
error: unknown option '--limit'
hint: petstore pets list --limit 3
does: 0 [ { "id": 1, "name": "

$ petstore pets list --sort=-name
error: unknown option '--sort': the service has no such operation; --jq 'sort_by(.name)' sorts the pets that it lists
hint: petstore pets list --jq 'sort_by(.name) | reverse' --limit 100
does: 0 [{"id":4,"name":"小雪","

$ petstore pets list --sort name --desc
error: unknown option '--sort': the service has no such operation; --jq 'sort_by(.name)' sorts the pets that it lists; also: unknown option '--desc': --jq 'sort_by(.name) | reverse' sorts the other way round
hint: petstore pets list --help

$ petstore pets list -o table --no-headers
error: unknown option '--no-headers': only tsv is printed without a header
hint: petstore pets list --help

$ petstore pets list --no-headers
error: unknown option '--no-headers': only tsv is printed without a header
hint: petstore pets list --output tsv
does: 0 1 Biscuit 1 available 

$ petstore pets list status pending
error: unexpected arguments 'status', 'pending'
hint: petstore pets list --status pending
does: 0 [ { "id": 3, "name": "

$ petstore pets list name Biscuit
error: unexpected arguments 'name', 'Biscuit'
hint: petstore pets list --name Biscuit
does: 0 [ { "id": 1, "name": "

$ petstore pets list category 2
error: unexpected arguments 'category', '2'
hint: petstore pets list --category-id 2
does: 0 [ { "id": 2, "name": "

$ petstore pets list id 3
error: unexpected arguments 'id', '3'
hint: petstore pets get 3
does: 0 { "id": 3, "name": "Si

$ petstore pets list --status sold --summary
error: unknown option '--summary': pets list has --status, --name, --category-id, --limit, --watch, --until and the options of 'petstore help options'
hint: petstore pets list --help

$ petstore pets wait 3
error: unknown command 'pets wait'
hint: petstore pets list --until 'any(.[]; .id == 3)'
does: 0 [ { "id": 1, "name": "

$ petstore pets wait --until sold
error: unknown command 'pets wait'
hint: petstore pets list --until 'any(.[]; .status == "sold")'
does: 0 [ { "id": 1, "name": "

$ petstore pets get 3 -o jsonpath={.name}
error: invalid output 'jsonpath={.name}': use table, json, ndjson, csv or tsv; --jq takes a jq expression, and --fields names of fields
hint: petstore pets get --help

$ petstore pets lookup Biscuit
error: unknown command 'pets lookup'
hint: petstore pets list --name Biscuit
does: 0 [ { "id": 1, "name": "

$ petstore pets add --file '{"name":"Rex","categoryId":1,"status":"sold"}'
error: invalid file '***': use the path of a file
hint: petstore pets add --name Rex --category-id 1 --status sold
does: 0 { "id": 11, "name": "R

$ petstore pets add --file '{"name":"Rex","tag":"x"}'
error: invalid file '***': a new pet has no field 'tag'

$ petstore pets add --file @pet.json
error: invalid file '@pet.json': use the path of a file
hint: petstore pets add --file pet.json
does: 0 { "id": 11, "name": "R

$ petstore pets add --file pets.csv
error: pets.csv is a list of pets, which 'petstore pets import' adds
hint: petstore pets import pets.csv --env local
does: 0 {"line":2,"outcome":"a

$ petstore apply -f pet.json
error: unknown command 'apply'
hint: petstore pets add --file pet.json
does: 0 { "id": 11, "name": "R

$ petstore apply -f pets.csv
error: unknown command 'apply'
hint: petstore pets import pets.csv
does: 0 {"line":2,"outcome":"a

$ petstore pets import file://pets.csv
error: invalid file 'file://pets.csv': use the path of a file
hint: petstore pets import pets.csv
does: 0 {"line":2,"outcome":"a

$ petstore pets add --from-csv pets.csv
error: unknown option '--from-csv'
hint: petstore pets import pets.csv
does: 0 {"line":2,"outcome":"a

$ petstore pets add -Name Rex -CategoryId 1 -Status available
error: unknown option '-Name'
hint: petstore pets add --name Rex --category-id 1 --status available
does: 0 { "id": 11, "name": "R

$ petstore pets create name=Rex categoryId:=1
error: unknown command 'pets create'
hint: petstore pets add --name Rex --category-id 1
does: 0 { "id": 11, "name": "R

$ petstore pets creat --nmae Rex --category-id 1
error: unknown command 'pets creat'
hint: petstore pets add --name Rex --category-id 1
does: 0 { "id": 11, "name": "R

$ petstore pets bulk-create pets.csv
error: unknown command 'pets bulk-create'
hint: petstore pets import pets.csv
does: 0 {"line":2,"outcome":"a

$ petstore categories list
error: unknown command 'categories': the service has only pets and messages, and a category is only a number
hint: petstore --help

$ petstore messages create --message hi --phone 15551234567
error: unknown command 'messages create'; also: unknown option '--phone': a message has only a text
hint: petstore messages send --help

$ petstore auth login -u bob
error: unknown option '-u': there are API keys, and no user names
hint: petstore auth login --help

$ petstore config set api_key abc123
error: 'api_key' is not saved with config: use output, timeout, retries or color
hint: petstore auth login
does: 2 error: 'local' is buil

$ petstore config set --timeout 10
error: the name is missing: use output, timeout, retries or color
hint: petstore config set timeout 10
does: 0 timeout set to 10 seco

$ petstore config set-context qa --server https://qa.example.com
error: unknown command 'config set-context'
hint: petstore env set qa --base-url https://qa.example.com
does: 0 saved the URLs of 'qa'

$ petstore config get env
error: 'env' is not saved with config: use output, timeout, retries or color
hint: petstore env list
does: 0 [ { "name": "productio

$ petstore version --check-update
error: unknown command 'version'
hint: petstore --version
does: 0 1.1.0 

$ petstore pets list --watch 2s
error: invalid value '2s' for --watch: use a number of seconds from 0.1 to 86400
hint: petstore pets list --watch 2
does: 130 {"event":"added","ti

$ petstore pets list --timeout 500ms
error: invalid timeout '500ms': use a number of seconds from 0.001 to 86400
hint: petstore pets list --timeout 0.5
does: 0 [ { "id": 1, "name": "

$ petstore serve --latency 1s --fail 10%
error: invalid latency '1s': use a whole number from 0 to 3600000
hint: petstore serve --latency 1000 --fail 0.1

$ petstore serve -p 8089 --fail-rate 0.5
error: unknown option '-p'
hint: petstore serve --port 8089 --fail 0.5

$ petstore pets/3
error: unknown command 'pets/3'
hint: petstore pets get 3
does: 0 { "id": 3, "name": "Si

$ petstore completion install zsh
error: unexpected argument 'zsh': completion takes one shell
hint: petstore completion zsh
does: 0 #compdef petstore # Co

$ petstore reset
error: unknown command 'reset': 'petstore env unset local' deletes the local data, and 'petstore config path' says where everything else is
hint: petstore --help

$ petstore get pets --field-selector status=sold
error: unknown command 'get'
hint: petstore pets list --status sold
does: 0 [ { "id": 5, "name": "

$ petstore pets add {name:Rex,categoryId:1}
error: unexpected argument '***': it is not JSON, in which names and texts have double quotes

$ petstore pets list --filter 'status eq sold'
error: unknown option '--filter': pets list has --status, --name, --category-id, --limit, --watch, --until and the options of 'petstore help options'
hint: petstore pets list --help

$ petstore pets list help
error: unexpected argument 'help'
hint: petstore pets list --help

$ petstore pets list -c 1
error: unknown option '-c'
hint: petstore pets list --category-id 1
does: 0 [ { "id": 1,

$ petstore pets list --reverse
error: unknown option '--reverse': --jq 'sort_by(.name) | reverse' sorts the other way round
hint: petstore pets list --help

$ petstore pets list --save pets.json
error: unknown option '--save': '>' after the command writes its output to a file
hint: petstore pets list --help

$ petstore pets get --name Biscuit
error: unknown option '--name'
hint: petstore pets list --name Biscuit
does: 0 [ { "id": 1,

$ petstore get /pets/1
error: unknown command 'get'
hint: petstore api GET /pets/1
does: 0 {"id":1,

$ petstore curl /pets?status=sold
error: unknown command 'curl'
hint: petstore api GET '/pets?status=sold'
does: 0 [

$ petstore pets add --data name=Rex,categoryId=2
error: unknown option '--data': pets add has --name, --category-id, --status, --file and the options of 'petstore help options'
hint: petstore pets add --help

$ petstore pets add name=Rex,categoryId=2
error: unexpected argument 'name=Rex,categoryId=2'
hint: petstore pets add --help

$ petstore pets add @pet.json
error: unexpected argument '@pet.json'
hint: petstore pets add --file pet.json
does: 0 { "id":

$ petstore api POST /pets @pet.json
error: unexpected argument '@pet.json'
hint: petstore api POST /pets --file pet.json
does: 0 {

$ petstore pets add --name Rex --category-id 2 --if-not-exists
error: unknown option '--if-not-exists': the service knows no idempotency keys; an import of one row adds it at most once
hint: petstore pets add --help

$ petstore pets import --csv pets.csv
error: unknown option '--csv'
hint: petstore pets import --format csv pets.csv
does: 0

$ petstore pets import pets.csv --validate
error: unknown option '--validate'
hint: petstore pets import pets.csv --check
does: 0

$ petstore pets import pets.csv --ignore-errors
error: unknown option '--ignore-errors': an import continues after a row that fails, and --rejects keeps such rows
hint: petstore pets import --help

$ petstore pets import pets.csv --delimiter \\;
error: unknown option '--delimiter': the header decides whether commas, semicolons or tabs separate the fields
hint: petstore pets import --help

$ petstore pets import pets.csv --skip-header
error: unknown option '--skip-header': the first line must be the header, with 'name' and 'categoryId'
hint: petstore pets import --help

$ petstore pets rename 3 Rexy
error: unknown command 'pets rename': the service has no such operation; use ${petVerbs}
hint: petstore pets --help

$ petstore messages send --file text.txt
error: unknown option '--file': '-' as the text reads standard input
hint: petstore messages send --help

$ petstore stop
error: unknown command 'stop': Ctrl-C or SIGTERM ends 'petstore serve'
hint: petstore --help

$ petstore pets list --silent --debug
error: unknown option '--silent'
hint: petstore pets list --quiet --verbose
does: 0 [

$ petstore get pets/1
error: unknown command 'get'
hint: petstore pets get 1
does: 0 { "id": 1,

$ petstore pets get pet/1
error: invalid id 'pet/1': use a whole number
hint: petstore pets get 1
does: 0 { "id": 1,

$ petstore pets list --id 1
error: unknown option '--id'
hint: petstore pets get 1
does: 0 { "id": 1,

$ petstore pets get 1 2 3
error: unexpected arguments '2', '3': pets get takes one id
hint: petstore pets get --help

$ petstore pets --status sold list
error: unknown option '--status'
hint: petstore pets list --status sold
does: 0 [

$ petstore --limit 2 pets list --csv
error: unknown option '--limit'
hint: petstore pets list --limit 2 --output csv
does: 0 id,name

$ petstore pets list --sold
error: unknown option '--sold'
hint: petstore pets list --status sold
does: 0 [

$ petstore pets list --json=id,name
error: --json takes no value
hint: petstore pets list --json --fields id,name
does: 0 [ { "id": 1, "name"

$ petstore pets list --quiet=true
error: --quiet takes no value
hint: petstore pets list --quiet
does: 0

$ petstore pets list --quiet=false
error: --quiet takes no value
hint: petstore pets list --help

$ petstore pets list --tag friendly
error: unknown option '--tag': --status, --name and --category-id narrow the list
hint: petstore pets list --help

$ petstore pets list --template '{{.name}}'
error: unknown option '--template': --jq takes a jq expression, and --fields names of fields
hint: petstore pets list --help

$ petstore pets wait --for status=sold
error: unknown command 'pets wait'; also: unknown option '--for': --until takes a jq expression
hint: petstore pets list --help

$ petstore pets create --name Rex --category dog
error: unknown command 'pets create'; also: invalid category id 'dog': use a whole number
hint: petstore pets add --help

$ petstore pets add Rex dog sold
error: unexpected arguments 'Rex', 'dog', 'sold'
hint: petstore pets add --help

$ petstore pets add --name Rex --category 1 --tags small
error: unknown option '--category'; also: unknown option '--tags': a new pet has only a name, a category ID and a status
hint: petstore pets add --help

$ petstore pets add -F name=Rex -F categoryId=2
error: unknown option '-F'
hint: petstore pets add --name Rex --category-id 2
does: 0

$ petstore pets add -d name=Rex -d age=3
error: unknown option '-d'
hint: petstore pets add --help

$ petstore pets add --name Rex --category-id 2 --sold
error: unknown option '--sold'
hint: petstore pets add --name Rex --category-id 2 --status sold
does: 0

$ petstore pets add -f -
error: unknown option '-f'
hint: petstore pets add --file -
does: 2 error:

$ petstore pets add --from-file pets.csv
error: unknown option '--from-file'
hint: petstore pets import pets.csv
does: 0

$ petstore apply -f pets.csv
error: unknown command 'apply'
hint: petstore pets import pets.csv
does: 0

$ petstore pets import pets.csv others.csv
error: unexpected argument 'others.csv': pets import takes one file
hint: petstore pets import --help

$ petstore import pets.csv --dry-run=client
error: unknown command 'import'
hint: petstore pets import pets.csv --dry-run
does: 0 curl

$ petstore messages create --body hi --to me
error: unknown command 'messages create'; also: unknown option '--to': a message has only a text
hint: petstore messages send --help

$ petstore serve -d
error: unknown option '-d': the service runs until a signal; '&' after the command starts it in the background
hint: petstore serve --help

$ petstore docter --fix
error: unknown command 'docter'; also: unknown option '--fix': doctor changes nothing; each problem that it finds has a command
hint: petstore doctor --help

$ petstore keys list
error: unknown command 'keys'
hint: petstore auth status
does: 0

$ petstore auth login --api-key K --base-url https://pets.example/v1 --env test
error: unknown option '--api-key': an API key cannot be given as an option; petstore auth login asks for it, or reads standard input
hint: petstore auth login --env test --base-url https://pets.example/v1
does: 0 curl

$ petstore auth login --api-key --base-url abcdefgh --env test
error: unknown option '--api-key': an API key cannot be given as an option; petstore auth login asks for it, or reads standard input
hint: petstore auth login --env test
does: 9 error: no base URL is set for 'test'

$ petstore auth login --api-key K --base-url https://u:pass@pets.example/v1
error: unknown option '--api-key': an API key cannot be given as an option; petstore auth login asks for it, or reads standard input
hint: petstore auth login --help

$ petstore api /pets -X GET
error: unknown option '-X'
hint: petstore api GET /pets
does: 0 [

$ petstore api -XGET /pets?limit=1 -i
error: unknown option '-X'
hint: petstore api GET '/pets?limit=1' -i
does: 0 HTTP

$ petstore api POST /pets --input pet.json
error: unknown option '--input'
hint: petstore api POST /pets --file pet.json
does: 0 {

$ petstore msg send hi
error: unknown command 'msg'
hint: petstore messages send hi
does: 0 

$ petstore msgs hello
error: unknown command 'msgs'
hint: petstore messages send hello
does: 0 

$ petstore msg list
error: unknown command 'msg': use pets, messages, env, auth, config, api, commands, completion, serve, doctor or help
hint: petstore --help

$ petstore pets list --status '!sold'
error: invalid status '!sold': use available, pending or sold
hint: petstore pets list --help

$ petstore pets list --status unavailable
error: invalid status 'unavailable': use available, pending or sold
hint: petstore pets list --help

$ petstore pets list -q '.[].name'
error: unexpected argument '.[].name'
hint: petstore pets list --jq '.[].name'
does: 0 

$ petstore list available pets
error: unknown command 'list'
hint: petstore pets list --status available
does: 0 [ { "id": 1,

$ petstore list 5 pets
error: unknown command 'list'
hint: petstore pets list --limit 5
does: 0 [ { "id": 1,

$ petstore find pet Rex
error: unknown command 'find'
hint: petstore pets list --name Rex
does: 0 [

$ petstore watch pet 1
error: unknown command 'watch'
hint: petstore pets list --help

$ petstore pets list ?status=sold
error: unexpected argument '?status=sold'
hint: petstore pets list --help

$ petstore pets export pets.csv
error: unknown command 'pets export'; also: unexpected argument 'pets.csv'
hint: petstore pets list --help

$ petstore pets retrieve 1
error: unknown command 'pets retrieve'
hint: petstore pets get 1
does: 0 { "id": 1,

$ petstore config use-context staging
error: unknown command 'config use-context'
hint: petstore env use staging
does: 0

$ petstore server start --port 8099
error: unknown command 'server'
hint: petstore serve --port 8099

$ petstore completion -s zsh
error: unknown option '-s'
hint: petstore completion zsh
does: 0 

$ petstore describe pet 1
error: unknown command 'describe'
hint: petstore pets get 1
does: 0 { "id": 1,

$ petstore update pet 1 --name Max
error: unknown command 'update'; also: unknown command 'pets update': the service has no such operation; use ${petVerbs}
hint: petstore pets --help

$ petstore pets search sold
error: unknown command 'pets search'
hint: petstore pets list --status sold
does: 0 [ { "id": 5, "name": "Pebble", "categoryId": 4, "status": "sold" }, { "id": 9, "na

$ petstore pets find local
error: unknown command 'pets find'
hint: petstore pets list --env local
does: 0 [ { "id": 1, "name": "Biscuit", "categoryId": 1, "status": "available" }, { "id":

$ petstore pets find Rex
error: unknown command 'pets find'
hint: petstore pets list --name Rex
does: 0 [

$ petstore pets search 3
error: unknown command 'pets search'
hint: petstore pets get 3
does: 0 { "id": 3, "name": "Sir Waddles", "categoryId": 3, "status": "pending" } notice: p

$ petstore pets find 'Rex the dog'
error: unknown command 'pets find'
hint: petstore pets list --name 'Rex the dog'
does: 0 [

$ petstore pets search Rex the dog
error: unknown command 'pets search'
hint: petstore pets list --name 'Rex the dog'
does: 0 [

$ petstore pets get Rex
error: invalid id 'Rex': use a whole number
hint: petstore pets list --name Rex
does: 0 [

$ petstore pets get red dog
error: unexpected argument 'dog': pets get takes one id
hint: petstore pets list --name 'red dog'
does: 0 [

$ petstore pets list Rex
error: unexpected argument 'Rex'
hint: petstore pets list --name Rex
does: 0 [

$ petstore pets list 5
error: unexpected argument '5'
hint: petstore pets list --limit 5
does: 0 [ { "id": 1, "name": "Biscuit", "categoryId": 1, "status": "available" }, { "id":

$ petstore pets list 500
error: unexpected argument '500'
hint: petstore pets list --limit 100
does: 0 [ { "id": 1, "name": "Biscuit", "categoryId": 1, "status": "available" }, { "id":

$ petstore pets list --search Rex
error: unknown option '--search'
hint: petstore pets list --name Rex
does: 0 [

$ petstore pets list -- -rex
error: unexpected argument '-rex'
hint: petstore pets list --help

$ petstore pets find --status sold
error: unknown command 'pets find'
hint: petstore pets list --status sold
does: 0 [ { "id": 5, "name": "Pebble", "categoryId": 4, "status": "sold" }, { "id": 9, "na

$ petstore pets findByStatus sold
error: unknown command 'pets findByStatus'
hint: petstore pets list --status sold
does: 0 [ { "id": 5, "name": "Pebble", "categoryId": 4, "status": "sold" }, { "id": 9, "na

$ petstore pets search --status sold
error: unknown command 'pets search'
hint: petstore pets list --status sold
does: 0 [ { "id": 5, "name": "Pebble", "categoryId": 4, "status": "sold" }, { "id": 9, "na

$ petstore pets list --filter status=sold
error: unknown option '--filter'
hint: petstore pets list --status sold
does: 0 [ { "id": 5, "name": "Pebble", "categoryId": 4, "status": "sold" }, { "id": 9, "na

$ petstore pets list --query status=sold
error: unknown option '--query': --jq takes a jq expression, and --fields names of fields
hint: petstore pets list --status sold
does: 0 [ { "id": 5, "name": "Pebble", "categoryId": 4, "status": "sold" }, { "id": 9, "na

$ petstore pets list --where status=sold
error: unknown option '--where'
hint: petstore pets list --status sold
does: 0 [ { "id": 5, "name": "Pebble", "categoryId": 4, "status": "sold" }, { "id": 9, "na

$ petstore pets list --category 2
error: unknown option '--category'
hint: petstore pets list --category-id 2
does: 0 [ { "id": 2, "name": "Marmalade", "categoryId": 2

$ petstore pets list --categoryId 2
error: unknown option '--categoryId'
hint: petstore pets list --category-id 2
does: 0 [ { "id": 2, "name": "Marmalade", "categoryId": 2

$ petstore pets list --category_id 2
error: unknown option '--category_id'
hint: petstore pets list --category-id 2
does: 0 [ { "id": 2, "name": "Marmalade", "categoryId": 2

$ petstore pets list --count
error: unknown option '--count'
hint: petstore pets list --jq length --limit 100
does: 0 10

$ petstore pets list --total
error: unknown option '--total'
hint: petstore pets list --jq length --limit 100
does: 0 10

$ petstore pets count --status sold
error: unknown command 'pets count'
hint: petstore pets list --status sold --limit 100 --jq length
does: 0 2

$ petstore pets list --columns id,name
error: unknown option '--columns'
hint: petstore pets list --fields id,name
does: 0 [ { "id": 1, "name": "Biscuit" }, { "id": 2, "name": "Marmalade" }, { "id": 3, "na

$ petstore pets list --select id,name
error: unknown option '--select'
hint: petstore pets list --fields id,name
does: 0 [ { "id": 1, "name": "Biscuit" }, { "id": 2, "name": "Marmalade" }, { "id": 3, "na

$ petstore pets list --field id
error: unknown option '--field'
hint: petstore pets list --fields id
does: 0 [ { "id": 1 }, { "id": 2 }, { "id": 3 }, { "id": 4 }, { "id": 5 }, { "id": 6 }, {

$ petstore pets list --columns nmae
error: unknown option '--columns': pets list has --status, --name, --category-id, --limit, --watch, --until and the options of 'petstore help options'
hint: petstore pets list --help

$ petstore pets list --limit 500
error: invalid limit '500': use a whole number from 1 to 100
hint: petstore pets list --limit 100
does: 0 [ { "id": 1, "name": "Biscuit", "categoryId": 1, "status": "available" }, { "id":

$ petstore pets list --limit all
error: invalid limit 'all': use a whole number from 1 to 100
hint: petstore pets list --limit 100
does: 0 [ { "id": 1, "name": "Biscuit", "categoryId": 1, "status": "available" }, { "id":

$ petstore pets list --limit ''
error: invalid limit '': use a whole number from 1 to 100
hint: petstore pets list --help

$ petstore pets list ''
error: unexpected argument ''
hint: petstore pets list --help

$ petstore pets list -o ''
error: invalid output '': use table, json, ndjson, csv or tsv
hint: petstore pets list --help

$ petstore pets wait ''
error: unknown command 'pets wait'; also: unexpected argument ''
hint: petstore pets list --help

$ petstore api POST /pets ''
error: unexpected argument ''
hint: petstore api --help

$ petstore env set dev --url ''
error: unknown option '--url': for a single run, set PETSTORE_BASE_URL or PETSTORE_MESSAGES_URL
hint: petstore env set --help

$ petstore serve ''
error: unexpected argument ''
hint: petstore serve --help

$ petstore pets list --per-page 5
error: unknown option '--per-page'
hint: petstore pets list --limit 5
does: 0 [ { "id": 1, "name": "Biscuit", "categoryId": 1, "status": "available" }, { "id":

$ petstore pets list --page-size 5
error: unknown option '--page-size'
hint: petstore pets list --limit 5
does: 0 [ { "id": 1, "name": "Biscuit", "categoryId": 1, "status": "available" }, { "id":

$ petstore pets list --top 5
error: unknown option '--top'
hint: petstore pets list --limit 5
does: 0 [ { "id": 1, "name": "Biscuit", "categoryId": 1, "status": "available" }, { "id":

$ petstore pets list --first 5
error: unknown option '--first'
hint: petstore pets list --limit 5
does: 0 [ { "id": 1, "name": "Biscuit", "categoryId": 1, "status": "available" }, { "id":

$ petstore pets list -o jsonl
error: invalid output 'jsonl': use table, json, ndjson, csv or tsv
hint: petstore pets list -o ndjson
does: 0 {"id":1,"name":"Biscuit","categoryId":1,"status":"available"} {"id":2,"name":"Marm

$ petstore pets list -o text
error: invalid output 'text': use table, json, ndjson, csv or tsv
hint: petstore pets list -o table
does: 0 id name categoryId status 1 Biscuit 1 available 2 Marmalade 2 available 3 Sir Wadd

$ petstore pets list -o yaml
error: invalid output 'yaml': use table, json, ndjson, csv or tsv
hint: petstore pets list --help

$ petstore pets watch
error: unknown command 'pets watch'
hint: petstore pets list --watch
does: 130 {"event":"added",

$ petstore pets list --watch --interval 5
error: unknown option '--interval'
hint: petstore pets list --watch 5
does: 130 {"event":"added",

$ petstore pets list --every 5
error: unknown option '--every'
hint: petstore pets list --watch 5
does: 130 {"event":"added",

$ petstore pets list --follow
error: unknown option '--follow'
hint: petstore pets list --watch
does: 130 {"event":"added",

$ petstore pets wait sold
error: unknown command 'pets wait'
hint: petstore pets list --until 'any(.[]; .status == "sold")'
does: 0 [ { "id": 1, "name": "Biscuit", "categoryId": 1, "status": "available" }, { "id":

$ petstore pets wait
error: unknown command 'pets wait'
hint: petstore pets list --until EXPRESSION
does: 2 error: --until: EXPRESSION/0 is not defined at <top-level>, line 1, column 1: EXPR

$ petstore pets wait --status sold
error: unknown command 'pets wait'
hint: petstore pets list --until 'length > 0' --status sold
does: 0 [ { "id": 5, "name": "P

$ petstore pets list available pending
error: unexpected arguments 'available', 'pending'
hint: petstore pets list --help

$ petstore pets put 3 --name Rex
error: unknown command 'pets put': the service has no such operation; use ${petVerbs}
hint: petstore pets --help

$ petstore pets add -
error: unexpected argument '-'
hint: petstore pets add --file -
does: 2

$ petstore pets get id=3
error: invalid id 'id=3': use a whole number
hint: petstore pets get --help

$ petstore petstore pets list --env local
error: unknown command 'petstore'
hint: petstore pets list --env local
does: 0 [ { "id": 1, "name": "B

$ petstore api
error: the path is missing
hint: petstore api --help

$ petstore pets list --wait sold
error: unknown option '--wait'
hint: petstore pets list --until 'any(.[]; .status == "sold")'
does: 0 [ { "id": 1, "name": "Biscuit", "categoryId": 1, "status": "available" }, { "id":

$ petstore pets list --until sold
error: invalid value 'sold' for --until: use a jq expression
hint: petstore pets list --until 'any(.[]; .status == "sold")'
does: 0 [ { "id": 1, "name": "Biscuit", "categoryId": 1, "status": "available" }, { "id":

$ petstore pets add Rex 2
error: unexpected arguments 'Rex', '2'
hint: petstore pets add --name Rex --category-id 2
does: 0 { "id": 11, "name": "Rex", "categoryId": 2 } added pet 11 to local

$ petstore pets add Rex
error: unexpected argument 'Rex'
hint: petstore pets add --name Rex --category-id ID
does: 2 error: invalid category id 'ID': use a whole number hint: petstore pets add --help

$ petstore pet add Rex 2
error: unknown command 'pet'
hint: petstore pets add --name Rex --category-id 2
does: 0 { "id": 11, "name": "Rex", "categoryId": 2 } added pet 11 to local

$ petstore pets add -n Rex -c 2
error: unknown option '-n'
hint: petstore pets add --name Rex --category-id 2
does: 0 { "id": 11, "name": "Rex", "categoryId": 2 } added pet 11 to local

$ petstore pets add -f name=Rex -f categoryId=2
error: unknown option '-f'
hint: petstore pets add --name Rex --category-id 2
does: 0 { "id": 11, "name": "Rex", "categoryId": 2 } added pet 11 to local

$ petstore pets add name=Rex categoryId=2
error: unexpected arguments 'name=Rex', 'categoryId=2'
hint: petstore pets add --name Rex --category-id 2
does: 0 { "id": 11, "name": "Rex", "categoryId": 2 } added pet 11 to local

$ petstore pets add 2
error: unexpected argument '2'
hint: petstore pets add --help

$ petstore pets add pet.json
error: unexpected argument 'pet.json'
hint: petstore pets add --file pet.json
does: 0 { "id": 11, "name": "Rex", "categoryId": 2 } added pet 11 to local

$ petstore pets add '{"name":"Rex","categoryId":2}'
error: unexpected argument '***'
hint: petstore pets add --name Rex --category-id 2
does: 0 { "id": 11, "name": "Rex", "categoryId": 2 } added pet 11 to local

$ petstore pets add '{"name":"Rex"}'
error: unexpected argument '{"name":"Rex"}'
hint: petstore pets add --name Rex --category-id ID
does: 2 error: invalid category id 'ID': use a whole number hint: petstore pets add --help

$ petstore pets add --json '{"name":"Rex","categoryId":2}'
{"error":{"code":"usage","message":"unexpected argument '***'","exitCode":2,"hint":"petstore pets add --name Rex --category-id 2","retryable":false}}
does: 0 { "id": 11, "name": "Rex", "categoryId": 2 } added pet 11 to local

$ petstore pets add --data '{"name":"Rex","categoryId":9007199254740993}' --status sold
error: unknown option '--data'
hint: petstore pets add --name Rex --category-id 9007199254740993 --status sold
does: 0 { "id": 11, "name": "Rex", "categoryId": 9007199254740993, "status": "sold" } adde

$ petstore pets add -d '{"name":"Rex","categoryId":2,"status":"sold"}'
error: unknown option '-d'
hint: petstore pets add --name Rex --category-id 2 --status sold
does: 0 { "id": 11, "name": "Rex", "categoryId": 2, "status": "sold" } added pet 11 to loc

$ petstore pets add --body '{"name":"Rex","categoryId":"2"}'
error: unknown option '--body': categoryId must be a 64-bit integer

$ petstore pets add '{"name":"Rex","name":"Max","categoryId":2}'
error: unexpected argument '***': it has the same field twice

$ petstore pets add '{"name":"Rex","age":3}'
error: unexpected argument '***': a new pet has no field 'age'

$ petstore pets add '{"categoryId":2}'
error: unexpected argument '{"categoryId":2}': name is missing

$ petstore pets add --data @pet.json
error: unknown option '--data'
hint: petstore pets add --file pet.json
does: 0 { "id": 11, "name": "Rex", "categoryId": 2 } added pet 11 to local

$ petstore pets add -f pet.json
error: unknown option '-f'
hint: petstore pets add --file pet.json
does: 0 { "id": 11, "name": "Rex", "categoryId": 2 } added pet 11 to local

$ petstore pets add --from-file pet.json
error: unknown option '--from-file'
hint: petstore pets add --file pet.json
does: 0 { "id": 11, "name": "Rex", "categoryId": 2 } added pet 11 to local

$ petstore pets add --input pet.json
error: unknown option '--input'
hint: petstore pets add --file pet.json
does: 0 { "id": 11, "name": "Rex", "categoryId": 2 } added pet 11 to local

$ petstore pets add --name Rex
error: --category-id is missing
hint: petstore pets add --name Rex --category-id ID
does: 2 error: invalid category id 'ID': use a whole number hint: petstore pets add --help

$ petstore pets add --name Rex --no-input
error: --category-id is missing
hint: petstore pets add --name Rex --no-input --category-id ID
does: 2 error: invalid category id 'ID': use a whole number hint: petstore pets add --help

$ petstore pets import --file pets.csv
error: unknown option '--file'
hint: petstore pets import pets.csv
does: 0 {"line":2,"outcome":"added","id":11}

$ petstore pets export --format csv
error: unknown command 'pets export'
hint: petstore pets list --output csv --limit 100
does: 0 id,name,categoryId,status 1,Biscuit,1,available 2,Marmalade,2,available 3,Sir Wadd

$ petstore pets export -o csv
error: unknown command 'pets export'
hint: petstore pets list -o csv --limit 100
does: 0 id,name,categoryId,status 1,Biscuit,1,available 2,Marmalade,2,available 3,Sir Wadd

$ petstore pets export
error: unknown command 'pets export'
hint: petstore pets list --limit 100 --json
does: 0 [ { "id": 1, "name": "Biscuit", "categoryId": 1, "status": "available" }, { "id":

$ petstore message hello
error: unknown command 'message'
hint: petstore messages send hello
does: 0 { "id": "1", "message": "hello", "status": "queued",

$ petstore message send hello
error: unknown command 'message'
hint: petstore messages send hello
does: 0 { "id": "1", "message": "hello", "status": "queued",

$ petstore pet 3
error: unknown command 'pet'
hint: petstore pets get 3
does: 0 { "id": 3, "name": "Sir Waddles", "categoryId": 3, "status": "pending" } notice: p

$ petstore pet list
error: unknown command 'pet'
hint: petstore pets list
does: 0 [ { "id": 1, "name": "Biscuit", "categoryId": 1, "status": "available" }, { "id":

$ petstore env ls
error: unknown command 'env ls'
hint: petstore env list
does: 0 [ { "name": "production", "inUse": false, "baseUrl": "https://production.example/v

$ petstore use staging
error: unknown command 'use'
hint: petstore env use staging
does: 0 'staging' is now the default environment notice: PETSTORE_ENV is set and still app

$ petstore env staging
error: unknown command 'env staging'
hint: petstore env use staging
does: 0 'staging' is now the default environment notice: PETSTORE_ENV is set and still app

$ petstore config set env staging
error: 'env' is not saved with config: use output, timeout, retries or color
hint: petstore env use staging
does: 0 'staging' is now the default environment notice: PETSTORE_ENV is set and still app

$ petstore env use lokal
error: no environment is named 'lokal'
hint: petstore env use local
does: 0 'local' is now the default environment notice: PETSTORE_ENV is set and still appli

$ petstore env use stagng
error: no environment is named 'stagng'
hint: petstore env use staging
does: 0 'staging' is now the default environment notice: PETSTORE_ENV is set and still app

$ petstore env use elsewhere
error: no environment is named 'elsewhere'
hint: petstore env list
does: 0 [ { "name": "production", "inUse": false, "baseUrl": "https://production.example/v

$ petstore pets list --staging
error: unknown option '--staging'
hint: petstore pets list --env staging
does: 0 curl --silent --show-error --globoff --header 'accept: application/json' --header

$ petstore pets list --production
error: unknown option '--production'
hint: petstore pets list --env production
does: 0 curl --silent --show-error --globoff --header 'accept: application/json' --header

$ petstore pets list --prod
error: unknown option '--prod'
hint: petstore pets list --env production
does: 0 curl --silent --show-error --globoff --header 'accept: application/json' --header

$ petstore env create dev --url https://pets.example/v1
error: unknown command 'env create'
hint: petstore env set dev --base-url https://pets.example/v1
does: 0 saved the URLs of 'dev'

$ petstore env set dev --url https://pets.example/v1
error: unknown option '--url': for a single run, set PETSTORE_BASE_URL or PETSTORE_MESSAGES_URL
hint: petstore env set dev --base-url https://pets.example/v1
does: 0 saved the URLs of 'dev'

$ petstore env add dev https://pets.example/v1
error: unknown command 'env add'
hint: petstore env set dev --base-url https://pets.example/v1
does: 0 saved the URLs of 'dev'

$ petstore env add staging https://new.example/v1
error: unknown command 'env add'
hint: petstore env set --help

$ petstore config set timeout=5
error: the value is missing
hint: petstore config set timeout 5
does: 0 timeout set to 5 seconds

$ petstore config set output=json
error: the value is missing
hint: petstore config set output json
does: 0 output set to json

$ petstore config timeout 5
error: unknown command 'config timeout'
hint: petstore config set timeout 5
does: 0 timeout set to 5 seconds

$ petstore config set base-url https://pets.example/v1
error: 'base-url' is not saved with config, because it belongs to an environment: use output, timeout, retries or color; also: the environment is missing
hint: petstore env set --help

$ petstore config set base-url https://pets.example/v1 --env dev
error: 'base-url' is not saved with config, because it belongs to an environment: use output, timeout, retries or color
hint: petstore env set dev --base-url https://pets.example/v1
does: 0 saved the URLs of 'dev'

$ petstore config set messages-url https://pets.example --env dev
error: 'messages-url' is not saved with config, because it belongs to an environment: use output, timeout, retries or color
hint: petstore env set dev --messages-url https://pets.example
does: 0 saved the URLs of 'dev'

$ petstore config set base-url https://pets.example/v1 --env local
error: 'base-url' is not saved with config, because it belongs to an environment: use output, timeout, retries or color
hint: petstore env set --help

$ petstore auth login --with-token
error: unknown option '--with-token'
hint: petstore auth login
does: 2 error: 'local' is built in: it takes no URLs and no API key hint: petstore pets list --env local

$ petstore auth login --with-token secret1234
error: unknown option '--with-token'
hint: petstore auth login
does: 2 error: 'local' is built in: it takes no URLs and no API key hint: petstore pets list --env local

$ petstore auth login --token-stdin
error: unknown option '--token-stdin'
hint: petstore auth login
does: 2 error: 'local' is built in: it takes no URLs and no API key hint: petstore pets list --env local

$ petstore auth status --env all
error: no environment is named 'all'
hint: petstore auth status
does: 0 [ { "environment": "production", "inUse": false, "baseUrl": "https://production.ex

$ petstore serve -p 4010
error: unknown option '-p'
hint: petstore serve --port 4010

$ petstore serve 4010
error: unexpected argument '4010'
hint: petstore serve --port 4010

$ petstore api get pets
error: invalid path: use a path that starts with /, such as /pets: the environment has the rest of the URL
hint: petstore api GET /pets
does: 0 [{"id":1,"name":"Biscuit","categoryId":1,"status":"available"},{"id":2,"name":"Mar

$ petstore api GET pets
error: invalid path: use a path that starts with /, such as /pets: the environment has the rest of the URL
hint: petstore api GET /pets
does: 0 [{"id":1,"name":"Biscuit","categoryId":1,"status":"available"},{"id":2,"name":"Mar

$ petstore api pets/3
error: invalid path: use a path that starts with /, such as /pets: the environment has the rest of the URL
hint: petstore api GET /pets/3
does: 0 {"id":3,"name":"Sir Waddles","categoryId":3,"status":"pending"}

$ petstore api pets
error: the path is missing
hint: petstore api GET /pets
does: 0 [{"id":1,"name":"Biscuit","categoryId":1,"status":"available"},{"id":2,"name":"Mar

$ petstore api https://HOST/v1/pets
error: invalid path: use a path that starts with /, such as /pets: the environment has the rest of the URL
hint: petstore api GET /pets
does: 0 [{"id":1,"name":"Biscuit","categoryId":1,"status":"available"},{"id":2,"name":"Mar

$ petstore api GET elsewhere
error: invalid path: use a path that starts with /, such as /pets: the environment has the rest of the URL
hint: petstore api --help

$ petstore api DELETE pets
error: invalid path: use a path that starts with /, such as /pets: the environment has the rest of the URL
hint: petstore api --help

$ petstore api POST /pets name=Rex categoryId=2
error: unexpected arguments 'name=Rex', 'categoryId=2'
hint: petstore api POST /pets --raw-field name=Rex --field categoryId=2
does: 0 {"id":11,"name":"Rex","categoryId":2}

$ petstore api POST /pets -d '{"name":"Rex","categoryId":2}'
error: unknown option '-d': fields are given with -F, and a body with --file (--file - reads standard input)
hint: petstore api POST /pets --raw-field name=Rex --field categoryId=2
does: 0 {"id":11,"name":"Rex","categoryId":2}

$ petstore api POST /pets --data '{"name":"Rex","isGood":true,"age":null}'
error: unknown option '--data': fields are given with -F, and a body with --file (--file - reads standard input)
hint: petstore api POST /pets --raw-field name=Rex --field isGood=true --field age=null
does: 3 {"code":"invalid_request","message":"categoryId is missing","status":400}error: th

$ petstore api POST /pets --body @pet.json
error: unknown option '--body': fields are given with -F, and a body with --file (--file - reads standard input)
hint: petstore api POST /pets --file pet.json
does: 0 {"id":11,"name":"Rex","categoryId":2}

$ petstore api POST /pets --json '{"name":"Rex","categoryId":2}'
{"error":{"code":"usage","message":"unexpected argument '***'","exitCode":2,"hint":"petstore api POST /pets --raw-field name=Rex --field categoryId=2","retryable":false}}
does: 0 {"id":11,"name":"Rex","categoryId":2}

$ petstore api POST /pets -d '{"name":{"first":"Rex"}}'
error: unknown option '-d': name must be a single value

$ petstore api POST /pets -d name=Rex
error: unknown option '-d': fields are given with -F, and a body with --file (--file - reads standard input)

$ petstore schema
error: unknown command 'schema'
hint: petstore commands
does: 0 { "name": "petstore", "version": "1.1.0", "options": [ { "flags": "-e, --env <envi

$ petstore schema pets list
error: unknown command 'schema'
hint: petstore commands pets list
does: 0 { "name": "petstore", "version": "1.1.0", "commands": [ { "name": "pets list", "su

$ petstore describe pets list
error: unknown command 'describe'
hint: petstore commands pets list
does: 0 { "name": "petstore", "version": "1.1.0", "commands": [ { "name": "pets list", "su

$ petstore openapi
error: unknown command 'openapi'
hint: petstore api GET /openapi.json --env local
does: 0 {"openapi":"3.1.0","info":{"title":"Pet store","version":"1.0.0","description":"Pe

$ petstore skill
error: unknown command 'skill'
hint: petstore help agents
does: 0 --- name: petstore description: >- Use the petstore command to work with the pets

$ petstore agents
error: unknown command 'agents'
hint: petstore help agents
does: 0 --- name: petstore description: >- Use the petstore command to work with the pets

$ petstore init
error: unknown command 'init'
hint: petstore auth login --base-url https://HOST/v1
does: 2 error: 'local' is built in: it takes no URLs and no API key hint: petstore pets list --env local

$ petstore setup
error: unknown command 'setup'
hint: petstore auth login --base-url https://HOST/v1
does: 2 error: 'local' is built in: it takes no URLs and no API key hint: petstore pets list --env local

$ petstore pets update 3
error: unknown command 'pets update': the service has no such operation; use ${petVerbs}
hint: petstore pets --help

$ petstore pets sell 3
error: unknown command 'pets sell': the service has no such operation; use ${petVerbs}
hint: petstore pets --help

$ petstore pets buy 3
error: unknown command 'pets buy': the service has no such operation; use ${petVerbs}
hint: petstore pets --help

$ petstore pets adopt 3
error: unknown command 'pets adopt': the service has no such operation; use ${petVerbs}
hint: petstore pets --help

$ petstore pets edit 3
error: unknown command 'pets edit': the service has no such operation; use ${petVerbs}
hint: petstore pets --help

$ petstore pets move 3
error: unknown command 'pets move': the service has no such operation; use ${petVerbs}
hint: petstore pets --help

$ petstore pets list --page 2
error: unknown option '--page': the service has no such operation; it lists at most 100 pets
hint: petstore pets list --help

$ petstore pets list --offset 20
error: unknown option '--offset': the service has no such operation; it lists at most 100 pets
hint: petstore pets list --help

$ petstore pets list --sort name
error: unknown option '--sort': the service has no such operation; --jq 'sort_by(.name)' sorts the pets that it lists
hint: petstore pets list --jq 'sort_by(.name)' --limit 100
does: 0 [{"id":1,"name":"Biscuit","categoryId":1,"status":"available"},{"id":8,"name":"Cap

$ petstore pets list --sort-by name --status sold
error: unknown option '--sort-by': the service has no such operation; --jq 'sort_by(.name)' sorts the pets that it lists
hint: petstore pets list --jq 'sort_by(.name)' --status sold --limit 100
does: 0 [{"id":9,"name":"Methuselah","categoryId":9007199254740993,"status":"sold"},{"id":

$ petstore orders
error: unknown command 'orders': the local service does not implement orders; 'petstore api GET /store/orders' asks the service
hint: petstore --help

$ petstore orders list
error: unknown command 'orders': the local service does not implement orders; 'petstore api GET /store/orders' asks the service
hint: petstore --help

$ petstore store orders
error: unknown command 'store': the local service does not implement orders; 'petstore api GET /store/orders' asks the service
hint: petstore --help

$ petstore stores
error: unknown command 'stores': the local service does not implement orders; 'petstore api GET /store/orders' asks the service
hint: petstore --help

$ petstore update
error: unknown command 'update': how petstore was installed decides how it is upgraded (docs/install.md)
hint: petstore --help

$ petstore upgrade
error: unknown command 'upgrade': how petstore was installed decides how it is upgraded (docs/install.md)
hint: petstore --help

$ petstore self-update
error: unknown command 'self-update': how petstore was installed decides how it is upgraded (docs/install.md)
hint: petstore --help

$ petstore pets list --status available,sold
error: invalid status 'available,sold': use available, pending or sold; a list has one status; without --status, it has all
hint: petstore pets list --help

$ petstore pets list --status available --status sold
error: --status is given twice, with different values; a list has one status; without --status, it has all
hint: petstore pets list --help

$ petstore pets list --limit 5 --limit 6
error: --limit is given twice, with different values
hint: petstore pets list --help

$ petstore api -f a=1 /pets
error: fields and a file need the method: GET sends fields in the query; POST, PUT and PATCH send a body
hint: petstore api --help

$ petstore -v
error: --verbose needs a command, whose requests it shows
hint: petstore --version
does: 0 1.1.0
`

const rows = guesses
  .trim()
  .split('\n\n')
  .map(block => {
    const [typed = '', ...lines] = block.split('\n')
    const does = lines.at(-1)?.startsWith('does: ')
      ? lines.pop()?.slice('does: '.length)
      : undefined
    return { typed: typed.slice('$ petstore '.length), answer: lines, does }
  })

test.each(rows)('$typed', async ({ typed, answer, does }) => {
  const home = homeForGuesses()
  await inWork(async () => {
    expect(await answerTo(typed, home)).toEqual(answer)
    const done = await doing(answer, home)
    expect(done?.slice(0, does?.length)).toBe(does)
  })
})

test.each([
  ['api /pets', 'api GET /pets'],
  ['api /openapi.json', 'api GET /openapi.json'],
  ['api /pets --include --jq length', 'api GET /pets --include --jq length'],
  ["commands 'pets list'", 'commands pets list'],
  ["help 'pets list'", 'help pets list'],
  ['pets list --status sold --status sold', 'pets list --status sold'],
  ['pets list --limit 5 --limit=05', 'pets list --limit 5']
])('%s is %s', async (typed, meant) => {
  const home = temporaryDirectory()
  const options = { home, env: { PETSTORE_ENV: 'local' } }
  // The first run makes the database.
  await runCli(['pets', 'list'], options)
  const expected = await runCli(wordsOf(meant), options)
  expect(expected.code).toBe(0)
  // Only the time of the reply differs.
  const untimed = ({ code, stdout, stderr }: typeof expected) => ({
    code,
    stdout: stdout.replace(/^date: .*$/im, ''),
    stderr
  })
  expect(untimed(await runCli(wordsOf(typed), options))).toEqual(untimed(expected))
})

test.each([
  ['pets add', 'a pet needs --name and --category-id: --file - reads standard input'],
  ['pets import', 'the file is missing: - reads standard input']
])('%s with a redirected file says how to read it, without a hint', async (line, message) => {
  const { code, stderr } = await runCli(line.split(' '), { hasFileInput: true })
  const { error } = JSON.parse(stderr)
  expect({ code, message: error.message, hint: error.hint }).toEqual({
    code: 2,
    message,
    hint: undefined
  })
})

test('after 404, a path that repeats the end of the base URL gets the path without it', async () => {
  const hintAfter = async (...argv: string[]) =>
    JSON.parse((await runCli([...argv, '--env', 'local'])).stderr).error.hint
  expect(await hintAfter('api', 'GET', '/v1/pets')).toBe('petstore api GET /pets --env local')
  const withHeader = await hintAfter('api', 'GET', '/v1/pets', '-H', 'X-Secret: abc')
  expect(withHeader ?? '').not.toContain('abc')
})

test('a misspelled environment is not corrected where something changes', async () => {
  const add = 'pets add --name Rex --category-id 2 --env lokal'.split(' ')
  expect(JSON.parse((await runCli(add)).stderr).error.hint).toBe('petstore env list')
})
