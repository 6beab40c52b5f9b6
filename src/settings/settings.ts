import { Failure } from '../failure.ts'
import type { Endpoint, ServiceName } from '../model/endpoint.ts'
import { type EnvironmentSettings, resolveEndpoint, resolveUrl } from './endpoint.ts'
import {
  defaultEnvironment,
  environmentNames,
  requireEnvironment,
  type SavedState,
  savedEnvironment,
} from './saved-state.ts'
import {
  flagOf,
  type Machine,
  type Origin,
  type Resolved,
  type SettingName,
  type SettingRow,
  type SettingValues,
  settingNames,
  settingTable,
  variableOf,
} from './table.ts'

/** The values on the command line; `input` is false for `--no-input`. */
export type SettingFlags = { readonly [Name in SettingName]?: SettingValues[Name] | undefined }

export interface SettingSources {
  readonly host: Machine
  readonly flags: SettingFlags
  readonly saved: SavedState
  /** Where `saved` was read; undefined if there is no place for a config file. */
  readonly configPath: string | undefined
}

/** Every setting as it applies to this run. */
export interface Settings {
  value<Name extends SettingName>(name: Name): SettingValues[Name]
  /** The value with its source. A value that is not set is undefined, by default. */
  resolve<Name extends SettingName>(name: Name): Resolved<SettingValues[Name]>
  environments(): EnvironmentSettings[]
  /** An environment that exists, otherwise a usage error. */
  environmentNamed(name: string): EnvironmentSettings
  /** The same, or an environment that is not saved yet. */
  newEnvironment(name: string): EnvironmentSettings
  /** Throws the refusal where prompts are off. It names the variable that is the reason. */
  requireInput(refusal: Failure): void
  /** The name of the environment for requests. Throws if variables contradict it. */
  requestEnvironment(): string
  /** ` to staging`, for the confirmation of a change; empty for the default environment. */
  toEnvironment(): string
  /** The URL of a service of the selected environment, which may have no API key. */
  url(service: ServiceName): string
  endpoint(service: ServiceName, environmentName?: string): Endpoint
  /** Throws if a request would lack its URL or its key: before a person types what would be lost. */
  requireEndpoint(service: ServiceName): void
  /** What decides how text looks, for errors and help even if one of these is wrong. */
  presentation(): Pick<SettingValues, 'output' | 'color' | 'quiet' | 'verbose'>
}

/**
 * A flag overrides a variable, a variable overrides a saved value, and a saved value overrides the
 * default. Each setting is resolved when it is read, so a wrong one stops only what needs it.
 */
export function resolveSettings({ host, flags, saved, configPath = '' }: SettingSources): Settings {
  // Only a setting whose type includes undefined has no default.
  const defaultOf = <Name extends SettingName>(name: Name) =>
    settingRows[name].default?.(host) as SettingValues[Name]
  const variableOrSaved = <Name extends SettingName>(
    name: Name,
    env: Machine['env'],
    savedValues: SettingFlags,
  ) =>
    resolveVariable(settingRows[name], env) ??
    resolvedFrom({ kind: 'file', name: configPath }, savedValues[name])

  /** A URL or the API key of an environment. */
  const resolveIn = <Name extends SettingName>(environment: string, name: Name) => {
    const { baseUrl, messagesUrl, apiKey } = savedEnvironment(saved, environment)
    // Variables apply only to the selected environment, so that their key goes nowhere else.
    const env = environment === value('env') && environment !== 'local' ? host.env : {}
    const savedValues = { 'base-url': baseUrl, 'messages-url': messagesUrl, 'api-key': apiKey }
    return variableOrSaved(name, env, savedValues)
  }
  const resolve = <Name extends SettingName>(name: Name): Resolved<SettingValues[Name]> => {
    const { option, savedAs } = settingRows[name]
    const fromFlag = resolvedFrom({ kind: 'flag', name: flagOf(option?.flags ?? '') }, flags[name])
    if (fromFlag !== undefined) return fromFlag
    const found =
      typeof savedAs === 'object'
        ? resolveIn(environmentNamed(value('env')).name, name)
        : variableOrSaved(name, host.env, savedValuesOf(saved, savedAs))
    return found ?? { value: defaultOf(name), origin: { kind: 'default' } }
  }
  const value = <Name extends SettingName>(name: Name) => resolve(name).value
  const valueOrDefault = <Name extends 'output' | 'color'>(name: Name) => {
    try {
      return value(name)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return defaultOf(name)
    }
  }

  const newEnvironment = (name: string): EnvironmentSettings => {
    const isSelected = name === value('env')
    return {
      name,
      isSelected,
      baseUrl: resolveIn(name, 'base-url'),
      messagesUrl: resolveIn(name, 'messages-url'),
      apiKey: resolveIn(name, 'api-key'),
      isInCi: isSelected && variableOf(resolve('input').origin) === 'CI',
      keyOrigins: savedEnvironment(saved, name).keyOrigins ?? [],
    }
  }
  const environmentNamed = (name: string) => {
    const selected = resolve('env')
    requireEnvironment(saved, name, name === selected.value ? sourceInWords(selected.origin) : '')
    return newEnvironment(name)
  }

  const settings: Settings = {
    value,
    resolve,
    environments: () => environmentNames(saved).map(newEnvironment),
    environmentNamed,
    newEnvironment,
    requireInput: (refusal) => {
      const { value: isAllowed, origin } = resolve('input')
      if (isAllowed) return
      const variable = variableOf(origin)
      // Without a terminal there are no prompts anyway.
      if (variable !== undefined && host.terminal.stdin && host.terminal.stderr) {
        refusal.message += `; ${variable} turns prompts off (${variable}= petstore … prompts)`
      }
      throw refusal
    },
    requestEnvironment: () => {
      const { value: name, origin } = resolve('env')
      const variable = urlVariables.find((candidate) => host.env[candidate])
      if (name !== 'local' || origin.kind === 'flag' || variable === undefined) return name
      // The request was probably meant for that URL, and would silently go to the local service.
      throw new Failure(
        'usage',
        `${variable} is set, but the environment is 'local'${sourceInWords(origin)}, which has no URLs: choose the environment with --env`,
        { hint: `unset ${variable}` },
      )
    },
    toEnvironment: () => {
      const name = value('env')
      return name === defaultEnvironment(saved) ? '' : ` to ${name}`
    },
    url: (service: ServiceName) =>
      resolveUrl(service, environmentNamed(value('env')), value('allow-http')).url,
    endpoint: (service: ServiceName, environmentName = value('env')) =>
      resolveEndpoint(service, environmentNamed(environmentName), value('allow-http')),
    requireEndpoint: (service) => {
      if (settings.requestEnvironment() === 'local') return
      if (value('dry-run')) settings.url(service)
      else settings.endpoint(service)
    },
    presentation: () => ({
      output: valueOrDefault('output'),
      color: valueOrDefault('color'),
      quiet: value('quiet'),
      verbose: value('verbose'),
    }),
  }
  return settings
}

const urlVariables = ['PETSTORE_BASE_URL', 'PETSTORE_MESSAGES_URL']

const settingRows: {
  readonly [Name in SettingName]: SettingRow<NonNullable<SettingValues[Name]>>
} = settingTable

export const listedSettings = settingNames.filter((name) => settingTable[name].isForOneRun !== true)

/**
 * A setting as `config list` shows it: without secrets; `from` is the flag, variable or file.
 * Throws the usual failure if the value is invalid.
 */
export async function showSetting(settings: Settings, name: SettingName) {
  const row: SettingRow<unknown> = settingTable[name]
  const { value, origin } = settings.resolve(name)
  const shown = value === undefined ? null : ((await row.shown?.(value)) ?? value)
  const from = origin.name ?? null
  return {
    setting: name,
    value: shown as string | number | boolean | null,
    origin: origin.kind,
    from,
  }
}

/** The first variable with a usable value. An empty one counts as unset. */
export function resolveVariable<Value>(
  { variables = [], type }: SettingRow<Value>,
  env: Machine['env'],
): Resolved<Value> | undefined {
  for (const { name, read } of variables) {
    const text = env[name]
    if (!text) continue
    const value = read === undefined ? type.read(text) : read(text)
    if (value !== undefined) return { value, origin: { kind: 'variable', name } }
    if (read === undefined)
      throw new Failure('usage', `${name} must be ${type.expected}`, { hint: `unset ${name}` })
  }
  return undefined
}

function savedValuesOf(
  { environment, preferences }: SavedState,
  savedAs: 'preference' | 'environment' | undefined,
): SettingFlags {
  if (savedAs === 'environment') return { env: environment }
  // A later version may have saved preferences with the name of another setting of this version.
  return savedAs === 'preference' ? { ...preferences } : {}
}

function resolvedFrom<Value>(
  origin: Origin,
  value: Value,
): Resolved<NonNullable<Value>> | undefined {
  return value === undefined || value === null ? undefined : { value, origin }
}

function sourceInWords(origin: Origin): string {
  if (origin.kind === 'file') return ` (the default in ${origin.name})`
  return origin.kind === 'variable' ? ` (from ${origin.name})` : ''
}
