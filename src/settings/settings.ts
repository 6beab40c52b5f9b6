import { Failure } from '../failure.ts'
import type { ColorChoice } from '../model/color.ts'
import type { Endpoint, ServiceName } from '../model/endpoint.ts'
import type { Format } from '../output/formats.ts'
import type { Host } from '../platform/host.ts'
import { type Address, resolveAddress, resolveEndpoint } from './endpoint.ts'
import { environmentNames, keptEnvironment, requireEnvironment } from './environments.ts'
import { configDirectory } from './location.ts'
import { isSwitchedOn, type Preferences, preferences } from './preferences.ts'
import type { KeptState } from './state.ts'

/** Where a value comes from. */
export type Origin =
  | { readonly kind: 'flag' | 'variable'; readonly name: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'default' }

export interface Setting<Value> {
  readonly value: Value
  readonly origin: Origin
}

/** What was typed. `input` is false for `--no-input` and says nothing otherwise. */
export interface SettingFlags {
  readonly env?: string | undefined
  readonly output?: Format | undefined
  readonly fields?: readonly string[] | undefined
  readonly jq?: string | undefined
  readonly int64?: 'string' | undefined
  readonly timeout?: number | undefined
  readonly retries?: number | undefined
  readonly color?: ColorChoice | undefined
  readonly quiet?: boolean | undefined
  readonly verbose?: boolean | undefined
  readonly dryRun?: boolean | undefined
  readonly input?: boolean | undefined
}

/** One environment as it stands. Variables speak for the environment in use alone, so that their key goes nowhere else. */
export interface EnvironmentSettings {
  readonly name: string
  readonly isInUse: boolean
  readonly baseUrl: Setting<string> | undefined
  readonly messagesUrl: Setting<string> | undefined
  readonly apiKey: Setting<string> | undefined
}

/** Every setting in force. Each is worked out when it is read, so that a wrong one stops only those who need it. */
export interface Settings {
  /** The environment that is asked for; whether it exists is looked at when its endpoint or its settings are. */
  readonly environment: Setting<string>
  readonly output: Setting<Format>
  readonly timeout: Setting<number>
  readonly retries: Setting<number>
  readonly color: Setting<ColorChoice>
  /** Whether a missing value may be asked for. */
  readonly mayAsk: Setting<boolean>
  readonly isQuiet: Setting<boolean>
  readonly isVerbose: Setting<boolean>
  /** Plain http to other machines. */
  readonly mayUseHttp: Setting<boolean>
  /** What Node and the wire read for themselves; undefined where it is not set. */
  readonly httpsProxy: Setting<string> | undefined
  readonly httpProxy: Setting<string> | undefined
  readonly noProxy: Setting<string> | undefined
  readonly extraCertificates: Setting<string> | undefined
  /** Where everything is kept; its value is undefined where there is no place. */
  readonly configDirectory: Setting<string | undefined>
  /** Whether requests are only shown. */
  readonly isDryRun: boolean
  environments(): EnvironmentSettings[]
  /** `hint` is for where there is none of that name. */
  environmentNamed(name: string, hint?: string): EnvironmentSettings
  /** Where a service of the environment in use is, whether there is a key for it or not. */
  address(service: ServiceName): Address
  endpoint(service: ServiceName, environmentName?: string): Endpoint
}

export interface SettingSources {
  readonly host: Pick<Host, 'env' | 'terminal' | 'home'>
  readonly flags: SettingFlags
  readonly state: KeptState
  /** Where `state` was read; undefined where there is no place to keep anything. */
  readonly configPath: string | undefined
}

/** Whoever types a flag means it most; then come the variables (but for empty ones), the file and the defaults. */
export function resolveSettings({ host, flags, state, configPath = '' }: SettingSources): Settings {
  const { env, terminal } = host

  const fromFlag = <Value>(name: string, value: Value | undefined) => found(value, { kind: 'flag', name })
  const fromVariable = (name: string) => found(env[name] || undefined, { kind: 'variable', name })
  const fromFile = <Value>(value: Value | undefined) => found(value, { kind: 'file', path: configPath })
  const preferred = <Name extends keyof Preferences>(name: Name) =>
    fromFile<Preferences[Name]>(state.preferences?.[name])
  const preferredByVariable = <Name extends keyof Preferences>(name: Name) => {
    const [variable = ''] = preferences[name].variables
    const setting = fromVariable(variable)
    if (setting === undefined) return undefined
    const value: Preferences[Name] | undefined = preferences[name].read(setting.value)
    if (value !== undefined) return { ...setting, value }
    throw new Failure('usage', `${variable} must be ${preferences[name].expected}`, { hint: `unset ${variable}` })
  }
  /** A variable that is on unless it is empty, `0` or `false`; then it means `value`. */
  const switchedOn = <Value>(name: string, value: Value) =>
    isSwitchedOn(env[name]) ? found(value, { kind: 'variable', name }) : undefined

  const environmentInUse = () =>
    fromFlag('--env', flags.env) ??
    fromVariable('PETSTORE_ENV') ??
    fromFile(state.environment) ??
    byDefault('production')

  const environmentNamed = (name: string, hint?: string): EnvironmentSettings => {
    const inUse = environmentInUse()
    const isInUse = name === inUse.value
    requireEnvironment(state, name, isInUse ? cameFrom(inUse.origin) : '', hint)
    const kept = keptEnvironment(state, name)
    const takesVariables = isInUse && name !== 'local'
    const setting = (variable: string, value: string | undefined) =>
      (takesVariables ? fromVariable(variable) : undefined) ?? fromFile(value)
    return {
      name,
      isInUse,
      baseUrl: setting('PETSTORE_BASE_URL', kept.baseUrl),
      messagesUrl: setting('PETSTORE_MESSAGES_URL', kept.messagesUrl),
      apiKey: setting('PETSTORE_API_KEY', kept.apiKey),
    }
  }

  return {
    get environment() {
      return environmentInUse()
    },
    get output() {
      return (
        fromFlag('--output', flags.output) ??
        preferredByVariable('output') ??
        preferred('output') ??
        byDefault(terminal.stdout ? 'table' : 'json')
      )
    },
    get timeout() {
      return (
        fromFlag('--timeout', flags.timeout) ?? preferredByVariable('timeout') ?? preferred('timeout') ?? byDefault(30)
      )
    },
    get retries() {
      return (
        fromFlag('--retries', flags.retries) ?? preferredByVariable('retries') ?? preferred('retries') ?? byDefault(3)
      )
    },
    get color() {
      const noColor = env.NO_COLOR ? found('never' as const, { kind: 'variable', name: 'NO_COLOR' }) : undefined
      const forced = switchedOn('FORCE_COLOR', 'always' as const)
      return fromFlag('--color', flags.color) ?? noColor ?? forced ?? preferred('color') ?? byDefault('auto')
    },
    get mayAsk() {
      const refused = flags.input === false ? fromFlag('--no-input', false) : undefined
      return refused ?? switchedOn('CI', false) ?? byDefault(terminal.stdin && terminal.stderr)
    },
    get isQuiet() {
      return fromFlag('--quiet', flags.quiet || undefined) ?? byDefault(false)
    },
    get isVerbose() {
      return fromFlag('--verbose', flags.verbose || undefined) ?? switchedOn('PETSTORE_DEBUG', true) ?? byDefault(false)
    },
    get mayUseHttp() {
      const { PETSTORE_ALLOW_HTTP: allowed } = env
      return found(allowed === '1' || undefined, { kind: 'variable', name: 'PETSTORE_ALLOW_HTTP' }) ?? byDefault(false)
    },
    get httpsProxy() {
      return fromVariable('https_proxy') ?? fromVariable('HTTPS_PROXY')
    },
    get httpProxy() {
      return fromVariable('http_proxy') ?? fromVariable('HTTP_PROXY')
    },
    get noProxy() {
      return fromVariable('no_proxy') ?? fromVariable('NO_PROXY')
    },
    get extraCertificates() {
      return fromVariable('NODE_EXTRA_CA_CERTS')
    },
    get configDirectory() {
      const value = configDirectory(host)
      const name = ['PETSTORE_CONFIG_DIR', 'XDG_CONFIG_HOME'].find((variable) => env[variable])
      const origin: Origin = name === undefined ? { kind: 'default' } : { kind: 'variable', name }
      return { value, origin }
    },
    isDryRun: flags.dryRun ?? false,
    environments: () => environmentNames(state).map((name) => environmentNamed(name)),
    environmentNamed,
    address: (service) => resolveAddress(service, environmentNamed(environmentInUse().value), env),
    endpoint: (service, name = environmentInUse().value) =>
      resolveEndpoint(service, environmentNamed(name), keptEnvironment(state, name).keyOrigins ?? [], env),
  }
}

function found<Value>(value: Value | undefined, origin: Origin): Setting<Value> | undefined {
  return value === undefined ? undefined : { value, origin }
}

function byDefault<Value>(value: Value): Setting<Value> {
  return { value, origin: { kind: 'default' } }
}

function cameFrom(origin: Origin): string {
  if (origin.kind === 'file') return `, which ${origin.path} says is in use`
  return origin.kind === 'variable' ? `, which ${origin.name} asks for` : ''
}
