import { Failure } from '../failure.ts'
import { originOf } from './address.ts'
import type { KeptEnvironment, KeptState } from './state.ts'

/** The environments that are there without anyone making them. */
const builtInEnvironments = ['production', 'staging', 'local'] as const

/** Letters, digits, dots, dashes and underscores: a name needs no quoting in a shell and can't pass for an option. */
export const environmentNamePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** Addresses as `checkAddress` returns them. */
export interface Addresses {
  readonly baseUrl?: string | undefined
  readonly messagesUrl?: string | undefined
}

/** The names of all environments, those that are always there first. */
export function environmentNames(state: KeptState): string[] {
  return [...new Set([...builtInEnvironments, ...Object.keys(state.environments ?? {}).sort()])]
}

/** What is kept of an environment; nothing is kept of most. */
export function keptEnvironment(state: KeptState, name: string): KeptEnvironment {
  const { environments = {} } = state
  // The name may be `constructor`, which every object has.
  return (Object.hasOwn(environments, name) ? environments[name] : undefined) ?? {}
}

const whatThereIs = 'petstore env list'

export function requireEnvironment(state: KeptState, name: string, source = '', hint = whatThereIs): void {
  if (environmentNames(state).includes(name)) return
  throw new Failure('usage', `there is no environment '${name}'${source}`, { hint })
}

/** The hint for who may have wanted to begin with an environment, and not to find one. */
export function settingUp(name: string): string {
  return environmentNamePattern.test(name) ? `petstore env set ${name} --base-url https://HOST/v1` : whatThereIs
}

export function useEnvironment(state: KeptState, name: string): KeptState {
  requireEnvironment(state, name, '', settingUp(name))
  return { ...state, environment: name }
}

interface AddressChange {
  readonly state: KeptState
  /** The kept key was the old address's, and is gone. */
  readonly isKeyForgotten: boolean
}

/** Sets the addresses that are given and leaves the others; makes the environment where there is none. */
export function setAddresses(state: KeptState, name: string, addresses: Addresses): AddressChange {
  checkSettableName(name)
  const old = keptEnvironment(state, name)
  const changed: KeptEnvironment = { ...old, ...given(addresses) }
  const isKeyForgotten =
    old.apiKey !== undefined &&
    (isAnotherOrigin(old.baseUrl, changed.baseUrl) || isAnotherOrigin(old.messagesUrl, changed.messagesUrl))
  return { state: withEnvironment(state, name, isKeyForgotten ? withoutKey(changed) : changed), isKeyForgotten }
}

/** Forgets all that is kept of an environment. One of the built-in ones is still there afterwards. */
export function unsetEnvironment(state: KeptState, name: string): KeptState {
  requireEnvironment(state, name)
  const { [name]: _forgotten, ...environments } = state.environments ?? {}
  const rest = { ...state, environments }
  if (state.environment !== name || isBuiltIn(name)) return rest
  const { environment: _gone, ...unchosen } = rest
  return unchosen
}

/** Keeps a key, bound to the environment's addresses; the environment is in use from then on if none was chosen before. */
export function keepKey(state: KeptState, name: string, key: string, addresses: Addresses = {}): KeptState {
  checkSettableName(name)
  requireEnvironment(state, name)
  const { baseUrl, messagesUrl, ...rest } = { ...keptEnvironment(state, name), ...given(addresses) }
  const urls = given({ baseUrl, messagesUrl })
  // Another address that was kept may have been spoilt by hand; nothing is ever sent to it as it is.
  const keyOrigins = [
    ...new Set(
      Object.values(urls)
        .filter((url) => URL.canParse(url))
        .map(originOf),
    ),
  ]
  const chosen = { ...state, environment: state.environment ?? name }
  return withEnvironment(chosen, name, { ...rest, ...urls, apiKey: key, keyOrigins })
}

/** Keeps the key of the local service, which is bound to no address since it never leaves the program. */
export function keepLocalKey(state: KeptState, key: string): KeptState {
  return withEnvironment(state, 'local', { ...keptEnvironment(state, 'local'), apiKey: key })
}

/** Undefined where no key is kept. */
export function forgetKey(state: KeptState, name: string): KeptState | undefined {
  requireEnvironment(state, name)
  const kept = keptEnvironment(state, name)
  return kept.apiKey === undefined ? undefined : withEnvironment(state, name, withoutKey(kept))
}

/** Undefined where no key is kept. */
export function forgetAllKeys(state: KeptState): KeptState | undefined {
  const environments = Object.entries(state.environments ?? {})
  if (environments.every(([, { apiKey }]) => apiKey === undefined)) return undefined
  return { ...state, environments: Object.fromEntries(environments.map(([name, kept]) => [name, withoutKey(kept)])) }
}

function checkSettableName(name: string): void {
  if (name === 'local')
    throw new Failure('usage', "'local' is the service in this program: it takes no address and no key")
  if (!environmentNamePattern.test(name)) {
    throw new Failure(
      'usage',
      "an environment's name is up to 64 letters, digits, dots, dashes and underscores, a letter or digit first",
    )
  }
}

function isBuiltIn(name: string): boolean {
  return builtInEnvironments.some((builtIn) => builtIn === name)
}

/** Where there was no address before, the key was not kept for one, and it is not sent to the new one either. */
function isAnotherOrigin(old: string | undefined, changed: string | undefined): boolean {
  if (old === undefined || changed === undefined || old === changed) return false
  return !URL.canParse(old) || originOf(old) !== originOf(changed)
}

function given({ baseUrl, messagesUrl }: Addresses): { baseUrl?: string; messagesUrl?: string } {
  return { ...(baseUrl !== undefined && { baseUrl }), ...(messagesUrl !== undefined && { messagesUrl }) }
}

function withoutKey({ apiKey: _key, keyOrigins: _origins, ...rest }: KeptEnvironment): KeptEnvironment {
  return rest
}

function withEnvironment(state: KeptState, name: string, kept: KeptEnvironment): KeptState {
  return { ...state, environments: { ...state.environments, [name]: kept } }
}
