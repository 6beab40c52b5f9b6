import { Failure } from '../failure.ts'
import type { Endpoint, ServiceName } from '../model/endpoint.ts'
import type { Host } from '../platform/host.ts'
import { checkAddress, originOf } from './address.ts'
import { checkKey } from './keys.ts'
import { type Resolved, variableOf } from './origin.ts'

const services = {
  pets: { addressName: 'base address', option: '--base-url', example: 'https://HOST/v1', trial: 'pets list' },
  messages: {
    addressName: 'messages address',
    option: '--messages-url',
    example: 'https://HOST',
    trial: 'messages send hello',
  },
} as const

/** One environment as it applies to this run. */
export interface EnvironmentSettings {
  readonly name: string
  readonly isSelected: boolean
  readonly baseUrl: Resolved<string> | undefined
  readonly messagesUrl: Resolved<string> | undefined
  readonly apiKey: Resolved<string> | undefined
}

export interface Address {
  /** Without a slash at its end. */
  readonly url: string
  /** The variable that it came from, where it did not come out of the config. */
  readonly variable: string | undefined
}

export function resolveAddress(
  service: ServiceName,
  { name, baseUrl, messagesUrl }: EnvironmentSettings,
  env: Host['env'],
): Address {
  const { addressName, option, example, trial } = services[service]
  const address = service === 'pets' ? baseUrl : messagesUrl
  if (address === undefined) {
    throw new Failure(
      'local',
      `the environment ${name} has no ${addressName}; to try without one: petstore ${trial} --env local`,
      { hint: `petstore env set ${name} ${option} ${example}` },
    )
  }
  const variable = variableOf(address.origin)
  return { url: checkAddress(address.value, { source: variable ?? `the ${addressName} of ${name}`, env }), variable }
}

/** The address and the key of one of an environment's two services, if it has both and the key may be sent there. */
export function resolveEndpoint(
  service: ServiceName,
  environment: EnvironmentSettings,
  keyOrigins: readonly string[],
  env: Host['env'],
): Endpoint {
  const { url, variable } = resolveAddress(service, environment, env)
  const { name, apiKey } = environment
  const login = `petstore auth login --env ${name}`
  if (apiKey === undefined) throw new Failure('auth', `there is no key for the environment ${name}`, { hint: login })
  const describeKey =
    apiKey.origin.kind === 'variable' ? `the key from ${apiKey.origin.name}` : `the kept key of ${name}`
  if (apiKey.origin.kind === 'file' && !keyOrigins.includes(originOf(url))) {
    throw new Failure(
      'auth',
      `${describeKey} was not kept for ${originOf(url)} and is not sent there; PETSTORE_API_KEY must give the key`,
      { hint: variable === undefined ? login : `unset ${variable}` },
    )
  }
  const key = checkKey(apiKey.value, describeKey)
  return {
    url,
    key,
    describeKey,
    environment: name,
    urlVariable: variable,
    keyVariable: variableOf(apiKey.origin),
  }
}
