import { mkdirSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { reasons } from '../../src/cli/habit-words.ts'
import { habits } from '../../src/cli/habits.ts'
import { program } from '../../src/cli/program.ts'
import { readLine } from '../../src/cli/read-line.ts'
import { commandName, commandPath, walkTree } from '../../src/cli/tree.ts'
import { usageFailure } from '../../src/cli/usage.ts'
import { recordingServer } from '../support/recording-server.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { inWork, refusal, rowsOf, typed, wordsOf } from './typing.ts'

/** What is typed by habit, or with a mistake, and the complete command that the hint gives. */
const hints = rowsOf(`
pets list sold => pets list --status sold
ls => pets ls
pets list --limit 5 Rex -q => pets list --limit 5 --name Rex -q
pets list Rex --sort=name => pets list --name Rex --jq 'sort_by(.name)'
pets list --category 2 => pets list --category-id 2
pets list --format json => pets list --output json
pets list --json name,id => pets list --json --fields name,id
pets list --json=name => pets list --json --fields name
pets list -q '.[0]' => pets list --jq '.[0]'
pets list --count => pets list --complete --jq length
pets list -L 5 => pets list --limit 5
pets list --sold => pets list --status sold
pets list --state=sold => pets list --status sold
pets list -s sold => pets list --status sold
pets list --csv => pets list --output csv
pets list --filter status=sold => pets list --status sold
pets list --staging --dry-run => pets list --env staging --dry-run
pets get Rex => pets list --name Rex
pets find Rex --status sold => pets list --name Rex --status sold
-e local pets describe Rex => pets list --name Rex -e local
pets get --id 1 => pets get 1
pet 1 => pet get 1
pets add -f pets.csv => pets import pets.csv
pets add --from-file pets.csv => pets import pets.csv
apply -f pets.json => pets import pets.json
pets list -o jsonl => pets list --output ndjson
config use-context local => env use local
get /v1/pets => api get /pets
pets get 1 --format json => pets get 1 --output json
pets count => pets list --complete --jq length
pets export => pets list
pets export --status sold --format csv => pets list --status sold --output csv
pets get 1 -o yaml => pets get 1 --output json
pets add --bulk pets.json => pets import pets.json
pets find-by-status sold => pets list --status sold
pets retrieve 1 => pets get 1
pets list --columns id,name => pets list --fields id,name
pets list -l status=sold => pets list --status sold
pets list --sort name --order desc => pets list --jq 'sort_by(.name)|reverse'
pets list --sort name --limit 5 => pets list --jq 'sort_by(.name)|.[:5]'
pets list --sort name --json id,name => pets list --jq 'sort_by(.name)|map({id,name})'
pets list --sort-by id --reverse => pets list --jq 'sort_by(.id)|reverse'
pets list --page-size 5 => pets list --limit 5
env switch staging => env use staging
pets list --sort=-id => pets list --jq 'sort_by(.id)|reverse'
pets list --status available,sold => pets list --jq 'map(select(IN(.status;{available,sold}|keys[])))'
pets list --debug => pets list --verbose
pets add -f pet.json --dry-run => pets add --file pet.json --dry-run
pets watch => pets list --watch
pets list --follow => pets list --watch
serve -p 0 => serve --port 0
send-message hello => messages send hello
pets add Rex 2 => pets add --name Rex --category-id 2
pets add Rex --category-id 2 => pets add --name Rex --category-id 2
pets add name=Rex categoryId=2 => pets add --name Rex --category-id 2
add Rex 2 => pets add --name Rex --category-id 2
pets import --file pets.csv => pets import pets.csv
pets create -d @pet.json => pets create --file pet.json
apply -f pet.json => pets add --file pet.json
apply -f pets.csv => pets import pets.csv
pets list --output wide => pets list --output table
pets import pets.csv --dry-run => pets import pets.csv --check
pets import --format jsonl pets.csv => pets import --format ndjson pets.csv
import --format jsonl - => pets import --format ndjson -
config set env staging => env use staging
auth whoami => auth status
env set dev https://dev.example => env set dev --base-url https://dev.example
env set dev --url https://dev.example => env set dev --base-url https://dev.example
env set dev --no-read-only => env set dev --read-write
env add dev => env set dev --base-url https://HOST/v1
env add dev --base-url https://dev.example => env set dev --base-url https://dev.example
api pets => api /pets
api get pets => api get /pets
api -X GET /pets => api GET /pets
api /pets --file pet.json => api POST /pets --file pet.json
api /pets -X GET => api GET /pets
messages send three short words -q => messages send 'three short words' -q
messages send --text hello => messages send hello
get pets => pets list
get pet 1 => pets get 1
list sold => pets list --status sold
init => auth login --help
pets help add => pets --help add
show 1 => pets show 1
list-pets --category 2 => pets list --category-id 2
import pets.csv --format csv => pets import pets.csv --format csv
create pet --name Rex --category-id 2 => pets create --name Rex --category-id 2
create message Hello => messages send Hello
env current => env list
export pets.json => pets list --output json
get /pets => api get /pets
request GET /pets => api GET /pets
use staging => env use staging
profiles list => env list
agent setup => help agents
schema => help agents
config set timeout=5 => config set timeout 5
load pets.csv => pets import pets.csv
pets upload pets.csv => pets import pets.csv
server start => serve
mock --help => serve --help
messages create --text hello => messages send hello
config view => config list
health => doctor
version => --version

pets ls available pending => pets ls --jq 'map(select(IN(.status;{available,pending}|keys[])))'
pets list --status available pending => pets list --jq 'map(select(IN(.status;{available,pending}|keys[])))'
pets list -o json --pretty => pets list -o json
pets ls --filter category=2 => pets ls --category-id 2
pets list --sort-by=.name => pets list --jq 'sort_by(.name)'
pets list --max-results 10 => pets list --limit 10
pets add @pet.json => pets add --file pet.json
pets add -F name=Rex -F categoryId=2 => pets add --name Rex --category-id 2
pets get --name Rex => pets list --name Rex
wait pets --for status=sold --timeout 1s => pets list --status sold --until 'length>0' --wait 1
POST /pets name=Rex categoryId:=2 => api POST /pets --raw-field name=Rex --field categoryId=2
pets import pets.csv --dry-run --rejects rejects.csv => pets import pets.csv --check --rejects rejects.csv
pets import => pets import -
pets import -j 4 pets.csv => pets import --concurrency 4 pets.csv
config get env => env list
config get-contexts => env list
configure => auth login --help
mock start => serve
count => pets list --complete --jq length
pet wait 1 --status sold --timeout 2s => pet list --status sold --until 'any(.[];.id==1)' --wait 2
wait 1 --for sold => pets list --status sold --until 'any(.[];.id==1)'
pets wait --for sold => pets list --status sold --until 'length>0'
pets list --wait-for sold => pets list --status sold --until 'length>0'
list --status '!sold' => pets list --jq 'map(select(IN(.status;{sold}|keys[])|not))'
list --status!=sold => pets list --jq 'map(select(IN(.status;{sold}|keys[])|not))'
add --name Rex --category-id 2 --sold => pets add --name Rex --category-id 2 --status sold
pets list --pretty => pets list
pets list --timeout 2s => pets list --timeout 2
watch --interval 1 => pets list --watch 1
watch -n 2 => pets list --watch 2
inspect 1 => pets get 1
describe-pets => pets list
pets list --id 3 => pets get 3
get pet/1 => pets get 1
pets import pets.csv --resume => pets import pets.csv
pets watch 1 => pets list --watch --jq 'select(.pet.id==1)'
pets list --query length => pets list --jq length
pets tail 3 => pets list --jq '.[-3:]'
pets list all => pets list
env create dev https://dev.example => env set dev --base-url https://dev.example
pets list --tail 3 => pets list --jq '.[-3:]'
pets --status sold => pets list --status sold
pets import pets.csv --dryrun => pets import pets.csv --check
env set dev -u https://dev.example => env set dev --base-url https://dev.example
login --env dev https://dev.example => login --env dev --base-url https://dev.example
auth login staging => auth login --env staging
api /pets --query status=sold => api GET /pets --raw-field status=sold
api /pets -I => api HEAD /pets --include
version --json => --version
help environment-variables => help environment
help add => help pets add
pets:list => pets list
msg send hello => messages send hello
messages send -t hello => messages send hello
pets list --max-time 5s --yes => pets list --timeout 5

pets lst => pets list
pets list --stauts=sold => pets list --status=sold
pets list --status Sold => pets list --status sold
pets list --fields nmae => pets list --fields name
pets list --fields id,nmae => pets list --fields id,name
pets list -json => pets list --json
completion bsh => completion bash
config get timout => config get timeout
help petz => help pets
help exit-code => help exit-codes
env use prodction => env use production
--env stagin pets list --dry-run => --env staging pets list --dry-run
`)

/** What no command does: the reason, and the command that helps. */
const impossible = rowsOf(`
pets list --limit 5 --sort name => --jq sorts JSON, for example sort_by(.name); another program sorts other formats | pets list --help
pets list --order desc --sort id => --jq sorts JSON, for example sort_by(.name); another program sorts other formats | pets list --help
pets list --sort id:desc => --jq sorts JSON, for example sort_by(.name); another program sorts other formats | pets list --help
pets list --order-by name desc => --jq sorts JSON, for example sort_by(.name); another program sorts other formats | pets list --help
list --group-by status => use --fields name, or --jq with an expression of jq | --help
pets search --query status:\\'sold\\' => use --fields name, or --jq with an expression of jq | pets --help
api pets -d '{"name":"Rex","categoryId":2}' => JSON comes from a file, or from standard input with --file - | api --help
pets add --data '{"name": "Rex", "categoryId": 2}' => JSON comes from a file, or from standard input with --file - | pets add --help
pets list Rex => --name finds pets with exactly this name | pets list --name Rex
pets list --search Rex => --name finds pets with exactly this name; --jq finds parts of names | pets list --jq 'map(select((.name|ascii_downcase)as$name|{Rex}|keys[]|ascii_downcase|inside($name)))'
pets find rex => --name finds pets with exactly this name; --jq finds parts of names | pets list --jq 'map(select((.name|ascii_downcase)as$name|{rex}|keys[]|ascii_downcase|inside($name)))'
pets get rex => --name finds pets with exactly this name; --jq finds parts of names | pets list --jq 'map(select((.name|ascii_downcase)as$name|{rex}|keys[]|ascii_downcase|inside($name)))'
pets list bis => --name finds pets with exactly this name; --jq finds parts of names | pets list --jq 'map(select((.name|ascii_downcase)as$name|{bis}|keys[]|ascii_downcase|inside($name)))'
pets search rex --limit 5 => --name finds pets with exactly this name; --jq finds parts of names | pets --help
pets list 'sir waddles' => --name finds pets with exactly this name; --jq finds parts of names | pets list --help
list --name-contains 'Sir W' => --name finds pets with exactly this name; --jq finds parts of names | --help
pets list --query 'length(@)' => use --fields name, or --jq with an expression of jq | pets list --help
pets list --count --status sold --status pending => a list is of one status, or of all: --jq chooses from it | pets list --help
pets list --status sold,pending --csv => a list is of one status, or of all: --jq chooses from it | pets list --help
pets list --count --limit 5 => --jq length counts the list | pets list --help
pets list --sort name --csv => --jq sorts JSON, for example sort_by(.name); another program sorts other formats | pets list --help
messages send --body @pet.json => a file is sent from standard input: petstore messages send < FILE | messages send --help
messages send --data '{"message":"hi"}' => a message is only a text | messages send --help
auth login local => 'local' is built in: it needs no URL and no API key | env use local
env set base-url https://a.example/v1 => a base URL belongs to an environment and its API key | auth login --base-url https://a.example/v1
pets import pets.csv --skip-errors => an import goes on after a wrong row; --rejects writes such rows to a file | pets import pets.csv
pets import pets.csv other.csv => an import reads one file | pets import --help
pets import --no-header pets.csv => a CSV file begins with the header name,categoryId,status | pets import --help
pets add --id 4 --name Rex --category-id 2 => a pet has only --name, --category-id and --status | pets add --help
pets add --name Rex --category-id 2 --if-not-exists => --idempotency-key adds a pet once, where the service honors it | pets add --help
env set -u https://a.example => a base URL belongs to an environment and its API key | env set --help
env set local http://127.0.0.1:4010 => 'local' is built in: it needs no URL and no API key | env use local
config rm output => petstore config unset removes a setting | config --help
env unset local --force => --yes deletes without asking | env unset --help
pets list --query '[].name' => use --fields name, or --jq with an expression of jq | pets list --help
auth login --env dev --with-token => the API key is read from standard input | auth login --help
pets list --no-headers => of the formats for rows, only tsv has no header | pets list --output tsv
pets list --all => the service has no pages: it lists the first 100 pets | pets list --complete
ps -a => the service has no pages: it lists the first 100 pets | pets list --complete
list-pets --page-size 2 --starting-token abc => the service has no pages: it lists the first 100 pets | --help
api /pets --paginate --jq length => the service has no pages: it lists the first 100 pets | api --help
api /pets/1 --paginate => the service has no pages: it lists the first 100 pets | api --help
pet list --query 'pets[].name' => use --fields name, or --jq with an expression of jq | pets list --help
wait pet/1 --for=condition=Ready => pets list --until EXPR waits for a jq expression, and --wait SECONDS limits it | pets list --help
pets list --wait-for Ready => pets list --until EXPR waits for a jq expression, and --wait SECONDS limits it | pets list --help
pets list -l name=Rex => --name finds pets with exactly this name | pets list --name Rex
pets list -S name:Rex => --name finds pets with exactly this name | pets list --name Rex
pets list --name Rex Max => --name finds pets with exactly this name | pets list --name Rex --name Max
get pets -l app=web => a pet has no tags or labels | --help
pets import pets.csv --upsert => the service cannot change or delete a pet | pets import --help
pets import pets.csv --force => rows that may be pets of an earlier import are held: --add sends them, --skip counts them | pets import pets.csv --check
pets create -d name=Fido -d status=available => a pet needs --name and --category-id | pets add --help
set status 1 sold => the service cannot change or delete a pet | pets --help
label pet 1 color=red => the service cannot change or delete a pet | pets --help
pets list --page 2 => the service has no pages: it lists the first 100 pets | pets list --help
pets list --base-url https://a.example => a base URL belongs to an environment and its API key | env set --help
pets list --server https://a.example => a base URL belongs to an environment and its API key | env set --help
pets export pets.csv => data goes to standard output: write > and the name of the file behind the command | pets list --output csv
pets export --file pets.csv => data goes to standard output: write > and the name of the file behind the command | pets list --output csv
pets export --env local -o pets.csv => data goes to standard output: write > and the name of the file behind the command | pets list --env local --output csv
pets list --env local --file pets.csv => data goes to standard output: write > and the name of the file behind the command | pets list --env local --output csv
pets export --format csv --output pets.csv => data goes to standard output: write > and the name of the file behind the command | pets list --output csv
pets list -o pets.csv => data goes to standard output: write > and the name of the file behind the command | pets list --output csv
add Rex => a pet needs --name and --category-id | pets add --help
create pet --name Rex => a pet needs --name and --category-id | pets add --help
pets add '{"name":"Rex","categoryId":2}' => JSON comes from a file, or from standard input with --file - | pets add --help
pets add '{"name":"Rex","categoryId":2,"status":"sold"}' => JSON comes from a file, or from standard input with --file - | pets add --help
pets add --name Rex --tag dog => a pet has only --name, --category-id and --status | pets add --help
pets view 1 --web => pets have no web page; petstore serve has one of the local service | pets get --help
pets ls --format '{{.Name}}' => use --fields name, or --jq with an expression of jq | pets list --help
pets list --filter '.status == "sold"' => use --fields name, or --jq with an expression of jq | pets list --help
auth login --env local --with-token => the API key is read from standard input | auth login --help
pets list --tag dog => a pet has no tags or labels | pets list --help
pets list --limit 500 => the service lists no more than 100 pets | pets list --limit 100
--base-url https://a.example pets list => a base URL belongs to an environment and its API key | env set --help
pets add Rex => a pet needs --name and --category-id | pets add --help
pets add --data '{"name":"Rex"}' => JSON comes from a file, or from standard input with --file - | pets add --help
api POST /pets -d '{"name":"Rex"}' => JSON comes from a file, or from standard input with --file - | api --help
pets get 1,2 => it gets one pet at a time | pets get 1
pets get 1 2 3 => it gets one pet at a time | pets get 1
pets list -o jsonpath='{.items[*].name}' => use --fields name, or --jq with an expression of jq | help options
pets sell 1 => the service cannot change or delete a pet | pets --help
pets set-status 1 sold => the service cannot change or delete a pet | pets --help
patch pet 1 => the service cannot change or delete a pet | pets --help
patch 1 --status sold => the service cannot change or delete a pet | pets --help
messages send --to bob hello => a message is only a text | messages send --help
messages list => the service cannot list messages | messages --help
get messages => the service cannot list messages | --help
env delete staging => petstore env unset removes an environment | env --help
config set base-url https://a.example/v1 => a base URL belongs to an environment and its API key | auth login --base-url https://a.example/v1
config set api-key K => no argument and no option takes an API key: petstore auth login asks for it | auth login --help
orders => the service has only pets and messages | --help
update => petstore does not update itself: update it as it was installed | --help
pets list --api-key K => no argument and no option takes an API key: petstore auth login asks for it | auth login --help
pets list --api-key K --env local => no argument and no option takes an API key: petstore auth login asks for it | auth login --help
pets list --token=K --env staging => no argument and no option takes an API key: petstore auth login asks for it | auth login --help
auth login K => it takes no argument: --env names the environment, and it asks for the API key | auth login --help
`)

/** Lines whose correction would change, send or show what was not typed: only the page of help. */
const pages = rowsOf(`
pets list help => petstore pets list --help
get pets -w -o wide => petstore help options
pets list --sort name -q '.[0]' --limit 5 => petstore pets list --help
pets list --env local staging => petstore pets list --help
pets create --title Rex => petstore pets add --help
messages send hi "there" => petstore messages send --help
pets list --count --jq .[0] => petstore pets list --help
add --file pet.jsn --restart => petstore pets add --help
--toon => petstore --help
sync => petstore --help
message hi => petstore messages --help
pets add --name Rex --category-id 2 --status sodl => petstore pets add --help
pets add --name Rex --category-id 2 --env lokal => petstore env list
pets list --status unavailable => petstore pets list --help
env set dev --no-idempotent => petstore env set --help
env unst local --yes => petstore env --help
env unset lokal --yes => petstore env list
pets import pets.csv --restart --formt csv => petstore pets import --help
pets help import pets.csv --add doubtful => petstore pets --help
pets list --naem sk_live_0123456789abcdef => petstore pets list --help
pets list --output xml => petstore help options
--timeout 0 pets list => petstore help options
`)

test.each(hints)('petstore %s', async (line, meant) => {
  const { hint } = await refusal(line)
  expect(hint).toBe(`petstore ${meant}`)
  await runs(meant)
})

test.each(impossible)('petstore %s', async (line, expected) => {
  const { message, hint } = await refusal(line)
  expect(`${message} | ${hint}`).toBe(expected.replace('| ', '| petstore '))
  await runs(hint.replace('petstore ', ''))
})

test.each(pages)('petstore %s', async (line, page) => {
  expect((await refusal(line)).hint).toBe(page)
})

/** What fails later than the line is read, with the exit code. */
const later = rowsOf(`
pets get 404 => 5 petstore pets list --env local
env use mine => 2 petstore env list
auth login --env local => 2 petstore auth login --env production
auth login --env dev => 9 petstore auth login --env dev --base-url https://HOST/v1
messages send hi --env staging => 9 petstore env set staging --messages-url https://HOST
`)

test.each(later)('petstore %s', async (line, expected) => {
  const { hint } = await refusal(line, Number(expected[0]))
  expect(hint).toBe(expected.slice(2))
  await runs(hint.replace('petstore ', ''))
})

test('standard input is a file for an import only where it is none of a terminal', async () => {
  const { stderr } = await runCli(['pets', 'import'], { terminal: true, env: { NO_COLOR: '1' } })
  expect(stderr).toContain('hint: petstore pets import --help')
})

/** A word of each kind that is right in the rows. */
const samples: Readonly<Record<string, string>> = {
  TEXT: '5',
  TEXT2: 'pet.json',
  WORD: 'pets',
  WORDS: '3 4',
  NAME: 'Rex',
  PET: 'pets/1',
  TITLE: 'Rex',
  PART: 'bis',
  SMALL: 'bis',
  NUMBER: '1',
  MANY: '200',
  STATUS: 'sold',
  STATUS2: 'pending',
  FIELD: 'name',
  FIELDS: 'id,name',
  KEY: 'timeout',
  LAYOUT: 'csv',
  FORMAT: 'csv',
  ENVIRONMENT: 'local',
  VERB: 'list',
  METHOD: 'post',
  PATH: 'pets',
  URL: 'https://dev.example/v1',
  JQ: '.',
  JSON: '{}',
  ROWS: 'pets.csv',
  FILE: 'pet.json',
  DATA: 'csv'
}
const otherTexts: Readonly<Record<string, string>> = {
  'pets list': '[].name',
  'auth login': 'dev.example',
  login: 'dev.example',
  'pets import': 'pets.csv',
  env: 'dev.example',
  'env set': 'dev.example'
}

/** What may stand before and behind the words of a row. */
const anyCommands = ['pets list', 'pets get 1', 'pets add', 'messages send', 'api /pets', 'serve']
const ends = [
  '',
  'pets.csv',
  '1',
  'dev',
  '/pets',
  'POST /pets',
  '--name Rex --category-id 2',
  'name=Rex categoryId=2'
]

/** A row as it is typed, once with each of its words that mean one thing. */
function variantsOf(row: string, text: string | undefined): string[][] {
  const words = row.split(' ').map(word => word.split('|'))
  const most = Math.max(...words.map(({ length }) => length))
  const sampleOf = (word = '') =>
    word.replaceAll('?', '').replace(/([A-Z]{2,})\d?/g, (name, kind) => {
      if (name === 'TEXT' && text !== undefined) return text
      return samples[name] ?? samples[kind] ?? name
    })
  return Array.from({ length: most }, (_, turn) => {
    const typedWords = words.map(choices => sampleOf(choices[turn % choices.length]))
    return typedWords.filter(word => word !== 'PIPE').flatMap(word => word.split(' '))
  })
}

const rows = habits
  .trim()
  .split(/\n(?=\S)/)
  .flatMap(section => {
    const [heading = '', ...lines] = section.split(/\n +/)
    return lines.map(line => [heading, line] as const)
  })

/** The hint of a line that a row corrects, or refuses for its reason. */
function hintBy(reason: string | undefined, argv: readonly string[]): string | undefined {
  const line = { ...readLine(program, argv), isPiped: true }
  if (line.error === undefined) return undefined
  const page = `${commandPath(line.command)} --help`
  const { message, hint = page } = usageFailure(line)
  const isHelped = reason ? message === reasons[reason] : hint !== page
  return isHelped ? hint : undefined
}

test.each(rows)('%s: %s', async (heading, row) => {
  const [, typedRow = '', , reason] = /^(.*?)(?: → (.*?))?(?: #(\w+))?$/.exec(row) ?? []
  const commands = heading === 'any' ? anyCommands : [heading.replace('petstore', '')]
  const hints = variantsOf(typedRow, otherTexts[heading]).map(variant => {
    for (const command of commands) {
      for (const end of ends) {
        const hint = hintBy(reason, [...wordsOf(command), ...variant, ...wordsOf(end)])
        if (hint !== undefined) return hint
      }
    }
    throw new Error(`nothing helps with ${variant.join(' ')}`)
  })
  for (const hint of hints) expect(hint).not.toContain('"')
  // The others are the same command.
  await runs((hints[0] ?? '').replace('petstore ', ''))
})

/** A complete command that a hint gives is right: it does not end with 2. */
async function runs(line: string): Promise<void> {
  if (/ --help$|^help /.test(line)) return
  const isLogin = line.includes('login')
  // It would run until a signal.
  if (line.startsWith('serve')) return
  const filled = line.replace('HOST', 'dev.example')
  await inWork(async () => {
    const run = isLogin
      ? await typed(`${filled} --dry-run`, { PETSTORE_ENV: 'production' })
      : await typed(filled.replace(/--until \S+$/, '$& --wait 1'))
    expect({ line, ...run }).not.toMatchObject({ code: 2 })
  })
}

/** Words that get in by mistake, from habit, or from a careless paste. */
const strayWords =
  '--yes --batch -x -q --dry-run --json --all --force --data --sort -- - local staging lokal Sold 5 5s id,name name=Rex {"name":"Rex"} https://stray.example/v1 Rex pets.csv show create delete remove login logout export pets help find wait message --env --name --base-url --url --count --wait sk_live_0123456789abcdef'.split(
    ' '
  )

const edit = fc.record({
  at: fc.nat({ max: 8 }),
  removed: fc.nat({ max: 2 }),
  added: fc.subarray(strayWords, { maxLength: 2 })
})

/** A line of the tables, with words that are missing, doubled or wrong, and what it means. */
const wrongLine = fc
  .tuple(fc.constantFrom(...hints), fc.array(edit, { maxLength: 2 }))
  .map(([[line, meant], edits]) => {
    const change = (words: string[], { at, removed, added }: (typeof edits)[number]) =>
      words.toSpliced(at, removed, ...added)
    return { argv: edits.reduce(change, wordsOf(line)), meant }
  })

/** The words of the program itself: its commands, and the options that change nothing by themselves. */
const commandWords = walkTree(program).flatMap(command => [
  ...commandName(command).split(' '),
  ...command.aliases(),
  ...command.options.flatMap(({ long, short }) => [long ?? '', short ?? ''])
])
const known = new Set(['petstore', 'GET', 'HEAD', 'POST', '-', 'ndjson', ...commandWords])

test('a hint has only what was typed, and nothing that deletes or is secret', () => {
  let count = 0
  const property = fc.property(wrongLine, ({ argv, meant }) => {
    const line = readLine(program, argv)
    if (line.error === undefined) return
    const { hint = '' } = usageFailure({ ...line, isPiped: true })
    if (/ --help\b|^petstore help/.test(hint)) return
    count += 1
    const typed = [...argv, meant].join(' ').toLowerCase()
    const words = wordsOf(hint)
    // What only reads may have a corrected word.
    const isChange = /^petstore (\S+ )?(add|create|new|import|send|api|set|use|login) /.test(hint)
    const parts = isChange ? words.flatMap(word => word.split(/[\s=/]+/)) : []
    const untyped = parts.filter(part => !known.has(part) && !typed.includes(part.toLowerCase()))
    const forbidden = hint.match(/ --(yes|add|skip)(?![\w-])|PETSTORE_ALLOW_HTTP|sk_live|"/g)
    const deletes = words.filter(word => /^(unset|logout)$/.test(word) && !argv.includes(word))
    expect({ argv, hint, untyped, forbidden, deletes }).toEqual({
      argv,
      hint,
      untyped: [],
      forbidden: null,
      deletes: []
    })
  })
  fc.assert(property, { numRuns: 500, seed: 1 })
  expect(count).toBeGreaterThan(200)
})

/** Does something in a shell. */
const name = "it's $(:>owned)\\;*"

describe('a hint quotes for a shell', () => {
  async function hintOf(argv: readonly string[], env = {}) {
    const { stderr } = await runCli(argv, { home: temporaryDirectory(), env, stdin: 'sk_test' })
    return wordsOf(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error.hint)
  }

  test.each<[what: string, argv: readonly string[], word: string]>([
    ['a message', ['messages', 'send', 'a', name], `a ${name}`],
    ['an input', ['pets', 'import', name, '--env', 'local'], name],
    ['rejects', ['pets', 'import', name, '--env', 'local', `--rejects=-${name}`], `./-${name}`]
  ])('%s', async (_, argv, word) => {
    await inWork(async () => {
      writeFileSync(name, '{"name":""}')
      expect(await hintOf(argv)).toContain(word)
    })
  })

  test('the path of the config file', async () => {
    const directory = `${temporaryDirectory()}/${name}`
    mkdirSync(directory)
    writeFileSync(`${directory}/config.json`, '{')
    const [move, mode, file] = await hintOf(['env', 'list'], { PETSTORE_CONFIG_DIR: directory })
    expect([move, mode, file]).toEqual(['mv', '-i', `${directory}/config.json`])
  })

  test('a base URL', async () => {
    const url = `${(await recordingServer({ status: 401 })).url}/$(:>owned)`
    expect(await hintOf(['auth', 'login', '--base-url', url])).toContain(url)
  })
})
