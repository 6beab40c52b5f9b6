import { Failure } from '../failure.ts'
import type { RequestEndpoint, ServiceName } from '../model/endpoint.ts'
import type { OutputSettings } from '../output/formats.ts'
import type { Host } from '../system/host.ts'
import { unsetVariable } from '../text/shell.ts'
import { originOf } from './address.ts'
import type { SavedState } from './config-text.ts'
import { type EnvironmentSettings, endpointOf } from './environment.ts'
import { environmentNames, originsOf, requireEnvironment, savedEnvironment } from './saved-state.ts'
import { type Resolved, type SettingRow, variableOf } from './setting-row.ts'
import { type SettingName, type SettingValues, settingTable } from './table.ts'

/** The settings that one source gives. For `--no-input`, `input` is false. */
export type PartialSettings = { readonly [Name in SettingName]?: SettingValues[Name] | undefined }

/**
 * Every setting as it applies to this run. A flag overrides a variable, a variable overrides a
 * saved value, and a saved value overrides the default. Each setting is resolved when it is read,
 * so a wrong one stops only what needs it.
 */
export class Settings {
  readonly #sources: {
    readonly host: Host
    readonly flags: PartialSettings
    /** The config file, or why it cannot be read: that stops only what needs it. */
    readonly saved: SavedState | Failure
  }

  constructor(host: Host, flags: PartialSettings, saved: SavedState | Failure) {
    this.#sources = { host, flags, saved }
  }

  value<Name extends SettingName>(name: Name): SettingValues[Name] {
    return this.resolve(name).value
  }

  /** The value with its source. If nothing sets it, it is the default, or undefined without one. */
  resolve<Name extends SettingName>(name: Name): Resolved<SettingValues[Name]> {
    const { host, flags } = this.#sources
    const typed = flags[name]
    if (typed !== undefined)
      return { value: typed, origin: { kind: 'option', name: 'the command line' } }
    const { environment: env, preferences = {} } = this.#saved
    const inFile: PartialSettings = { ...preferences, env }
    // For the compiler, a value of any name may be null.
    const found = fromVariableOrFile(settingRows[name], host.env, inFile[name] ?? undefined)
    // Only a setting whose type includes undefined has no default.
    const byDefault = settingRows[name].default?.(host) as SettingValues[Name]
    return found ?? { value: byDefault, origin: { kind: 'default', name: 'default' } }
  }

  environments(): EnvironmentSettings[] {
    return environmentNames(this.#saved).map(name => this.knownOrNew(name))
  }

  /** An environment that exists, by default the selected one; otherwise a usage error. */
  environmentNamed(name = this.value('env')): EnvironmentSettings {
    const { value, origin } = this.resolve('env')
    const isFromElsewhere = name === value && origin.kind !== 'option'
    const source = isFromElsewhere ? ` (from ${origin.name})` : ''
    requireEnvironment(this.#saved, name, source)
    return this.knownOrNew(name)
  }

  /** An environment that may not be saved yet. */
  knownOrNew(name: string): EnvironmentSettings {
    const { host } = this.#sources
    const saved = savedEnvironment(this.#saved, name)
    const isSelected = name === this.value('env')
    // Variables apply only to the selected environment, so that their key goes nowhere else.
    const env = isSelected && name !== 'local' ? host.env : {}
    const urls = {
      baseUrl: fromVariableOrFile(settingRows['base-url'], env, saved.baseUrl),
      messagesUrl: fromVariableOrFile(settingRows['messages-url'], env, saved.messagesUrl)
    }
    // What is saved is about the saved URLs: a variable may lead to a service that knows no such keys.
    const known = originsOf(saved)
    const isKnown = Object.values(urls).every(url => !url || known.includes(originOf(url.value)))
    const variable = variableOf(this.resolve('read-only'))
    return {
      name,
      isSelected,
      ...urls,
      apiKey: fromVariableOrFile(settingRows['api-key'], env, saved.apiKey),
      keyOrigins: saved.keyOrigins ?? [],
      isIdempotent: name === 'local' || (saved.idempotent === true && isKnown),
      readOnlyReason: variable
        ? `${variable} is set`
        : saved.readOnly && `'${name}' is set --read-only`
    }
  }

  /** Where requests to a service of an environment go, and their key. */
  endpoint(service: ServiceName, environmentName?: string): RequestEndpoint {
    return endpointOf(service, this.environmentNamed(environmentName), {
      allowsHttp: this.value('allow-http'),
      isDryRun: this.value('dry-run')
    })
  }

  /** The URL of a service of the selected environment. */
  url(service: ServiceName): string {
    const allowsHttp = this.value('allow-http')
    return endpointOf(service, this.environmentNamed(), { allowsHttp, isDryRun: true }).url
  }

  /** Throws where requests that change something are refused. A dry run sends none. */
  requireWritable(environmentName?: string): void {
    const { readOnlyReason } = this.environmentNamed(environmentName)
    if (readOnlyReason === undefined || this.value('dry-run')) return
    const problem = `${readOnlyReason}: nothing is changed`
    throw new Failure('usage', problem, { hint: 'petstore help environment' })
  }

  savedKeys(): string[] {
    const { saved } = this.#sources
    if (saved instanceof Failure) return []
    return Object.values(saved.environments ?? {}).flatMap(({ apiKey }) => apiKey ?? [])
  }

  /** What decides how stderr looks, also for the error about a wrong setting. */
  presentation(): Pick<OutputSettings, 'format' | 'color' | 'quiet'> {
    const { host, flags, saved } = this.#sources
    if (saved instanceof Failure) return new Settings(host, flags, {}).presentation()
    return {
      format: this.#formatOrJson(),
      color: this.value('color'),
      quiet: this.value('quiet')
    }
  }

  get #saved() {
    const { saved } = this.#sources
    if (saved instanceof Failure) throw saved
    return saved
  }

  #formatOrJson() {
    try {
      return this.value('output')
    } catch {
      // Then stderr is JSON, unless it is a terminal.
      return 'json'
    }
  }
}

/** The rows, typed so that a generic name leads to a row with the value of that name. */
const settingRows: {
  readonly [Name in SettingName]: SettingRow<NonNullable<SettingValues[Name]>>
} = settingTable

/**
 * The value of the first variable that has a usable one, otherwise the saved value. An empty
 * variable counts as unset.
 */
function fromVariableOrFile<Value>(
  { variables = [], type }: SettingRow<Value>,
  env: Host['env'],
  saved: Value | undefined
): Resolved<Value> | undefined {
  for (const { name, read } of variables) {
    const text = env[name]
    if (!text) continue
    const value = read === undefined ? type.read(text) : read(text)
    if (value !== undefined) return { value, origin: { kind: 'variable', name } }
    if (read === undefined)
      throw new Failure('usage', `${name} must be ${type.expected}`, { hint: unsetVariable(name) })
  }
  if (saved === undefined) return undefined
  return { value: saved, origin: { kind: 'file', name: 'the config file' } }
}
