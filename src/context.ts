import { createClients } from './context/clients.ts'
import { createTransports } from './context/transports.ts'
import { Failure } from './failure.ts'
import { formats, type OutputSettings } from './output/formats.ts'
import { createOutput } from './output/output.ts'
import { createReporter } from './output/reporter.ts'
import type { Host } from './platform/host.ts'
import type { Interruption } from './platform/interruption.ts'
import { once } from './platform/promises.ts'
import { readBytes, readPipe, readText } from './platform/read-input.ts'
import type { HintOptions } from './platform/shell.ts'
import { proxyPasswords } from './settings/address.ts'
import type { SavedState } from './settings/saved-state.ts'
import { resolveSettings, type SettingFlags } from './settings/settings.ts'
import { openStore } from './settings/store.ts'

/** Everything that a command can use. Expensive parts are loaded and created at first use. */
export type Context = ReturnType<typeof createContext>

interface ContextOptions {
  readonly host: Host
  readonly interruption: Interruption
  readonly version: string
  readonly flags: SettingFlags
  /** The command works without a config file if that cannot be read. */
  readonly toleratesBrokenConfig: boolean
  /** The command line again for a hint, with other values for some options; undefined removes one. */
  readonly retyped: (change: HintOptions, paths?: readonly string[]) => string
}

export function createContext(options: ContextOptions) {
  const { host, interruption, version, flags, toleratesBrokenConfig, retyped } = options
  const store = openStore({ host, interruption, notice: (code, message) => reporter.notice(code, message) })
  const deprecated: string[] = []

  const settingsWith = (saved: SavedState, configPath?: string) => resolveSettings({ host, flags, saved, configPath })
  const settings = once(async () => {
    const saved: SavedState = await (toleratesBrokenConfig ? store.read().catch(() => ({})) : store.read())
    for (const { apiKey } of Object.values(saved.environments ?? {})) reporter.addSecret(apiKey)
    return settingsWith(saved, store.path)
  })
  /** For errors and help, which appear even if the settings cannot be read. */
  const presentation = once(async () => (await settings().catch(() => settingsWith({}))).presentation())

  /** Errors in the options for output are found before anything is sent. */
  const outputSettings = once(async (): Promise<OutputSettings> => {
    const resolved = await settings()
    const format = resolved.value('output')
    const color = resolved.resolve('color')
    const { fields, jq } = flags
    const int64AsStrings = flags.int64 === 'string'
    if (jq !== undefined) await (await import('./output/jq.ts')).checkJq(jq)
    if (int64AsStrings && !formats[format].isJson) {
      throw new Failure('usage', `--int64 applies only to JSON, and the output format is ${format}: add --json`)
    }
    return { format, color: color.value, isColorTyped: color.origin.kind === 'flag', fields, jq, int64AsStrings }
  })
  const reporter = createReporter(host, presentation)
  for (const secret of [host.env.PETSTORE_API_KEY, ...proxyPasswords(host.env)]) reporter.addSecret(secret)
  const noticeDeprecation = async (what: string, message: string) => {
    // A command knows its path without the base URL in front of it.
    if (deprecated.some((known) => what.endsWith(known))) return
    deprecated.push(what)
    await reporter.notice('deprecated', message)
  }

  const output = createOutput({
    host,
    settings: outputSettings,
    presentation,
    notice: reporter.notice,
    withoutSignals: interruption.released,
  })
  const transports = createTransports({
    host,
    interruption,
    version,
    settings,
    reporter,
    noticeDeprecation,
    // If JSON is only the default in a pipe, the plain command is printed, for a shell to run.
    showRequest: async (request) => {
      const { curlCommand, requestAsValue, withoutSecrets } = await import('./client/dry-run.ts')
      const { shown, hasSecret } = await withoutSecrets(request, reporter.redact)
      if (flags.output === 'json') await output.document(requestAsValue(shown))
      else await output.text(curlCommand(shown))
      if (hasSecret) await reporter.notice('redacted', 'the request contains a secret, which is shown as ***')
    },
  })
  const clients = createClients({
    host,
    interruption,
    reporter,
    transports,
    checkedSettings: async () => {
      await outputSettings()
      return settings()
    },
  })

  return {
    ...reporter,
    ...clients,
    host,
    interruption,
    version,
    store,
    output,
    settings,
    retyped,
    /** A notice that appears once per run for each operation: `what` is its method and path, or the end of the path. */
    noticeDeprecation,
    /** Where prompts are off, the refusal is thrown. */
    prompt: async (refusal: Failure) => {
      if (!(await settings()).value('input')) throw refusal
      const { createPrompt } = await import('./output/prompt.ts')
      return createPrompt(host, interruption.signal)
    },
    /** A file that the command line names, or standard input for `-`. */
    readFile: (path: string) => readText(host, path, interruption.signal),
    readBytes: (path: string) => readBytes(host, path, interruption.signal),
    /** Standard input without an explicit `-`: its first byte must arrive within `--timeout`. */
    readPipe: async () => readPipe(host, (await settings()).value('timeout'), interruption.signal),
    /** Closes everything that was opened. A run ends only after that. */
    close: transports.close,
  }
}
