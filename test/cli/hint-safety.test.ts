import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseJson } from '../../src/text/json.ts'
import { examplesOfHelp, plainCommands } from '../support/examples.ts'
import { type RecordingServer, recordingServer } from '../support/recording-server.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { wordsOf } from './typing.ts'

/**
 * Command lines that are valid before they are mutated: the examples of all commands, and some with
 * other options.
 */
const validLines = [
  ...examplesOfHelp().flatMap(({ text }) => plainCommands(text) ?? []),
  ...`
pets list --fields id,name --jq .[0] --env=staging
pets add --name=Waddles --category-id=7 -e staging -q
pets add --file pet.json --env dev
pets add Rex 2 --env local
pets find Rex --status sold
pets list --sort name --json id,name
api POST /pets -d {"name":"Rex","categoryId":2} --env staging
env add other https://other.example/v1
env use stagin
config set base-url https://new.example/v1 --env dev
init
auth login --token --env dev
messages send hello --env staging --json
pets import pets.ndjson --skip 3 --env local
pets import pets.ndjson --env local --add doubtful
env set fresh --base-url https://new.example/v1
env unset dev
config set output json
api POST /pets -f name=Rex -F categoryId=3 --env dev
api DELETE /pets/3 --env local -i
`
    .trim()
    .split('\n')
    .map(line => line.split(' '))
]

/** Words that get in by mistake, from habit, or from a careless paste. */
const strayWords = [
  ...'--yes --batch -x -q --dry-run --json --all --force --data --sort -- - local staging lokal stagin local2'.split(
    ' '
  ),
  ...'Sold avialable 5 5s id,name name=Rex status=sold {"name":"Rex"} https://stray.example/v1 Rex you pets.csv'.split(
    ' '
  ),
  ...'show create delete remove login logout export pets help find wait init message --env --name --base-url --url --count --wait --data sk_live_0123456789abcdef'.split(
    ' '
  )
]

const position = fc.nat({ max: 20 })
const letters = 'abcdefghijklmnopqrstuvwxyz-=/ 19'.split('')

/** One change of a command line. */
const mutation = fc.oneof(
  fc.record({
    kind: fc.constantFrom(
      'drop word',
      'double word',
      'swap words',
      'glue words',
      'upper case',
      'one dash'
    ),
    at: position
  }),
  fc.record({
    kind: fc.constantFrom('drop letter', 'double letter', 'swap letters'),
    at: position,
    letter: position
  }),
  fc.record({
    kind: fc.constant('other letter'),
    at: position,
    letter: position,
    text: fc.constantFrom(...letters)
  }),
  fc.record({
    kind: fc.constantFrom('insert word', 'replace word'),
    at: position,
    text: fc.constantFrom(...strayWords)
  })
)
type Mutation = { kind: string; at: number; letter?: number; text?: string }

function mutated(argv: readonly string[], { kind, at, letter = 0, text = '' }: Mutation): string[] {
  const index = at % Math.max(1, argv.length)
  const word = argv[index] ?? ''
  const next = argv[index + 1] ?? ''
  const place = letter % Math.max(1, word.length)
  const [before, here, after] = [word.slice(0, place), word[place] ?? '', word.slice(place + 1)]
  const replaced = (count: number, ...words: string[]) => argv.toSpliced(index, count, ...words)
  switch (kind) {
    case 'drop word':
      return replaced(1)
    case 'double word':
      return replaced(0, word)
    case 'swap words':
      return replaced(2, next, word)
    case 'glue words':
      return replaced(2, `${word}=${next}`)
    case 'upper case':
      return replaced(1, word.toUpperCase())
    case 'one dash':
      return replaced(1, word.replace(/^--/, '-'))
    case 'drop letter':
      return replaced(1, before + after)
    case 'double letter':
      return replaced(1, before + here + here + after)
    case 'swap letters':
      return replaced(1, before + (after[0] ?? '') + here + after.slice(1))
    case 'other letter':
      return replaced(1, before + text + after)
    case 'insert word':
      return replaced(0, text)
    default:
      return replaced(1, text)
  }
}

const wrongLine = fc
  .tuple(fc.constantFrom(...validLines), fc.array(mutation, { minLength: 1, maxLength: 3 }))
  .map(([line, mutations]) => mutations.reduce<string[]>(mutated, line))

/** Runs hints against a throwaway service and a throwaway config directory. */
test('a hint deletes nothing, and sends and saves only what was typed', async () => {
  const seed = Number(process.env.PETSTORE_TEST_SEED ?? 1)
  const numRuns = Number(process.env.PETSTORE_TEST_RUNS ?? 150)
  const work = temporaryDirectory()
  const template = temporaryDirectory()
  const home = join(temporaryDirectory(), 'home')
  const service = await recordingServer(({ path }) =>
    path.endsWith('/messages')
      ? { status: 202, json: { id: 1, status: 'queued' } }
      : { status: 201, json: { id: 99, name: 'Rex', categoryId: 2, status: 'sold' } }
  )
  await setUp(template, work, service)
  const before = { config: configIn(template), pets: await petsIn(template) }
  const directory = process.cwd()
  process.chdir(work)
  let count = 0
  try {
    await fc.assert(
      fc.asyncProperty(wrongLine, async argv => {
        if (argv.includes('serve') || argv.some(word => /^--(watch|until)/.test(word))) return
        const hint = await hintOf(argv, template, home)
        if (hint === undefined) return
        expect({ argv, hint }).not.toMatchObject({
          // A value such as `--yess` is not that option.
          hint: expect.stringMatching(/ --(yes|add|skip)(?![\w-])|PETSTORE_ALLOW_HTTP|sk_live|"/)
        })
        const [name, ...words] = wordsOf(hint)
        if (
          name !== 'petstore' ||
          words.includes('serve') ||
          /--help$|--(watch|until)|^petstore help/.test(hint)
        )
          return
        count += 1
        reset(template, home)
        const sent = service.requests.length
        const { code } = await runCli(words, { home })
        const hasPlaceholder = words.some(word => /^(ID|EXPRESSION)$|:\/\/HOST\b/.test(word))
        const isRefused = code === 2 && service.requests.length === sent
        expect({ argv, hint, isWrong: hasPlaceholder && !isRefused }).toMatchObject({
          isWrong: false
        })
        const typed = (value: unknown) => isTyped(value, argv)
        // No other hint reaches the local service, and listing its pets takes time.
        const pets = hint.includes('local') ? await petsIn(home) : before.pets
        const after = { config: configIn(home), pets }
        const untyped = [
          ...service.requests.slice(sent).flatMap(valuesSent),
          ...valuesSaved(before.config, after.config),
          ...valuesOf(after.pets.slice(before.pets.length).map(({ id: _, ...fields }) => fields))
        ].filter(value => !typed(value))
        // A URL that was typed for an environment takes the place of its old one and of the key for that.
        const replaces = hint.includes(' env set ')
        const isLost = !isContained(before.config, after.config, replaces)
        const kept = after.pets.slice(0, before.pets.length)
        expect({ argv, hint, untyped, isLost, kept }).toEqual({
          argv,
          hint,
          untyped: [],
          isLost: false,
          kept: before.pets
        })
      }),
      { numRuns, seed }
    )
  } finally {
    process.chdir(directory)
  }
  expect(count).toBeGreaterThan(numRuns / 15)
}, 1_800_000)

async function setUp(home: string, work: string, { url }: RecordingServer): Promise<void> {
  writeFileSync(join(work, 'pet.json'), '{"name":"Rex","categoryId":2}')
  writeFileSync(join(work, 'pets.ndjson'), '{"name":"Rex","categoryId":2}\n')
  for (const name of ['production', 'staging', 'dev']) {
    const urls = ['--base-url', `${url}/${name}/v1`, '--messages-url', `${url}/${name}`]
    await runCli(['auth', 'login', '--env', name, '--no-verify', ...urls], {
      home,
      stdin: `key-of-${name}`
    })
    await runCli(['env', 'set', name, ...urls], { home })
    await runCli(['auth', 'login', '--env', name, '--no-verify'], { home, stdin: `key-of-${name}` })
  }
  await runCli(['config', 'set', 'output', 'json'], { home })
  await runCli(['pets', 'list', '--env', 'local'], { home })
  // Makes the local key.
  await runCli(['auth', 'token', '--env', 'local'], { home })
}

async function hintOf(
  argv: readonly string[],
  template: string,
  home: string
): Promise<string | undefined> {
  reset(template, home)
  const { code, stderr } = await runCli(['--json', ...argv], { home })
  if (code === 0) return undefined
  const lines = stderr.split('\n').filter(line => line.startsWith('{'))
  return lines.map(line => JSON.parse(line).error?.hint).findLast(hint => hint !== undefined)
}

function reset(template: string, home: string): void {
  rmSync(home, { recursive: true, force: true })
  cpSync(template, home, { recursive: true })
}

function configIn(home: string): unknown {
  const path = join(home, '.config', 'petstore', 'config.json')
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
}

type Pets = readonly Readonly<Record<string, unknown>>[]

async function petsIn(home: string): Promise<Pets> {
  const { stdout } = await runCli(['pets', 'list', '--env', 'local', '--limit', '100', '--json'], {
    home
  })
  return parseJson(stdout) as Pets
}

/**
 * What a request that changes something carries: the values of its body, and the environment that
 * it goes to.
 */
function valuesSent({ method, path, body }: RecordingServer['requests'][number]): unknown[] {
  if (method === 'GET' || method === 'HEAD') return []
  const [, environment = ''] = path.split('/')
  return [
    ...(environment === 'production' ? [] : [environment]),
    ...(body === '' ? [] : valuesOf(parseJson(body)))
  ]
}

function valuesOf(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null
    ? Object.values(value).flatMap(valuesOf)
    : [value]
}

/** The names and values that are new in the config file. */
function valuesSaved(before: unknown, after: unknown): unknown[] {
  if (typeof after !== 'object' || after === null) return before === after ? [] : [after]
  const old: Readonly<Record<string, unknown>> = typeof before === 'object' ? { ...before } : {}
  return Object.entries(after).flatMap(([name, value]) => {
    const isNewName = old[name] === undefined && typeof value === 'object'
    return [...(isNewName ? [name] : []), ...valuesSaved(old[name], value)]
  })
}

/**
 * Whether everything in one value is still in the other. Only preferences and the default
 * environment may have another value: a saved URL or key is never replaced.
 */
function isContained(before: unknown, after: unknown, replaces: boolean): boolean {
  if (typeof before !== 'object' || before === null) return true
  if (typeof after !== 'object' || after === null) return false
  const now: Readonly<Record<string, unknown>> = { ...after }
  const old: Readonly<Record<string, unknown>> = { ...before }
  return Object.entries(old).every(([name, value]) => {
    const isFixed = ['apiKey', 'baseUrl', 'messagesUrl'].includes(name)
    if (isFixed) return replaces || now[name] === value
    if (name === 'keyOrigins' && replaces) return true
    return now[name] !== undefined && isContained(value, now[name], replaces)
  })
}

/** Whether the value was typed, apart from its case and the spaces between words. */
function isTyped(value: unknown, argv: readonly string[]): boolean {
  // A URL without a scheme gets one.
  const text = String(value).replace(/^https?:\/\//, '')
  // The default environment may be corrected to one that exists.
  const isEnvironment = ['production', 'staging', 'local', 'dev'].includes(text)
  if (value === null || value === true || (isEnvironment && argv.includes('use'))) return true
  // A URL is saved in its usual form: 127.0.01 is 127.0.0.1.
  const urls = argv
    .map(word => word.replace(/^.*?(?=https?:)/, ''))
    .filter(word => URL.canParse(word))
  const fromFiles = argv.some(word => /pet\.json|pets\.ndjson/.test(word)) ? ['Rex', '2'] : []
  const typed = [...argv, ...urls.map(url => new URL(url).href), ...fromFiles]
  const isPart = (part: string) =>
    typed.some(word => word.toLowerCase().includes(part.toLowerCase()))
  return isPart(text) || text.split(/\s+/).every(isPart)
}
