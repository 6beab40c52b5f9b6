import { Failure } from '../failure.ts'
import { loginCommand } from '../model/endpoint.ts'
import { originOf } from './address.ts'
import type { SavedState } from './config-text.ts'
import type { Preferences } from './table.ts'
import { environmentNamePattern } from './value-types.ts'

/** The entry of one environment in the config file. */
type SavedEnvironment = NonNullable<SavedState['environments']>[string]

/** Undefined as the value removes the preference. */
export function withPreference<Name extends keyof Preferences>(
  state: SavedState,
  name: Name,
  value: Preferences[Name] | undefined
): SavedState {
  return { ...state, preferences: { ...state.preferences, [name]: value } }
}

/** The environments that always exist. */
const builtInEnvironments = ['production', 'staging', 'local'] as const

/** URLs as `checkAddress` returns them. */
export type Addresses = Readonly<Pick<SavedEnvironment, 'baseUrl' | 'messagesUrl'>>

/** The names of all environments, the built-in ones first. */
export function environmentNames(state: SavedState): string[] {
  const saved = Object.keys(state.environments ?? {}).sort()
  return [...new Set([...builtInEnvironments, ...saved])]
}

/** The entry of an environment in the config file, if it has one. */
export function savedEnvironment(state: SavedState, name: string): SavedEnvironment {
  const { environments = {} } = state
  // The name may be `constructor`, which every object has.
  return (Object.hasOwn(environments, name) ? environments[name] : undefined) ?? {}
}

/** Where the URLs of an environment lead, each once. */
export function originsOf({ baseUrl, messagesUrl }: Addresses): string[] {
  // A user may have edited a saved URL into an invalid one; then nothing is sent to it.
  return [...new Set([baseUrl, messagesUrl].flatMap((url = '') => originOf(url) || []))]
}

export function requireEnvironment(state: SavedState, name: string, source = ''): void {
  const known = environmentNames(state)
  if (known.includes(name)) return
  const shown = environmentNamePattern.test(name) ? name : '***'
  throw new Failure('usage', `no environment is named '${shown}'${source}`, {
    hint: 'petstore env list',
    unknownName: { name, known }
  })
}

/** The command that sets up an environment without URLs: the same hint from every command. */
export const setUpCommand = (name: string) =>
  loginCommand(name, { '--base-url': 'https://HOST/v1' })

export function useEnvironment(state: SavedState, name: string): SavedState {
  requireEnvironment(state, name)
  return { ...state, environment: name }
}

/** Sets what is given and keeps the rest; creates the environment if needed. */
export function changeEnvironment(
  state: SavedState,
  name: string,
  {
    readOnly,
    idempotent,
    ...addresses
  }: Addresses & { readOnly?: boolean | undefined; idempotent?: boolean | undefined }
): SavedState {
  const moved = movedTo(savedEnvironment(state, name), addresses)
  if (idempotent && originsOf(moved).length === 0) {
    const problem = `--idempotent is about the service at a URL, and none is saved for '${name}'`
    throw new Failure('local', problem, { hint: setUpCommand(name) })
  }
  return withEnvironment(state, name, {
    ...moved,
    readOnly: (readOnly ?? moved.readOnly) || undefined,
    idempotent: (idempotent ?? moved.idempotent) || undefined
  })
}

/**
 * Removes everything that is saved for an environment. If it was the default, production becomes the
 * default.
 */
export function unsetEnvironment(state: SavedState, name: string): SavedState {
  requireEnvironment(state, name)
  const { [name]: _removed, ...environments } = state.environments ?? {}
  const environment = state.environment === name ? undefined : state.environment
  return { ...state, environments, environment }
}

/**
 * Saves an API key, bound to the environment's URLs. Creates the environment if needed; it becomes
 * the default if none was set before.
 */
export function saveKey(
  state: SavedState,
  name: string,
  key: string,
  addresses: Addresses
): SavedState {
  const saved = movedTo(savedEnvironment(state, name), addresses)
  const chosen = { ...state, environment: state.environment ?? name }
  return withEnvironment(chosen, name, {
    ...saved,
    apiKey: key,
    keyOrigins: originsOf(saved)
  })
}

/** Saves the API key of the local service, which belongs to no URL: it never leaves the program. */
export function saveLocalKey(state: SavedState, key: string): SavedState {
  return withEnvironment(state, 'local', { ...savedEnvironment(state, 'local'), apiKey: key })
}

export function removeKey(state: SavedState, name: string): SavedState {
  requireEnvironment(state, name)
  return withEnvironment(state, name, withoutKey(savedEnvironment(state, name)))
}

export function removeAllKeys(state: SavedState): SavedState {
  const names = Object.keys(state.environments ?? {}).filter(name => name !== 'local')
  return names.reduce(removeKey, state)
}

/** Throws a usage error for a name that no environment with URLs can have. */
export function checkSettableName(name: string): void {
  if (name === 'local') {
    throw new Failure('usage', "'local' is built in: it takes no URLs and no API key", {
      hint: 'petstore auth login --env production'
    })
  }
  if (!environmentNamePattern.test(name)) {
    const rule = 'up to 19 letters, digits, dots, dashes and underscores, a letter or digit first'
    throw new Failure('usage', `that is no name for an environment: use ${rule}`)
  }
}

/** With other URLs, and without what is known only about the services at the old ones. */
function movedTo(
  old: SavedEnvironment,
  { baseUrl = old.baseUrl, messagesUrl = old.messagesUrl }: Addresses
) {
  const moved = { ...old, baseUrl, messagesUrl }
  const before = originsOf(old)
  const hasNewOrigin = originsOf(moved).some(origin => !before.includes(origin))
  const marked = hasNewOrigin ? { ...moved, idempotent: undefined } : moved
  const hasMoved = isElsewhere(old.baseUrl, baseUrl) || isElsewhere(old.messagesUrl, messagesUrl)
  return hasMoved ? withoutKey(marked) : marked
}

/** There was a URL, and it was at another origin. */
function isElsewhere(before: string | undefined, after = ''): boolean {
  return before !== undefined && originOf(before) !== originOf(after)
}

function withoutKey({ apiKey: _key, keyOrigins: _origins, ...rest }: SavedEnvironment) {
  return rest
}

function withEnvironment(state: SavedState, name: string, saved: SavedEnvironment) {
  return { ...state, environments: { ...state.environments, [name]: saved } }
}
