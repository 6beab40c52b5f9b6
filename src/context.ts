import type { Client } from './client/client.ts'
import { type ClientOptions, Clients } from './context/clients.ts'
import { Failure, ignoreFailure } from './failure.ts'
import { formats, type JsonFormat, type OutputSettings } from './output/formats.ts'
import { createOutput, type Output } from './output/output.ts'
import type { OpenPrompt } from './output/prompt.ts'
import { createReporter, type Reporter } from './output/reporter.ts'
import { styleFor } from './output/view.ts'
import type { Host } from './platform/host.ts'
import type { Interruption } from './platform/interruption.ts'
import { once } from './platform/promises.ts'
import { readBytes, readPipe, readText } from './platform/read-input.ts'
import type { HintOptions } from './platform/shell.ts'
import { variablePasswords } from './settings/address.ts'
import type { SavedState } from './settings/saved-state.ts'
import { type SettingFlags, Settings } from './settings/settings.ts'
import { openStore, type Store } from './settings/store.ts'

/** Everything that a command can use. Expensive parts are loaded and created at first use. */
export interface Context {
  /** The process: its variables, its streams, its clock. */
  readonly host: Host
  /** SIGINT and SIGTERM. */
  readonly interruption: Interruption
  /** The version of this program. */
  readonly version: string
  /** The config file. */
  readonly store: Store
  /** Data, on stdout. */
  readonly output: Output
  /** Notices, confirmations, errors and progress, on stderr. */
  readonly report: Reporter
  /** Files that the command line names, and standard input. */
  readonly input: Input
  /** Every setting as it applies to this run. */
  settings(): Promise<Settings>
  /**
   * The operations of the service, in the selected environment unless the options say otherwise.
   */
  client(options?: ClientOptions): Promise<Client>
  /** Does work that asks a person questions. */
  withPrompts<Value>(work: (openPrompt: OpenPrompt) => Promise<Value>): Promise<Value>
  /**
   * The command line again for a hint, with other values for some options; undefined removes one.
   */
  retyped(change: HintOptions, paths?: readonly string[]): string
  /** Closes everything that was opened. A run ends only after that. */
  close(): Promise<void>
}

interface Input {
  /** The text of a file, or of standard input for `-`. */
  text(path: string): Promise<string>
  /** The same as bytes. */
  bytes(path: string): Promise<Uint8Array>
  /** Standard input without an explicit `-`: its first byte must arrive within `--timeout`. */
  pipe(): Promise<string>
}

interface ContextOptions extends Pick<Context, 'host' | 'interruption' | 'version' | 'retyped'> {
  readonly flags: SettingFlags
  /** The command works without a config file if that cannot be read. */
  readonly toleratesBrokenConfig: boolean
}

export function createContext(options: ContextOptions): Context {
  const { host, interruption, version, flags, toleratesBrokenConfig, retyped } = options
  const store = openStore({ host, interruption })

  const settingsWith = (saved: SavedState, configPath = '') =>
    new Settings({ host, flags, saved, configPath })
  const settings = once(async () => {
    const reading = store.read()
    const saved = (await (toleratesBrokenConfig ? reading.catch(ignoreFailure) : reading)) ?? {}
    for (const { apiKey } of Object.values(saved.environments ?? {})) report.addSecret(apiKey)
    return settingsWith(saved, store.path)
  })
  /**
   * For errors and help, which appear even if the settings cannot be read. Then what needs them
   * throws the error.
   */
  const presentation = once(async () =>
    (await settings().catch(() => settingsWith({}))).presentation(),
  )
  /** Errors in the options for output are found before anything is sent. */
  const outputSettings = once(async () => readOutputSettings(await settings(), flags))

  const report = createReporter(host, presentation, interruption)
  for (const secret of [host.env.PETSTORE_API_KEY, ...variablePasswords(host.env)])
    report.addSecret(secret)

  const output = createOutput({
    host,
    typedFormat: typedJsonFormat(flags),
    settings: outputSettings,
    presentation,
    report,
    interruption,
  })
  const clients = new Clients({
    host,
    interruption,
    version,
    checkedSettings: async () => {
      await outputSettings()
      return settings()
    },
    report,
    showRequest: async (request) => {
      const { showRequest } = await import('./context/shown-request.ts')
      return showRequest(request, { host, output, report })
    },
  })

  return {
    host,
    interruption,
    version,
    store,
    output,
    report,
    input: {
      text: (path) => readText(host, path, interruption.signal),
      bytes: (path) => readBytes(host, path, interruption.signal),
      pipe: async () => readPipe(host, (await settings()).value('timeout'), interruption.signal),
    },
    settings,
    client: (clientOptions) => clients.client(clientOptions),
    withPrompts: async (work) => {
      const [{ withPrompts }, resolved] = await Promise.all([
        import('./output/prompt.ts'),
        settings(),
      ])
      const style = await styleFor(host, 'stderr', resolved.value('color'))
      const requireInput = (refusal: Failure) => resolved.requireInput(refusal)
      return withPrompts({ host, style, signal: interruption.signal, requireInput }, work)
    },
    retyped,
    close: () => clients.close(),
  }
}

/** JSON that the command line asks for. The default in a pipe does not count. */
function typedJsonFormat({ output }: SettingFlags): JsonFormat | undefined {
  return output === 'json' || output === 'ndjson' ? output : undefined
}

async function readOutputSettings(
  settings: Settings,
  { fields, jq, int64 }: SettingFlags,
): Promise<OutputSettings> {
  const format = settings.value('output')
  const color = settings.resolve('color')
  if (jq !== undefined) await (await import('./output/jq.ts')).checkJq(jq)
  const int64AsStrings = int64 === 'string'
  if (int64AsStrings && formats[format].kind !== 'json') {
    const problem = `--int64 applies only to JSON, and the output format is ${format}: add --json`
    throw new Failure('usage', problem)
  }
  const isColorTyped = color.origin.kind === 'flag'
  return { format, color: color.value, isColorTyped, fields, jq, int64AsStrings }
}
