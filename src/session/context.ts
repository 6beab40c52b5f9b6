import { Failure } from '../failure.ts'
import type { ServiceName } from '../model/endpoint.ts'
import { formats, type OutputSettings } from '../output/formats.ts'
import { createOutput } from '../output/output.ts'
import { paintFor } from '../output/view.ts'
import { urlPasswords, variablePasswords } from '../settings/address.ts'
import { type PartialSettings, Settings } from '../settings/settings.ts'
import { openStore } from '../settings/store.ts'
import type { Host } from '../system/host.ts'
import type { Interruption } from '../system/interruption.ts'
import { once } from '../system/promises.ts'
import type { OpenPrompt } from '../terminal/prompt.ts'
import { createReporter } from '../terminal/reporter.ts'
import type { HintOptions } from '../text/shell.ts'
import { createClients } from './clients.ts'
import { endpointOf, requireWritable } from './endpoint.ts'

interface ContextOptions {
  /** The process: its variables, its streams, its clock. */
  readonly host: Host
  /** SIGINT and SIGTERM. */
  readonly interruption: Interruption
  /** The version of this program. */
  readonly version: string
  readonly argv: readonly string[]
  readonly flags: PartialSettings
  /**
   * The command line again for a hint, with other values for some options; undefined removes one.
   */
  readonly retyped: (change: HintOptions, paths?: readonly string[]) => string
}

export type Context = ReturnType<typeof createContext>

/** Everything that a command can use. Expensive parts are loaded and created at first use. */
export function createContext({ flags, argv, ...run }: ContextOptions) {
  const { host, interruption } = run
  const store = openStore({ host, signal: () => interruption.signal })

  const settings = once(async () => {
    const saved = await store.read()
    for (const { apiKey } of Object.values(saved.environments ?? {})) report.addSecret(apiKey)
    return new Settings({ host, flags, saved })
  })
  /**
   * For errors and help, which appear even if the settings cannot be read. Then what needs them
   * throws the error.
   */
  const presentation = async () =>
    (await settings().catch(() => new Settings({ host, flags, saved: {} }))).presentation()
  const report = createReporter(host, presentation, interruption)
  const passwords = [...variablePasswords(host.env), ...urlPasswords(argv)]
  for (const secret of [host.env.PETSTORE_API_KEY, ...passwords]) report.addSecret(secret)

  const output = createOutput({
    host,
    typedFormat: flags.output,
    settings: once(async () => readOutputSettings(await settings(), flags)),
    confirm: report.confirm,
    interruption
  })

  return {
    ...run,
    /** The config file. */
    store,
    /** Data, on stdout. */
    output,
    /** Notices, confirmations, errors and progress, on stderr. */
    report,
    /** Every setting as it applies to this run. */
    settings,
    ...createClients({ ...run, settings, output, report }),
    /**
     * Throws where a change would not be sent: before a person types what would be lost, or a
     * command reads what it would change.
     */
    requireReady: async (service: ServiceName) => {
      const resolved = await settings()
      const environment = resolved.value('env')
      endpointOf(service, environment, resolved)
      requireWritable(resolved, environment)
    },
    /** Does work that asks a person questions. */
    withPrompts: async <Value>(work: (openPrompt: OpenPrompt) => Promise<Value>) => {
      const { withPrompts } = await import('../terminal/prompt.ts')
      const resolved = await settings()
      const paint = await paintFor(host, 'stderr', resolved.value('color'))
      return withPrompts({ host, paint, interruption, canPrompt: resolved.value('input') }, work)
    }
  }
}

/** Errors in the options for output are found before anything is sent. */
async function readOutputSettings(
  settings: Settings,
  { fields, jq, int64 }: PartialSettings
): Promise<OutputSettings> {
  const format = settings.value('output')
  if (jq !== undefined) await (await import('../output/jq.ts')).checkJq(jq)
  const int64AsStrings = int64 === 'string'
  if (int64AsStrings && formats[format].kind !== 'json') {
    const problem = `--int64 applies only to JSON, and the output format is ${format}: add --json`
    throw new Failure('usage', problem)
  }
  return {
    format,
    color: settings.value('color'),
    fields,
    jq,
    int64AsStrings
  }
}
