import { Failure } from '../failure.ts'
import { checkKey, type Endpoint, type ServiceName } from '../model/endpoint.ts'
import { checkAddress, originOf } from './address.ts'
import { type Resolved, variableOf } from './table.ts'

const services = {
  pets: { urlName: 'base URL', option: '--base-url', example: 'https://HOST/v1' },
  messages: { urlName: 'messages URL', option: '--messages-url', example: 'https://HOST' },
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
  /** The variable that it comes from, unless it comes from the config file. */
  readonly variable: string | undefined
}

export function resolveAddress(
  service: ServiceName,
  { name, baseUrl, messagesUrl }: EnvironmentSettings,
  allowsHttp: boolean,
): Address {
  const { urlName, option, example } = services[service]
  const address = service === 'pets' ? baseUrl : messagesUrl
  if (address === undefined) {
    throw new Failure('local', `no ${urlName} is set for '${name}'; to try the command without one, add --env local`, {
      hint: `petstore env set ${name} ${option} ${example}`,
    })
  }
  const variable = variableOf(address.origin)
  return {
    url: checkAddress(address.value, { source: variable ?? `the ${urlName} of '${name}'`, allowsHttp }),
    variable,
  }
}

/** The API key of an environment, or a failure if it has none. */
export function requireKey({ name, apiKey }: EnvironmentSettings): Resolved<string> {
  if (apiKey !== undefined) return apiKey
  throw new Failure('auth', `no API key is saved for '${name}'`, { hint: loginTo(name) })
}

const loginTo = (name: string) => `petstore auth login --env ${name}`

/** The URL and the API key of a service, if the environment has both and the key may be sent there. */
export function resolveEndpoint(
  service: ServiceName,
  environment: EnvironmentSettings,
  keyOrigins: readonly string[],
  allowsHttp: boolean,
): Endpoint {
  const { url, variable } = resolveAddress(service, environment, allowsHttp)
  const { name } = environment
  const apiKey = requireKey(environment)
  const describeKey =
    apiKey.origin.kind === 'variable' ? `the API key in ${apiKey.origin.name}` : `the API key saved for '${name}'`
  if (apiKey.origin.kind === 'file' && !keyOrigins.includes(originOf(url))) {
    throw new Failure(
      'auth',
      `${describeKey} belongs to another URL and is not sent to ${originOf(url)}; set PETSTORE_API_KEY for it`,
      { hint: variable === undefined ? loginTo(name) : `unset ${variable}` },
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
