import { Failure } from '../failure.ts'
import { checkKey } from '../model/endpoint.ts'
import { print } from '../output/stream.ts'
import type { Faults } from '../service/misbehavior.ts'
import type { Context } from '../session/context.ts'
import { databasePath, makeDatabasePlace } from '../settings/location.ts'
import { decimal } from '../settings/value-types.ts'
import { isLoopback } from '../system/loopback.ts'
import { settledOrAborted } from '../system/promises.ts'
import { nameOf, readBytes } from '../system/read-input.ts'
import { realPathOf } from '../system/same-file.ts'
import { systemCommand, variableInText } from '../text/shell.ts'
import { localKey } from './auth/keys.ts'
import { command, define, option } from './declare.ts'
import { given, integer, readerOf } from './readers.ts'

type Options = ReturnType<typeof declaration.opts>

const failureKind = readerOf<NonNullable<Faults['failWith']>>({
  expected: 'a status from 400 to 599, drop or stall',
  read: text => {
    if (text === 'drop') return 'dropped'
    if (text === 'stall') return 'stalled'
    return /^[45]\d\d$/.test(text) ? Number(text) : undefined
  }
})

const declaration = command('serve', 'run the local service on a port', {
  prints: 'object',
  actsOn: ['key', 'data'],
  changes: 'machine',
  details:
    'It serves pets and messages until Ctrl-C, has a page for browsers, and can be made slow or faulty to test other programs. It accepts the API key in PETSTORE_API_KEY, otherwise one of its own, which it prints; petstore auth token --env local prints that key too.',
  isEndedBySignal: true,
  examples: `
    # serve http://127.0.0.1:4010/v1 until Ctrl-C
    petstore serve
    # serve the pets of a JSON array from memory, for tests
    petstore serve --pets pets.json
    # use a free port and no file; print the URL and key as JSON
    petstore serve --port 0 --json --data :memory:
    # fail twice, then work: for a test of a client that tries again
    petstore serve --fail-first 2
    # drop about one connection in ten, always the same ones
    petstore serve --fail 0.1 --fail-with drop --seed 7
  `
})
  .option('--port <number>', 'port to listen on, 0 for any free port', integer(0, 65_535), 4010)
  .option('--host <host>', 'address to listen on', given('an address'), '127.0.0.1')
  .option(
    '--data <file>',
    'SQLite file of the service, :memory: for none (default: the file of --env local)',
    given('the path of a file')
  )
  .addOption(
    option(
      '--pets <file>',
      'start with the pets of a JSON array, in memory without --data'
    ).conflicts('empty')
  )
  .option('--empty', 'start without pets, in memory without --data')
  .option('--latency <ms>', 'delay every reply by this many milliseconds', integer(0, 3_600_000))
  .option(
    '--fail <share>',
    'make this share of the requests fail (0 to 1)',
    readerOf(decimal(0, 1))
  )
  .addOption(
    option('--fail-first <count>', 'make this many requests fail, and no later one')
      .argParser(integer(1, 1_000_000))
      .conflicts('fail')
  )
  .option(
    '--fail-with <how>',
    'how they fail: a status from 400 to 599, drop or stall (default: 503)',
    failureKind
  )
  .option(
    '--seed <number>',
    'the same seed makes the same requests fail (default: 1)',
    integer(0, 2 ** 32 - 1)
  )

export const serveCommand = define(declaration, async (options, context) => {
  requireFaults(options)
  const { host, settings, report, interruption } = context
  const key = await keyFor(context, options.host)
  report.addSecret(key)
  const isQuiet = settings.value('quiet')
  const { startService } = await import('../service/serve.ts')
  const { path, isOfLocal } = await placeOf(options, context)
  const serving = await startService({
    ...options,
    otherPort: context.retyped({ '--port': '0' }),
    key,
    path,
    firstPets: await firstPets(options, context),
    isResettable: !isOfLocal,
    now: host.now,
    log: line => {
      if (!isQuiet) void report.log('request', line)
    },
    onFailure: report.error
  })
  // From now on, the run ends only when the service has ended, however long that takes.
  interruption.isHeld = true
  try {
    const { signal } = interruption
    await settledOrAborted(announce(context, serving.origin, path, key), signal)
    await settledOrAborted(new Promise(() => {}), signal)
    // The terminal has just shown `^C`, and the shell's prompt needs a line of its own.
    if (host.terminal.stderr) await print(host, 'stderr', '\n')
  } finally {
    await serving.close()
  }
})

/** The database, and whether it is the one of `--env local`. */
async function placeOf({ data, pets, empty }: Options, { host }: Context) {
  const isForTests = pets !== undefined || empty === true
  const path = data ?? (isForTests ? ':memory:' : await makeDatabasePlace(host))
  const isOfLocal = path !== ':memory:' && realPathOf(path) === realPathOf(databasePath(host))
  return { path, isOfLocal }
}

async function firstPets({ pets, empty }: Options, context: Context) {
  if (empty) return []
  const { readFirstPets, samplePets } = await import('../service/first-pets.ts')
  if (pets === undefined) return samplePets
  return readFirstPets(await readBytes(context, pets), nameOf(pets))
}

function requireFaults({ fail, failFirst, failWith, seed }: Options) {
  const isCalm = fail === undefined && failFirst === undefined
  if (isCalm && (failWith !== undefined || seed !== undefined))
    throw new Failure('usage', '--fail-with and --seed need --fail or --fail-first')
}

async function keyFor(context: Context, host: string) {
  const variable = context.host.env.PETSTORE_API_KEY
  if (variable) return checkKey(variable, 'PETSTORE_API_KEY')
  if (!isLoopback(host)) {
    throw new Failure('local', `other machines can reach ${host}: set PETSTORE_API_KEY first`)
  }
  return localKey(context)
}

/** Prints how to reach the service: lines to paste for a person, one line of JSON for a program. */
async function announce(context: Context, origin: string, path: string, key: string) {
  // Nothing prints a key from the variable.
  const apiKey = context.host.env.PETSTORE_API_KEY ? undefined : key
  const reach = { url: `${origin}/v1`, messagesUrl: origin, apiKey }
  const printRows = await context.output.rows({ names: Object.keys(reach) })
  if (printRows !== undefined) return printRows([reach])

  const bearer = apiKey ?? variableInText('PETSTORE_API_KEY')
  const sameKey = apiKey ? '' : ', with the same PETSTORE_API_KEY'
  await context.output.text(
    [
      `serving at the base URL ${reach.url} and the messages URL ${origin}`,
      `with the data in ${path === ':memory:' ? 'memory' : path}; Ctrl-C ends it`,
      '',
      'in a browser:',
      `  ${origin}/${apiKey ? `#key=${apiKey}` : ''}`,
      `with curl${sameKey}:`,
      `  ${systemCommand('curl')} -H "Authorization: Bearer ${bearer}" ${reach.url}/pets`
    ].join('\n')
  )
}
