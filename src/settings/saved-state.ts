import type { Preferences } from './table.ts'

/** What the config file has of one environment. The API key may be sent to `keyOrigins` and nowhere else. */
export interface SavedEnvironment {
  baseUrl?: string | undefined
  messagesUrl?: string | undefined
  apiKey?: string | undefined
  keyOrigins?: string[] | undefined
}

/** Everything in the config file. What a later version has added to it survives a change by this one. */
export interface SavedState {
  /** The default environment, if one was chosen. */
  environment?: string | undefined
  preferences?: { [Name in keyof Preferences]?: Preferences[Name] | undefined } | undefined
  environments?: Record<string, SavedEnvironment> | undefined
}

/** Letters, digits, dots, dashes and underscores: a name needs no quotes in a shell and cannot look like an option. */
export const environmentNamePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

export function withPreference<Name extends keyof Preferences>(
  state: SavedState,
  name: Name,
  value: Preferences[Name],
): SavedState {
  return { ...state, preferences: { ...state.preferences, [name]: value } }
}

/** Undefined if the preference is not saved. */
export function withoutPreference(state: SavedState, name: keyof Preferences): SavedState | undefined {
  if (state.preferences?.[name] === undefined) return undefined
  const { [name]: _removed, ...rest } = state.preferences
  return { ...state, preferences: rest }
}
