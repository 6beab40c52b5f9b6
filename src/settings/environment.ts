import { Failure } from '../failure.ts'
import {
  checkKey,
  loginCommand,
  type RequestEndpoint,
  type ServiceName,
  setCommand
} from '../model/endpoint.ts'
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
  /** Whether a request with an idempotency key may be repeated. */
  readonly isIdempotent: boolean
  /** Why requests that change something are refused; undefined where they are not. */
  readonly readOnlyReason: string | undefined
}

/**
 * Where `petstore serve` listens by default. The service inside this program has URLs only for form:
 * nothing connects to them.
 */
export const localOrigin = 'http://127.0.0.1:4010'

/**
 * Where the requests of an environment go, and their key. Throws if one is missing. A dry run sends
 * nothing, so it reads no key.
 */
export function endpointOf(
  service: ServiceName,
  environment: EnvironmentSettings,
  { allowsHttp, isDryRun }: { allowsHttp: boolean; isDryRun: boolean }
): RequestEndpoint {
  const { name, isIdempotent } = environment
  const own = { service, environment: name, isIdempotent, describeKey: 'the API key' }
  if (name === 'local') {
    const url = service === 'pets' ? `${localOrigin}/v1` : localOrigin
    const key = isDryRun ? undefined : 'local'
    return { ...own, url, key, placeName: 'the local service' }
  }
  const target = urlOf(service, environment, allowsHttp)
  return { ...own, ...target, ...(!isDryRun && keyOf(environment, target)) }
}

function urlOf(
  service: ServiceName,
  { name, baseUrl, messagesUrl }: EnvironmentSettings,
  allowsHttp: boolean
) {
  const isForPets = service === 'pets'
  const address = isForPets ? baseUrl : messagesUrl
  const urlName = isForPets ? 'base URL' : 'messages URL'
  if (address === undefined) {
    const variable = isForPets ? 'PETSTORE_BASE_URL' : 'PETSTORE_MESSAGES_URL'
    const problem = `no ${urlName} is set for '${name}' or given in ${variable}`
    throw new Failure('local', `${problem}; --env local works without`, {
      hint: isForPets ? setUpCommand(name) : setCommand(name, { '--messages-url': 'https://HOST' })
    })
  }
  const urlVariable = variableOf(address)
  const source = urlVariable ?? `the ${urlName} of '${name}'`
  return { url: checkAddress(address.value, { source, allowsHttp }), urlVariable }
}

/**
 * The API key of an environment, or a failure if it has none or if the key may not be sent to this
 * URL.
 */
export function keyOf(
  { name, baseUrl, apiKey, keyOrigins }: EnvironmentSettings,
  target?: Pick<RequestEndpoint, 'url' | 'urlVariable'>
) {
  if (apiKey === undefined) {
    const hint = baseUrl === undefined ? setUpCommand(name) : loginCommand(name)
    const problem = `no API key is saved for '${name}' or given in PETSTORE_API_KEY`
    throw new Failure('auth', problem, { hint })
  }
  const keyVariable = variableOf(apiKey)
  const describeKey =
    keyVariable === undefined ? `the API key saved for '${name}'` : `the API key in ${keyVariable}`
  const isForeign = target !== undefined && !keyOrigins.includes(originOf(target.url))
  if (keyVariable === undefined && isForeign) {
    const problem = `${describeKey} belongs to another URL and is not sent to ${originOf(target.url)}; set PETSTORE_API_KEY for it`
    throw new Failure('auth', problem, {
      hint:
        target.urlVariable === undefined ? loginCommand(name) : unsetVariable(target.urlVariable)
    })
  }
  return { key: checkKey(apiKey.value, describeKey), keyVariable, describeKey }
}
