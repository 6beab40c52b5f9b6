import type { Client } from './api/client.ts'
import type { Endpoint, ServiceName } from './api/endpoint.ts'
import type { Transport } from './api/exchange.ts'

import { databasePath } from './config/location.ts'
import { preferences } from './config/preferences.ts'
import { resolveSettings, type SettingFlags, type Settings } from './config/settings.ts'
import { openStore, type Store } from './config/store.ts'
import { Failure } from './failure.ts'
import type { Host } from './host.ts'
import type { Prompt } from './input/prompt.ts'
import { readText } from './input/text.ts'
import type { Interruption } from './interruption.ts'
import { createOutput, type Output, type OutputSettings } from './output/output.ts'
import { createReporter, type Reporter } from './output/reporter.ts'

/** What a command is given. Whatever is costly is loaded and made at its first use, and only then. */
export interface Context {
  readonly host: Host
  readonly interruption: Interruption
  readonly store: Store
  readonly output: Output
  readonly reporter: Reporter
  settings(): Promise<Settings>
  /** A client for the environment in use. */
  client(): Promise<Client>
  /** A client for one address and key, whatever is in use: for trying a key. */
  clientFor(endpoint: Endpoint): Promise<Client>
  prompt(): Promise<Prompt>
  /** A file that the command line names, or standard input for `-`. */
  readFile(path: string): Promise<string>
  /** Says something on stderr that is no error. */
  notice(code: string, message: string): Promise<void>
  /** Says on stderr, a line each, what goes on. */
  log(code: string, line: string): Promise<void>
  /** From here on this key is never shown on stderr. */
  cover(key: string): void
  /** Lets go of what was opened; a run ends only after it. */
  close(): Promise<void>
}

interface Ingredients {
  readonly host: Host
  readonly interruption: Interruption
  /** What was typed; known only once the command line is parsed. */
  readonly flags: () => SettingFlags
  readonly version: string
}

export function createContext({ host, interruption, flags, version }: Ingredients): Context {
  const store = openStore(host)
  const secrets = new Set([host.env.PETSTORE_API_KEY ?? ''])
  const now = () => host.now()
  const transports: Promise<Transport>[] = []

  const settings = once(async () => {
    const state = await store.read()
    for (const kept of Object.values(state.environments ?? {})) secrets.add(kept.apiKey ?? '')
    return resolveSettings({ host, flags: flags(), state, configPath: store.path })
  })

  const outputSettings = async (): Promise<OutputSettings> => {
    const { output, color } = await settings()
    const { fields, jq, int64 } = flags()
    return { format: output.value, color: color.value, fields, jq, int64AsStrings: int64 === 'string' }
  }
  /** Whatever is wrong with how data is to come out is found before anything is sent. */
  const checkOutput = once(async () => {
    const { format, jq, int64AsStrings } = await outputSettings()
    if (jq !== undefined) await (await import('./output/jq.ts')).checkJq(jq)
    if (int64AsStrings && format !== 'json' && format !== 'ndjson') {
      throw new Failure('usage', `--int64 is about JSON, and the format is ${format}: add --json`)
    }
  })
  /** Where the settings are what failed, help and their failure come out in the manner that can still be known. */
  const settingsAtLeast = () =>
    outputSettings().catch(() => ({
      format:
        flags().output ??
        preferences.output.read(host.env.PETSTORE_OUTPUT ?? '') ??
        (host.terminal.stdout ? 'table' : 'json'),
      color: flags().color ?? 'auto',
    }))
  const reporter = createReporter({ host, settings: settingsAtLeast, isQuiet: () => flags().quiet ?? false, secrets })
  const notice = (code: string, message: string) => reporter.notice(code, message)

  const opened = (open: () => Promise<Transport>) =>
    once(() => {
      const transport = open()
      transports.push(transport)
      return transport
    })
  const network = opened(async () => {
    const [{ createNetworkTransport }, { withRetries }, { timeout, retries }] = await Promise.all([
      import('./api/transport.ts'),
      import('./api/retry.ts'),
      settings(),
    ])
    const { signal } = interruption
    return withRetries({
      transport: createNetworkTransport({
        timeoutSeconds: timeout.value,
        signal,
        userAgent: `petstore-cli/${version}`,
      }),
      retries: retries.value,
      signal,
      now,
      random: Math.random,
      sleep: async (milliseconds) => {
        const { setTimeout } = await import('node:timers/promises')
        await setTimeout(milliseconds, undefined, { signal })
      },
      notice: (message) => notice('retrying', message),
    })
  })
  const local = opened(async () => {
    const { openLocalService } = await import('./service/local.ts')
    const { transport, isKept } = await openLocalService({ path: databasePath(host), now })
    if (!isKept) await notice('not-kept', 'the local data is in memory only and is gone when this command ends')
    return transport
  })

  return {
    host,
    interruption,
    store,
    reporter,
    output: createOutput({
      host,
      settings: async () => {
        await checkOutput()
        return outputSettings()
      },
      settingsAtLeast,
      notice,
      withoutSignals: interruption.released,
    }),
    settings,
    notice,
    log: (code, line) => reporter.log(code, line),
    cover: (key) => {
      secrets.add(key)
    },
    client: once(async () => {
      await checkOutput()
      const [{ createClient }, { environment, endpoint }] = await Promise.all([import('./api/client.ts'), settings()])
      return environment.value === 'local'
        ? createClient({ transport: await local(), endpoint: localEndpoint, now })
        : createClient({ transport: await network(), endpoint, now })
    }),
    clientFor: async (endpoint) => {
      const { createClient } = await import('./api/client.ts')
      secrets.add(endpoint.key)
      return createClient({ transport: await network(), endpoint: () => endpoint, now })
    },
    prompt: once(async () => {
      const { createPrompt } = await import('./input/prompt.ts')
      return createPrompt(host, interruption.signal)
    }),
    readFile: (path) => readText(host, path, interruption.signal),
    close: async () => {
      // One that could not be opened has told so already, where it was needed.
      for (const transport of await Promise.allSettled(transports.splice(0))) {
        if (transport.status === 'fulfilled') await transport.value.close()
      }
    },
  }
}

/** The service inside this program has addresses only for the form's sake: nothing is ever connected to. */
const localEndpoint = (service: ServiceName): Endpoint => ({
  url: service === 'pets' ? 'http://local.invalid/v1' : 'http://local.invalid',
  key: 'local',
  describeKey: 'the key of the local service',
  environment: 'local',
})

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return () => {
    made ??= make()
    return made
  }
}
