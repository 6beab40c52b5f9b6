import { describe, expect, test } from 'vitest'
import { recordingServer } from '../support/recording-server.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { inWork, refusal, rowsOf, typed } from './typing.ts'

/** Lines that are refused before anything is sent or deleted, with the beginning of the message. */
const refused = rowsOf(`
auth logout --all --env staging => --all cannot be used with --env
--env staging auth logout --all => --all cannot be used with --env
logout --all -e staging => --all cannot be used with --env
env unset local --dry-run => --dry-run has no effect on 'env unset'
env unset local --yes --dry-run => --dry-run has no effect on 'env unset'
--dry-run env unset staging => --dry-run has no effect on 'env unset'
env unset staging --env local => --env has no effect on 'env unset'
config unset timeout --timeout 3 => --timeout has no effect on 'config unset'
doctor --dry-run => --dry-run has no effect on 'doctor'
auth status --env local --dry-run => --dry-run has no effect on 'auth status'
whoami --dry-run => --dry-run has no effect on 'whoami'
config set timeout 5 --dry-run => --dry-run has no effect on 'config set'
auth login --no-verify --dry-run => --no-verify cannot be used with --dry-run
pets list --watch --dry-run => --watch cannot be used with --dry-run
pets import pets.csv --check --restart => unknown option '--restart'
pets add --file pet.json --name Rex => option '--file <file>' cannot be used with option '--name <name>'
completion bash --jq . => --jq has no effect on 'completion'
pets list --jq . -o csv => --jq cannot be used with --output csv
-o csv pets list --json => --json cannot be used with --output csv
pets list --fields id,nothing => unknown field 'nothing': the fields are id, name, categoryId, status

pets list --name --status sold => --name needs a value
--env --json pets list => --env needs a value
pets add --name Rex --category-id => option '--category-id <id>' argument missing
pets list --limit 0 => invalid limit '0': use a whole number from 1 to 100
pets list --limit x --limit 5 => invalid limit 'x': use a whole number from 1 to 100
pets list --status gone => invalid status 'gone': use available, pending or sold
pets list --no-verify => unknown option '--no-verify'
pets list 5 more => unexpected argument '5'
pets get => missing required argument 'id'
pets nothing => unknown command 'nothing'
help nothing => nothing is named 'nothing'
commands pets nothing => nothing is named 'nothing'
messages send @pet.json => '@pet.json' would be the text: petstore messages send < FILE sends a file
messages send @- => '@-' would be the text
start --help => unknown command 'start'
--help nothing => unknown command 'nothing'

pets list --api-kye=sk_live_12345 => unknown option '--api-kye'
pets list --env sk_live_0123456789abcdef => no environment is named '***'
pets list --status key=sk_live_12345 => invalid status 'key=***'
env use https://user:pass@qa.example => no environment is named '***'
`)

describe('a wrong command line', () => {
  test.each(refused)('petstore %s', async (line, expected) => {
    await inWork(async () => {
      const { message, hint } = await refusal(line)
      expect(message.slice(0, expected.length)).toBe(expected)
      expect(`${message} ${hint}`).not.toMatch(/sk_live|user:pass/)
    })
  })

  test('is an error and a hint for people, and one line of JSON in a pipe', async () => {
    const argv = ['pets', 'list', '--limit', '0']
    const options = { env: { NO_COLOR: '1' }, columns: 100, terminal: { stderr: true } }
    const people = await runCli(argv, options)
    expect(people).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: invalid limit '0': use a whole number from 1 to 100
hint: petstore pets list --help
`
    })
    const { stderr } = await runCli(argv)
    expect(JSON.parse(stderr)).toEqual({
      error: expect.objectContaining({ code: 'usage', exitCode: 2, retryable: false })
    })
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })
})

const otherVariables = rowsOf(`
PETSTORE_PROFILE pets add --name Rex --category-id 2 => PETSTORE_ENV
PETSTORE_READONLY pets add --name Rex --category-id 2 => PETSTORE_READ_ONLY
PETSTORE_READ_ONYL pets import pets.csv => PETSTORE_READ_ONLY
PETSTORE_DRY_RUN api POST /pets -f name=Rex => --dry-run
PETSTORE_READONLY env unset local --yes => PETSTORE_READ_ONLY
PETSTORE_URL pets list => PETSTORE_BASE_URL
PETSTORE_BASEURL doctor => PETSTORE_BASE_URL
PETSTORE_RETRYS doctor => PETSTORE_RETRIES
PETSTORE_JOURNALDIR pets import pets.csv => PETSTORE_JOURNAL_DIR
PETSTORE_KEY auth login --env local => PETSTORE_API_KEY
PETSTORE_ENVIRONMENT auth token => PETSTORE_ENV
`)

describe('a variable of petstore', () => {
  test.each(otherVariables)('that is mistyped is refused: %s', async (line, right) => {
    const [variable = '', ...words] = line.split(' ')
    const run = await typed(words.join(' '), { [variable]: '1' })
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(run.text).toContain(`petstore has no variable ${variable}: use ${right}`)
  })

  test.each(['PETSTORE_STAGING_KEY', 'PETSTORE_DATABASE_URL', 'PETSTORE_API_KEY_2'])(
    'is another: %s',
    async variable => {
      expect(await typed('pets list', { [variable]: '1' })).toMatchObject({ code: 0 })
    }
  )

  test.each(['PETSTORE_READONLY', 'PETSTORE_TOKEN'])(
    'does not matter to help, or where it is empty: %s',
    async variable => {
      expect(await typed('help environment', { [variable]: '1' })).toMatchObject({ code: 0 })
      expect(await typed('pets list', { [variable]: '' })).toMatchObject({ code: 0 })
    }
  )
})

describe('a line that deletes', () => {
  test.each([
    'auth logout --all --env staging',
    'env unset staging --dry-run',
    '--env local env unset staging'
  ])('petstore %s deletes nothing', async line => {
    const home = temporaryDirectory()
    const login = 'auth login --no-verify --base-url https://pets.example/v1 --env staging'
    await runCli(login.split(' '), { home, stdin: 'key-of-staging' })
    expect((await runCli(line.split(' '), { home })).code).toBe(2)
    expect((await runCli(['auth', 'token', '--env', 'staging'], { home })).stdout).toBe(
      'key-of-staging\n'
    )
  })
})

test('a hint that repeats the command line has what was typed, as it was typed', async () => {
  const { url } = await recordingServer({})
  const { port } = new URL(url)
  const options = '--color never --no-input -q --port PORT --fail-with drop --fail .5'
  const { hint } = await refusal(`serve ${options.replace('PORT', port)}`, 9)
  expect(hint).toBe(`petstore serve ${options.replace('PORT', '0').replace('-q', '--quiet')}`)
})

test('login, logout and whoami run at the top, and help does not list them', async () => {
  expect(await typed('login --env staging --dry-run')).toMatchObject({ code: 0 })
  expect(await typed('logout --env staging --json')).toMatchObject({ code: 0 })
  expect(await typed('whoami --env local')).toMatchObject({ code: 0 })
  expect((await typed('--help')).stdout).not.toMatch(/^ +(login|logout|whoami)/m)
})

test('an environment that was typed must exist', async () => {
  expect(await typed('env list --env nowhere')).toMatchObject({ code: 2 })
  expect(
    await typed('auth login --env nowhere --dry-run --base-url https://a.example')
  ).toMatchObject({ code: 0 })
})

test.each(['pets add --category-id 1 --name', 'messages send'])(
  'bytes that are no text are not sent by %s',
  async line => {
    // What Node makes of $'\xff'.
    const run = await runCli([...line.split(' '), 'a\ufffd', '--env', 'local'])
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(run.stderr).toContain('the command line has bytes that are not UTF-8 text')
  }
)
