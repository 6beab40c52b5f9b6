import { withoutUserInfo } from './address.ts'
import { fingerprint } from './keys.ts'
import type { Setting, Settings } from './settings.ts'

/** A setting as it is shown: nothing in it is secret. */
export type SettingRow = Readonly<{
  setting: string
  /** `null` where it is not set. */
  value: string | number | boolean | null
  origin: 'flag' | 'variable' | 'file' | 'default'
  /** The very flag, variable or file. */
  from: string | null
}>

type Shown = Setting<SettingRow['value'] | undefined> | undefined

const readers = {
  env: (settings: Settings) => settings.environment,
  'base-url': (settings: Settings) => withoutLogin(inUse(settings).baseUrl),
  'messages-url': (settings: Settings) => withoutLogin(inUse(settings).messagesUrl),
  'api-key': async (settings: Settings) => {
    const { apiKey } = inUse(settings)
    return apiKey && { ...apiKey, value: `fingerprint ${await fingerprint(apiKey.value)}` }
  },
  'allow-http': (settings: Settings) => settings.mayUseHttp,
  output: (settings: Settings) => settings.output,
  timeout: (settings: Settings) => settings.timeout,
  retries: (settings: Settings) => settings.retries,
  color: (settings: Settings) => settings.color,
  quiet: (settings: Settings) => settings.isQuiet,
  verbose: (settings: Settings) => settings.isVerbose,
  input: (settings: Settings) => settings.mayAsk,
  'https-proxy': (settings: Settings) => withoutLogin(settings.httpsProxy),
  'http-proxy': (settings: Settings) => withoutLogin(settings.httpProxy),
  'no-proxy': (settings: Settings) => settings.noProxy,
  'ca-certs': (settings: Settings) => settings.extraCertificates,
  'config-dir': (settings: Settings) => settings.configDirectory,
} satisfies Record<string, (settings: Settings) => Shown | Promise<Shown>>

export const shownSettings = Object.keys(readers) as (keyof typeof readers)[]

/** A setting in force. A wrong one is thrown as the failure that it is to whoever needs it. */
export async function describeSetting(settings: Settings, name: keyof typeof readers): Promise<SettingRow> {
  return row(name, await readers[name](settings))
}

const inUse = (settings: Settings) => settings.environmentNamed(settings.environment.value)

/** Such an address is refused wherever it is used, but it may stand in a variable, with a password. */
const withoutLogin = (address: Setting<string> | undefined) =>
  address && { ...address, value: withoutUserInfo(address.value) }

function row(
  setting: string,
  { value, origin }: NonNullable<Shown> = { value: null, origin: { kind: 'default' } },
): SettingRow {
  const from = origin.kind === 'default' ? null : origin.kind === 'file' ? origin.path : origin.name
  return { setting, value: value ?? null, origin: origin.kind, from }
}
