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

/** Every setting in force. A wrong one is thrown as the failure that it is to whoever needs it. */
export async function describeSettings(settings: Settings): Promise<SettingRow[]> {
  const { baseUrl, messagesUrl, apiKey } = settings.environmentNamed(settings.environment.value)
  return [
    row('env', settings.environment),
    row('base-url', baseUrl && { ...baseUrl, value: withoutUserInfo(baseUrl.value) }),
    row('messages-url', messagesUrl && { ...messagesUrl, value: withoutUserInfo(messagesUrl.value) }),
    row('api-key', apiKey && { ...apiKey, value: `fingerprint ${await fingerprint(apiKey.value)}` }),
    row('allow-http', settings.mayUseHttp),
    row('output', settings.output),
    row('timeout', settings.timeout),
    row('retries', settings.retries),
    row('color', settings.color),
    row('quiet', settings.isQuiet),
    row('verbose', settings.isVerbose),
    row('input', settings.mayAsk),
    row('config-dir', settings.configDirectory),
  ]
}

function row(
  setting: string,
  { value, origin }: Setting<SettingRow['value'] | undefined> = { value: null, origin: { kind: 'default' } },
): SettingRow {
  const from = origin.kind === 'default' ? null : origin.kind === 'file' ? origin.path : origin.name
  return { setting, value: value ?? null, origin: origin.kind, from }
}

/** Such an address is refused wherever it is used, but it may stand in a variable, with a password. */
function withoutUserInfo(address: string): string {
  return address.replace(/^([^/?#]*\/\/)?[^/?#]*@/, '$1***@')
}
