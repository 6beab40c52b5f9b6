import { Failure } from '../failure.ts'
import { originOf } from './address.ts'
import { environmentNamePattern, type SavedEnvironment, type SavedState } from './saved-state.ts'

/** The environments that are there without anyone making them. */
const builtInEnvironments = ['production', 'staging', 'local'] as const

/** Addresses as `checkAddress` returns them. */
export interface Addresses {
  readonly baseUrl?: string | undefined
  readonly messagesUrl?: string | undefined
}

/** The names of all environments, those that are always there first. */
export function environmentNames(state: SavedState): string[] {
  return [...new Set([...builtInEnvironments, ...Object.keys(state.environments ?? {}).sort()])]
}

/** What is saved of an environment; nothing is saved of most. */
export function savedEnvironment(state: SavedState, name: string): SavedEnvironment {
  const { environments = {} } = state
  // The name may be `constructor`, which every object has.
  return (Object.hasOwn(environments, name) ? environments[name] : undefined) ?? {}
}

const whatThereIs = 'petstore env list'

export function requireEnvironment(state: SavedState, name: string, source = '', hint = whatThereIs): void {
  if (environmentNames(state).includes(name)) return
  throw new Failure('usage', `there is no environment '${name}'${source}`, { hint })
}

/** The hint for who may have wanted to begin with an environment, and not to find one. */
export function settingUp(name: string): string {
  return environmentNamePattern.test(name) ? `petstore env set ${name} --base-url https://HOST/v1` : whatThereIs
}

export function useEnvironment(state: SavedState, name: string): SavedState {
  requireEnvironment(state, name, '', settingUp(name))
  return { ...state, environment: name }
}

interface AddressChange {
  readonly state: SavedState
  /** The saved key was the old address's, and is gone. */
  readonly isKeyRemoved: boolean
}

/** Sets the addresses that are given and leaves the others; makes the environment where there is none. */
export function setAddresses(state: SavedState, name: string, addresses: Addresses): AddressChange {
  checkSettableName(name)
  const old = savedEnvironment(state, name)
  const changed: SavedEnvironment = { ...old, ...given(addresses) }
  const isKeyRemoved =
    old.apiKey !== undefined &&
    (isAnotherOrigin(old.baseUrl, changed.baseUrl) || isAnotherOrigin(old.messagesUrl, changed.messagesUrl))
  return { state: withEnvironment(state, name, isKeyRemoved ? withoutKey(changed) : changed), isKeyRemoved }
}

/** Forgets all that is saved of an environment. One of the built-in ones is still there afterwards. */
export function unsetEnvironment(state: SavedState, name: string): SavedState {
  requireEnvironment(state, name)
  const { [name]: _removed, ...environments } = state.environments ?? {}
  const rest = { ...state, environments }
  if (state.environment !== name || isBuiltIn(name)) return rest
  const { environment: _chosen, ...unchosen } = rest
  return unchosen
}

/** Keeps a key, bound to the environment's addresses; the environment is in use from then on if none was chosen before. */
export function saveKey(state: SavedState, name: string, key: string, addresses: Addresses = {}): SavedState {
  checkSettableName(name)
  requireEnvironment(state, name)
  const { baseUrl, messagesUrl, ...rest } = { ...savedEnvironment(state, name), ...given(addresses) }
  const urls = given({ baseUrl, messagesUrl })
  // Another address that was saved may have been spoilt by hand; nothing is ever sent to it as it is.
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
export function saveLocalKey(state: SavedState, key: string): SavedState {
  return withEnvironment(state, 'local', { ...savedEnvironment(state, 'local'), apiKey: key })
}

/** Undefined where no key is saved. */
export function removeKey(state: SavedState, name: string): SavedState | undefined {
  requireEnvironment(state, name)
  const saved = savedEnvironment(state, name)
  return saved.apiKey === undefined ? undefined : withEnvironment(state, name, withoutKey(saved))
}

/** Undefined where no key is saved. */
export function removeAllKeys(state: SavedState): SavedState | undefined {
  const environments = Object.entries(state.environments ?? {})
  if (environments.every(([, { apiKey }]) => apiKey === undefined)) return undefined
  return { ...state, environments: Object.fromEntries(environments.map(([name, saved]) => [name, withoutKey(saved)])) }
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

/** Where there was no address before, the key was not saved for one, and it is not sent to the new one either. */
function isAnotherOrigin(old: string | undefined, changed: string | undefined): boolean {
  if (old === undefined || changed === undefined || old === changed) return false
  return !URL.canParse(old) || originOf(old) !== originOf(changed)
}

function given({ baseUrl, messagesUrl }: Addresses): { baseUrl?: string; messagesUrl?: string } {
  return { ...(baseUrl !== undefined && { baseUrl }), ...(messagesUrl !== undefined && { messagesUrl }) }
}

function withoutKey({ apiKey: _key, keyOrigins: _origins, ...rest }: SavedEnvironment): SavedEnvironment {
  return rest
}

function withEnvironment(state: SavedState, name: string, saved: SavedEnvironment): SavedState {
  return { ...state, environments: { ...state.environments, [name]: saved } }
}
