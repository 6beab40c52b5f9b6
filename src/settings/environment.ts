import { Failure } from '../failure.ts'
import { checkKey, type RequestEndpoint, type ServiceName } from '../model/endpoint.ts'
import { unsetVariable } from '../text/shell.ts'
import { checkAddress, originOf } from './address.ts'
import { setUpCommand } from './saved-state.ts'
import { type Resolved, variableOf } from './setting-row.ts'

/** One environment as it applies to this run. */
export interface EnvironmentSettings {
  readonly name: string
  readonly isSelected: boolean
  readonly baseUrl: Resolved<string> | undefined
  readonly messagesUrl: Resolved<string> | undefined
  readonly apiKey: Resolved<string> | undefined
  /** Where an API key from the config file may be sent. */
  readonly keyOrigins: readonly string[]
}

/** The URL of a service, whether the environment has an API key or not. */
export function resolveUrl(
  service: ServiceName,
  environment: EnvironmentSettings,
  allowsHttp: boolean
) {
  const { name, baseUrl, messagesUrl } = environment
  const [address, urlName, variable, hint] =
    service === 'pets'
      ? [baseUrl, 'base URL', 'PETSTORE_BASE_URL', setUpCommand(name)]
      : [
          messagesUrl,
          'messages URL',
          'PETSTORE_MESSAGES_URL',
          `petstore env set ${name} --messages-url https://HOST`
        ]
  if (address === undefined) {
    const problem = `no ${urlName} is set for '${name}' or given in ${variable}`
    throw new Failure('local', `${problem}; --env local works without`, { hint })
  }
  const urlVariable = variableOf(address.origin)
  const source = urlVariable ?? `the ${urlName} of '${name}'`
  return { url: checkAddress(address.value, { source, allowsHttp }), urlVariable }
}

const loginTo = (name: string) => `petstore auth login --env ${name}`

/**
 * The API key of an environment, or a failure if it has none or if the key may not be sent to this
 * URL.
 */
export function resolveKey(
  { name, baseUrl, apiKey, keyOrigins }: EnvironmentSettings,
  target: Pick<RequestEndpoint, 'url' | 'urlVariable'> | undefined
) {
  if (apiKey === undefined) {
    const hint = baseUrl === undefined ? setUpCommand(name) : loginTo(name)
    const problem = `no API key is saved for '${name}' or given in PETSTORE_API_KEY`
    throw new Failure('auth', problem, { hint })
  }
  const keyVariable = variableOf(apiKey.origin)
  const describeKey =
    keyVariable === undefined ? `the API key saved for '${name}'` : `the API key in ${keyVariable}`
  const isForeign = target !== undefined && !keyOrigins.includes(originOf(target.url))
  if (keyVariable === undefined && isForeign) {
    const problem = `${describeKey} belongs to another URL and is not sent to ${originOf(target.url)}; set PETSTORE_API_KEY for it`
    throw new Failure('auth', problem, {
      hint: target.urlVariable === undefined ? loginTo(name) : unsetVariable(target.urlVariable)
    })
  }
  return { key: checkKey(apiKey.value, describeKey), keyVariable, describeKey }
}
