import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readAbsences } from '../../src/cli/absences.ts'
import { usageFailure } from '../../src/cli/mistakes.ts'
import { parseArgv } from '../../src/cli/parse.ts'
import { program } from '../../src/cli/program.ts'
import { walkTree } from '../../src/cli/tree.ts'
import { formatNames } from '../../src/output/formats.ts'
import { preferenceNames } from '../../src/settings/table.ts'
import { oneOf } from '../../src/settings/value-types.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { petVerbs } from './guess-runner.ts'

/** What a user types, and everything that stderr then contains. */
const mistakes = `
$ petstore env add dev
error: unknown command 'env add'
hint: petstore env set dev --base-url https://HOST/v1

$ petstore pts lst --stauts sold --limt 5 --colr never
error: unknown command 'pts'
hint: petstore pets list --status sold --limit 5 --color never

$ petstore pts lst --stauts sold --limt 5 --colr never --quite
error: unknown command 'pts'; also: unknown option '--quite': pets list has --status, --name, --category-id, --limit, --watch, --until and the options of 'petstore help options'
hint: petstore pets list --help

$ petstore env show dev
error: unknown command 'env show'; also: unexpected argument 'dev'
hint: petstore env list --help

$ petstore env delete staging
error: unknown command 'env delete'
hint: petstore env unset --help

$ petstore messages send hi there
error: unexpected argument 'there': messages send takes one text
hint: petstore messages send 'hi there'

$ petstore messages sned "it's me" --env local
error: unknown command 'messages sned'
hint: petstore messages send 'it'\\''s me' --env local

$ petstore messages list
error: unknown command 'messages list': the service has no such operation; use send
hint: petstore messages --help

$ petstore pets show 1
error: unknown command 'pets show'
hint: petstore pets get 1

$ petstore --env local pets show 1 --fields id -q
error: unknown command 'pets show'
hint: petstore --env local pets get 1 --fields id -q

$ petstore pets create
error: unknown command 'pets create'
hint: petstore pets add --help

$ petstore pets create --name Rex --category-id 2
error: unknown command 'pets create'
hint: petstore pets add --name Rex --category-id 2

$ petstore pets add name=Rex categoryId=2
error: unexpected arguments 'name=Rex', 'categoryId=2'
hint: petstore pets add --name Rex --category-id 2

$ petstore pets list status=sold LIMIT=5
error: unexpected arguments 'status=sold', 'LIMIT=5'
hint: petstore pets list --status sold --limit 5

$ petstore pets add verbose=1 name=Rex category-id=2
error: unexpected arguments 'verbose=1', 'name=Rex', 'category-id=2'
hint: petstore pets add --help

$ petstore pets add '{"name":"Rex"}'
error: unexpected argument '{"name":"Rex"}'
hint: petstore pets add --name Rex --category-id ID

$ petstore serve --fail-with 500 --data :memory:
error: --fail-with and --seed need --fail
hint: petstore serve --fail-with 500 --data :memory: --fail SHARE

$ petstore login
error: unknown command 'login'
hint: petstore auth login

$ petstore logout --all
error: unknown command 'logout'
hint: petstore auth logout --help

$ petstore whoami
error: unknown command 'whoami'
hint: petstore auth status

$ petstore version
error: unknown command 'version'
hint: petstore --version

$ petstore list -n 5 --csv
error: unknown command 'list'
hint: petstore pets list --limit 5 --output csv

$ petstore pet lst
error: unknown command 'pet'
hint: petstore pets list

$ petstore pets lst --help
error: unknown command 'pets lst'
hint: petstore pets list --help

$ petstore pets lst --limit x
error: unknown command 'pets lst'; also: invalid limit 'x': use a whole number from 1 to 100
hint: petstore pets list --help

$ petstore -- pets lst
error: unknown command 'pets lst'
hint: petstore -- pets list

$ petstore frobnicate
error: unknown command 'frobnicate': use pets, messages, env, auth, config, api, commands, completion, serve, doctor or help
hint: petstore --help

$ petstore pets help
error: unknown command 'pets help'
hint: petstore pets --help

$ petstore pets list available
error: unexpected argument 'available'
hint: petstore pets list --status available

$ petstore pets list Sold 5
error: unexpected arguments 'Sold', '5'
hint: petstore pets list --status sold --limit 5

$ petstore pets list local
error: unexpected argument 'local'
hint: petstore pets list --env local

$ petstore pets list extra
error: unexpected argument 'extra'
hint: petstore pets list --name extra

$ petstore pets add Rex
error: unexpected argument 'Rex'
hint: petstore pets add --name Rex --category-id ID

$ petstore pets add Rex --
error: unexpected argument 'Rex'
hint: petstore pets add --name Rex --category-id ID --

$ petstore env add -- dev
error: unknown command 'env add'
hint: petstore env set --base-url https://HOST/v1 -- dev

$ petstore pets add Rex 2 sold --env local
error: unexpected arguments 'Rex', '2', 'sold'
hint: petstore pets add --name Rex --category-id 2 --status sold --env local

$ petstore serve 4010
error: unexpected argument '4010'
hint: petstore serve --port 4010

$ petstore api GET /pets status=sold
error: unexpected argument 'status=sold'
hint: petstore api GET /pets --raw-field status=sold

$ petstore pets list -env local
error: unknown option '-env'
hint: petstore pets list --env local

$ petstore -env local pets list
error: unknown option '-env'
hint: petstore --env local pets list

$ petstore pets list -limit 5
error: unknown option '-limit'
hint: petstore pets list --limit 5

$ petstore pets list --stauts=sold
error: unknown option '--stauts'
hint: petstore pets list --status=sold

$ petstore --enw local pets list
error: unknown option '--enw'
hint: petstore --env local pets list

$ petstore pets --quite
error: unknown option '--quite'
hint: petstore pets --quiet

$ petstore pets list --format csv
error: unknown option '--format'
hint: petstore pets list --output csv

$ petstore pets list --status Sold
error: invalid status 'Sold': use available, pending or sold
hint: petstore pets list --status sold

$ petstore pets list --status=lost
error: invalid status 'lost': use available, pending or sold
hint: petstore pets list --help

$ petstore pets list -qoCSV
error: invalid output 'CSV': use ${oneOf(formatNames)}
hint: petstore pets list -qocsv

$ petstore pets list --limit x
error: invalid limit 'x': use a whole number from 1 to 100
hint: petstore pets list --help

$ petstore pets list --watch x
error: invalid value 'x' for --watch: use a number of seconds from 0.1 to 86400
hint: petstore pets list --help

$ petstore pets list --limit
error: --limit needs a value
hint: petstore pets list --help

$ petstore pets list --status
error: --status needs a value: use available, pending or sold
hint: petstore pets list --help

$ petstore pets add --category-id abc
error: invalid category id 'abc': use a whole number
hint: petstore pets add --help

$ petstore pets add --file pet.json --name Rex
error: --file and --name cannot be used together
hint: petstore pets add --help

$ petstore pets get
error: the id is missing
hint: petstore pets get --help

$ petstore pets get seven
error: invalid id 'seven': use a whole number
hint: petstore pets list --name seven

$ petstore pets list --fields nmae,id
error: unknown field 'nmae': the fields are id, name, categoryId, status
hint: petstore pets list --fields name,id

$ petstore pets list --env lokal
error: no environment is named 'lokal'
hint: petstore pets list --env local

$ petstore --env=prod pets list
error: no environment is named 'prod'
hint: petstore --env=production pets list

$ petstore pets list --out json
error: unknown option '--out'
hint: petstore pets list --output json

$ petstore --env=producton pets list
error: no environment is named 'producton'
hint: petstore --env=production pets list

$ petstore env use mine
error: no environment is named 'mine'
hint: petstore env list

$ petstore auth status staging
error: unexpected argument 'staging'
hint: petstore auth status --env staging

$ petstore auth login sk_live_12345678
error: unexpected argument; an API key cannot be given as an argument
hint: petstore auth login

$ petstore auth login --api-key sk_live_12345678 --env staging
error: unknown option '--api-key': an API key cannot be given as an option; petstore auth login asks for it, or reads standard input
hint: petstore auth login --env staging

$ petstore config get api-key
error: 'api-key' is not saved with config: use ${oneOf(preferenceNames)}
hint: petstore auth token

$ petstore config set api-key sk_live_12345678
error: 'api-key' is not saved with config: use ${oneOf(preferenceNames)}
hint: petstore auth login

$ petstore config get colour
error: 'colour' is not saved with config: use ${oneOf(preferenceNames)}
hint: petstore config get color

$ petstore config set tmeout 5
error: 'tmeout' is not saved with config: use ${oneOf(preferenceNames)}
hint: petstore config set timeout 5

$ petstore config set output JSON
error: invalid output 'JSON': use ${oneOf(formatNames)}
hint: petstore config set output json

$ petstore completion
error: the shell is missing: use bash, zsh or fish
hint: petstore completion --help

$ petstore completion zs
error: invalid shell 'zs': use bash, zsh or fish
hint: petstore completion zsh

$ petstore help exitcodes
error: no command or topic is named 'exitcodes'
hint: petstore help exit-codes

$ petstore help pets show
error: no command or topic is named 'pets show'
hint: petstore help

$ petstore help completion zsh
error: no command or topic is named 'completion zsh'
hint: petstore help

$ petstore help pets lst
error: no command or topic is named 'pets lst'
hint: petstore help pets list

$ petstore help frobnicate
error: no command or topic is named 'frobnicate'
hint: petstore help

$ petstore pets get --id=1
error: unknown option '--id'
hint: petstore pets get 1

$ petstore pets help list
error: unknown command 'pets help'
hint: petstore pets list --help

$ petstore env local
error: unknown command 'env local'
hint: petstore env use local

$ petstore upload pets.csv
error: unknown command 'upload'
hint: petstore pets import pets.csv

$ petstore messages send -m 'hi there'
error: unknown option '-m'
hint: petstore messages send 'hi there'

$ petstore api -XPOST /pets
error: unknown option '-X'
hint: petstore api POST /pets

$ petstore pets add pet.json
error: unexpected argument 'pet.json'
hint: petstore pets add --file pet.json

$ petstore pets list --local
error: unknown option '--local'
hint: petstore pets list --env local

$ petstore pets list --quiet=no
error: --quiet takes no value
hint: petstore pets list --help

$ petstore env set dev
error: nothing to set: give --base-url, --messages-url or both
hint: petstore env set dev --base-url https://HOST/v1

$ petstore serve --fail-with 500 --seed 7
error: --fail-with and --seed need --fail
hint: petstore serve --fail-with 500 --seed 7 --fail SHARE

$ petstore help security pets
error: no command or topic is named 'security pets'
hint: petstore help

$ petstore env set dev https://pets.example/v1
error: unexpected argument 'https://pets.example/v1': env set takes one environment
hint: petstore env set dev --base-url https://pets.example/v1

$ petstore auth login https://pets.example/v1
error: unexpected argument; an API key cannot be given as an argument
hint: petstore auth login --base-url https://pets.example/v1

$ petstore pets get -5 x
error: unexpected argument 'x': pets get takes one id
hint: petstore pets get --help

$ petstore pets export
error: unknown command 'pets export'
hint: petstore pets list --limit 100 --json

$ petstore get pets
error: unknown command 'get'
hint: petstore pets list

$ petstore get pet 3
error: unknown command 'get'
hint: petstore pets get 3

$ petstore list pets --status sold
error: unknown command 'list'
hint: petstore pets list --status sold

$ petstore api GET /pets --query limit=5
error: unknown option '--query'
hint: petstore api GET /pets --field limit=5

$ petstore pets list --query '.[].name'
error: unknown option '--query': --jq takes a jq expression, and --fields names of fields
hint: petstore pets list --help

$ petstore config set base-url https://pets.example/v1
error: 'base-url' is not saved with config, because it belongs to an environment: use ${oneOf(preferenceNames)}; also: the environment is missing
hint: petstore env set --help

$ petstore pets add --data '{"name":"Rex"}'
error: unknown option '--data'
hint: petstore pets add --name Rex --category-id ID

$ petstore list --all
error: unknown command 'list'
hint: petstore pets list --limit 100

$ petstore pets add --name Rex --category 2
error: unknown option '--category'
hint: petstore pets add --name Rex --category-id 2

$ petstore pets list --filter status=sold
error: unknown option '--filter'
hint: petstore pets list --status sold

$ petstore pets list --filter sold
error: unknown option '--filter'
hint: petstore pets list --status sold

$ petstore pets get 1,2
error: invalid id '1,2': use a whole number
hint: petstore pets get --help

$ petstore pets count
error: unknown command 'pets count'
hint: petstore pets list --limit 100 --jq length

$ petstore pets import --file pets.csv
error: unknown option '--file'
hint: petstore pets import pets.csv

$ petstore import --file X
error: unknown command 'import'
hint: petstore pets import X

$ petstore pets import pets.csv --parallel 4
error: unknown option '--parallel'
hint: petstore pets import pets.csv --concurrency 4

$ petstore pets import pets.csv --resume
error: unknown option '--resume'
hint: petstore pets import pets.csv

$ petstore api POST /pets -d name=Rex
error: unknown option '-d': fields are given with -F, and a body with --file (--file - reads standard input)

$ petstore api POST /pets -d '{"name":"Rex"}'
error: unknown option '-d': fields are given with -F, and a body with --file (--file - reads standard input)
hint: petstore api POST /pets --raw-field name=Rex

$ petstore env current
error: unknown command 'env current'
hint: petstore env list

$ petstore --base-url https://pets.example/v1 pets list
error: unknown option '--base-url': for a single run, set PETSTORE_BASE_URL or PETSTORE_MESSAGES_URL
hint: petstore --help

$ petstore pets list --base-url https://pets.example/v1
error: unknown option '--base-url': for a single run, set PETSTORE_BASE_URL or PETSTORE_MESSAGES_URL
hint: petstore pets list --help

$ petstore health
error: unknown command 'health'
hint: petstore doctor

$ petstore auth set-key
error: unknown command 'auth set-key'
hint: petstore auth login

$ petstore pets delete 3
error: unknown command 'pets delete': the service has no such operation; use ${petVerbs}
hint: petstore pets --help

$ petstore delete pet 3
error: unknown command 'delete': the service has no such operation
hint: petstore --help

$ petstore pets list --page 2
error: unknown option '--page': the service has no such operation; it lists at most 100 pets
hint: petstore pets list --help

$ petstore pets list --sort name
error: unknown option '--sort': the service has no such operation; --jq 'sort_by(.name)' sorts the pets that it lists
hint: petstore pets list --jq 'sort_by(.name)' --limit 100

$ petstore pets add --name --status sold --category-id 1 --env local
error: --name needs a value
hint: petstore pets add --help

$ petstore api POST /pets -F -F name=Rex
error: --field needs a value
hint: petstore api --help

$ petstore pets list --env --limit 5
error: --env needs a value
hint: petstore pets list --help

$ petstore --env --limit 5 pets list
error: unknown option '--limit'; also: --env needs a value
hint: petstore pets list --help

$ petstore env unset local2 --yes
error: no environment is named 'local2'
hint: petstore env unset --help

$ petstore env unset lokal --yes
error: no environment is named 'lokal'
hint: petstore env unset --help

$ petstore env unset local2
error: no environment is named 'local2'
hint: petstore env unset --help

$ petstore messages send -- -x --dry-run
error: unexpected argument '--dry-run': messages send takes one text
hint: petstore messages send --help

$ petstore messages send hello --drry-run world
error: unknown option '--drry-run'
hint: petstore messages send 'hello world' --dry-run

$ petstore messages send hello world --dryrun
error: unknown option '--dryrun'
hint: petstore messages send 'hello world' --dry-run

$ petstore auth login -psecretkeyabc
error: unknown option '-p': there are API keys, and no user names
hint: petstore auth login --help

$ petstore auth login url 0123abcd
error: unexpected argument; an API key cannot be given as an argument
hint: petstore auth login

$ petstore api GET /pets header 0123abcd
error: unexpected arguments 'header', '0123abcd'
hint: petstore api --help

$ petstore auth 0123456789abcdef0123456789
error: unknown command 'auth ***': use login, status, token or logout
hint: petstore auth --help

$ petstore pets list PETSTORE_API_KEY=short-key
error: unexpected argument 'PETSTORE_API_KEY=***'
hint: petstore pets list --help

$ petstore env set staging 0123456789abcdef0123456789
error: unexpected argument '***': env set takes one environment
hint: petstore env set --help

$ petstore env use 0123456789abcdef0123456789
error: no environment is named '***'
hint: petstore env list

$ petstore config set output 0123456789abcdef0123456789
error: invalid output '***': use ${oneOf(formatNames)}
hint: petstore config set --help

$ petstore config set 0123456789abcdef0123456789 x
error: '***' is not saved with config: use ${oneOf(preferenceNames)}
hint: petstore config list

$ petstore pets list --env 0123456789abcdef0123456789
error: no environment is named '***'
hint: petstore env list

$ petstore pets list --0123456789abcdef0123456789
error: unknown option '***': pets list has --status, --name, --category-id, --limit, --watch, --until and the options of 'petstore help options'
hint: petstore pets list --help

$ petstore help 0123456789abcdef0123456789
error: no command or topic is named '***'
hint: petstore help

$ petstore pets import pets.csv --restart --concurency 5 --env local
error: unknown option '--concurency': pets import has --format, --concurrency, --journal, --restart, --check, --rejects, --stop-on-error, --resend-doubtful, --accept-doubtful and the options of 'petstore help options'
hint: petstore pets import --help

$ petstore pets import pets.csv --restrat
error: unknown option '--restrat'
hint: petstore pets import --help

$ petstore env unset local --force
error: unknown option '--force': env unset has --yes and the options of 'petstore help options'
hint: petstore env unset --help

$ petstore upgrade
error: unknown command 'upgrade': how petstore was installed decides how it is upgraded (docs/install.md)
hint: petstore --help

$ petstore pets add --name Rex --category-id 1 --env lokal
error: no environment is named 'lokal'
hint: petstore env list

$ petstore pets add --name Rex --category-id 1 --status Sold
error: invalid status 'Sold': use available, pending or sold
hint: petstore pets add --name Rex --category-id 1 --status sold

$ petstore pets add --name Rex --category-id 1 --status solld
error: invalid status 'solld': use available, pending or sold
hint: petstore pets add --help

$ petstore config set output jsn
error: invalid output 'jsn': use ${oneOf(formatNames)}
hint: petstore config set --help

$ petstore config unset tmeout
error: 'tmeout' is not saved with config: use ${oneOf(preferenceNames)}
hint: petstore config unset --help

$ petstore serve --fail-with 500
error: --fail-with and --seed need --fail
hint: petstore serve --fail-with 500 --fail SHARE
`

const situation = { canPrompt: false, hasFileInput: false, environment: 'production', saved: {} }

const rows = mistakes
  .trim()
  .split('\n\n')
  .map(block => {
    const [typed = '', ...printed] = block.split('\n')
    return {
      typed: typed.slice(2),
      stderr: printed.map(line => `${line}\n`).join(''),
      hint: printed[1]?.slice('hint: '.length) ?? ''
    }
  })

describe('a mistake', () => {
  test.each(rows)('$typed', async ({ typed, stderr: expected }) => {
    const [, ...argv] = wordsOf(typed)
    const { code, stdout, stderr } = await runCli(argv, { env: { PETSTORE_OUTPUT: 'csv' } })
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expected })
  })

  test.each(rows)('$typed: the hint is a valid command line', ({ hint }) => {
    const [name, ...argv] = filled(hint)
    expect(name).toBe(hint === '' ? undefined : 'petstore')
    expect(parseArgv(program, argv).mistake).toBeUndefined()
  })

  const absences = readAbsences().map(({ typed, reason }) => [typed.replace('only ', ''), reason])

  test.each(absences)('%s does not exist, and the error says why', async (words = '', reason) => {
    const { typed, mistake } = parseArgv(program, [
      ...(words.startsWith('-') ? ['pets', 'list'] : []),
      ...words.split(' ')
    ])
    expect(mistake?.kind).toMatch(/^unknown (command|option)$/)
    if (mistake !== undefined)
      expect((await usageFailure(typed, mistake, situation)).message).toContain(`: ${reason}`)
  })

  test('for a wrong environment in a variable, the hint overrides the variable with --env', async () => {
    const { stderr } = await runCli(['pets', 'list'], { env: { PETSTORE_ENV: 'lokal' } })
    expect(JSON.parse(stderr).error.hint).toBe('petstore --env local pets list')
  })

  test('a suggestion leaves out values that the command prompts for', async () => {
    expect(await hintInTerminal(['pets', 'create'])).toBe('petstore pets add')
    expect(await hintInTerminal(['pets', 'add', 'Rex'])).toBe('petstore pets add --name Rex')
  })

  test('a suggestion is complete if the config file is broken, because nothing prompts then', async () => {
    const config = temporaryDirectory()
    writeFileSync(join(config, 'config.json'), '{')
    expect(await hintInTerminal(['pets', 'add', 'Rex'], { PETSTORE_CONFIG_DIR: config })).toBe(
      'petstore pets add --name Rex --category-id ID'
    )
  })

  test.each([
    [['auth', 'login', 'sk_live_12345678']],
    [['auth', 'token', '--key=sk_live_12345678']],
    [['login', 'sk_live_12345678']],
    [['pets', 'list', '--api-kye', 'sk_live_12345678']],
    [['pets', 'list', '--tokne=sk_live_12345678', '--verbose']],
    [['config', 'set', 'api-key', 'sk_live_12345678']],
    [['api', 'GET', '/pets', '-H', 'X-Key: sk_live_12345678', '--jqq', '.']],
    [['env', 'add', 'dev', '--base-url', 'https://me:sk_live_12345678@pets.example']],
    [['auth', 'login', '-psk_live_12345678']],
    [['auth', 'sk_live_1234567890123']],
    [['help', 'sk_live_1234567890123']],
    [['pets', 'list', 'PETSTORE_API_KEY=sk_live_12']],
    [['pets', 'lst', '--env', 'sk_live_1234567890123']],
    [['messages', 'sned', 'sk_live_1234567890123']],
    [['messages', 'sk_live_1234567890123', 'send', 'hello']],
    [['messages', 'sned', "sk_live_'quoted'_1234567890123"]]
  ])('%j: the error does not repeat the key', async argv => {
    const { code, stderr } = await runCli(argv)
    expect(code).toBe(2)
    expect(stderr).not.toContain('sk_live')
  })
})

test.each([
  ['a command', ['@']],
  ['a help page', ['help', '@']],
  ['an option', ['pets', 'list', '--@']],
  ['combined letters', ['pets', 'list', '-@']],
  ['an environment', ['pets', 'list', '--env', '@']],
  ['a value', ['pets', 'list', '--status', '@']],
  ['many words', ['pets', 'list', ...'@'.repeat(100)]],
  ['a word like a key', ['pets', 'list', 'key'.repeat(33_333)]],
  ['a word like a URL', ['pets', 'list', '://x'.repeat(25_000)]]
])('%s of 100 kB is refused at once', async (_what, argv) => {
  const long = argv.map(word => word.replace('@', 'pq'.repeat(50_000)))
  // Time of the processor, because a busy machine makes the test wait.
  const start = process.cpuUsage()
  expect((await runCli(long)).code).toBe(2)
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(2_000)
})

test('every wrong command line gets a short error and a valid hint', async () => {
  const names = walkTree(program).map(command => command.name())
  const flags = walkTree(program).flatMap(command =>
    command.options.flatMap(({ short, long }) => [short, long])
  )
  const known = fc.constantFrom(...names, ...flags.filter(flag => flag !== undefined))
  const other = fc.constantFrom(
    'x',
    '-x',
    '--xyz',
    '--',
    '-',
    '-env',
    '5',
    'Sold',
    '--limit=x',
    '',
    ' ',
    '-qz',
    'lokal'
  )
  const isLong = (argv: readonly string[]) =>
    argv.includes('serve') || argv.some(word => word.startsWith('--watch'))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(known, other), { maxLength: 6 }), async argv => {
      if (isLong(argv) || parseArgv(program, argv).mistake === undefined) return
      const { code, stderr } = await runCli(argv, {
        env: { PETSTORE_OUTPUT: 'json' },
        terminal: { stdout: true }
      })
      const lines = stderr.trimEnd().split('\n')
      expect({ argv, code, lines: lines.length <= 2 }).toEqual({ argv, code: 2, lines: true })
      const hint = stderr.startsWith('{')
        ? (JSON.parse(stderr).error.hint ?? '')
        : (/^hint: (.*)$/m.exec(stderr)?.[1] ?? '')
      const [, ...hinted] = filled(hint)
      const { mistake } = parseArgv(program, hinted)
      expect({ argv, hint, mistake }).toEqual({ argv, hint, mistake: undefined })
    }),
    { numRuns: 200 }
  )
})

async function hintInTerminal(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { stderr } = await runCli(argv, { terminal: true, env: { NO_COLOR: '1', ...env } })
  return /^hint: (.*)$/m.exec(stderr)?.[1]
}

/** The words of a hint, with a value for each placeholder that a reader refuses. */
const filled = (hint: string) =>
  wordsOf(hint).map(word => ({ ID: '1', SHARE: '0.1' })[word] ?? word)

/** Splits a line as a shell that supports only quotes and backslashes. */
function wordsOf(line: string): string[] {
  const words = line.match(/(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+/g) ?? []
  return words.map(word => word.replace(/'([^']*)'|"([^"]*)"|\\(.)/g, '$1$2$3'))
}
