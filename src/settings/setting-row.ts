import type { Host } from '../system/host.ts'
import { anyText, type ValueType, yesOrNo } from './value-types.ts'

/** The part of the machine that settings depend on. */
export type Machine = Pick<Host, 'env' | 'terminal' | 'home'>

/**
 * What a command acts on. It decides which shared options apply to the command, and how it can end:
 * an environment (`--env`), its API key, requests (`--timeout`), one request that can be shown
 * instead (`--dry-run`), changes, lists of the service, the rows of a file, data on stdout
 * (`--output`), the fields of that data, or JSON of any shape (`--jq`).
 */
export type Subject =
  | 'environment'
  | 'key'
  | 'requests'
  | 'request'
  | 'changes'
  | 'lists'
  | 'rows'
  | 'data'
  | 'fields'
  | 'json'

/** Where the value of a setting comes from, and its name for people. */
interface Origin {
  readonly kind: 'option' | 'variable' | 'file' | 'default'
  readonly name: string
}

export interface Resolved<Value> {
  readonly value: Value
  readonly origin: Origin
}

/** The variable that the value comes from, if it comes from one. */
export function variableOf(origin: Origin): string | undefined {
  return origin.kind === 'variable' ? origin.name : undefined
}

interface Variable<Value> {
  readonly name: string
  /**
   * Reads the value of a non-empty text; undefined if the text has no effect. If absent, the
   * variable is read like the option.
   */
  readonly read?: (text: string) => Value | undefined
}

/** `Default` is undefined for a setting that may be unset. */
export interface SettingRow<Value, Default extends Value | undefined = Value | undefined> {
  readonly type: ValueType<Value>
  /** The option that every command takes. */
  readonly option?: { readonly flags: string; readonly about: string; readonly subject?: Subject }
  /** The first that is set wins. */
  readonly variables?: readonly Variable<NoInfer<Value>>[]
  readonly default?: (machine: Machine) => Default
  /** The text for a default that depends on the machine. */
  readonly defaultText?: string
}

/** Keeps the types of a row. */
export function settingRow<const Value, const Default extends Value | undefined = undefined>(
  row: SettingRow<Value, Default>
) {
  return row
}

/** A setting that an option switches on. */
export function flag(option: SettingRow<boolean>['option'] & {}): SettingRow<boolean, boolean> {
  return { type: yesOrNo, option, default: () => false }
}

/** A setting that a variable switches on. */
export function switchedOnBy(
  name: string,
  read: (text: string) => boolean | undefined = whenOn(true)
): SettingRow<boolean, boolean> {
  return { type: yesOrNo, variables: [{ name, read }], default: () => false }
}

/** A text that has no option. */
export function variable(name: string): SettingRow<string, undefined> {
  return { type: anyText, variables: [{ name }] }
}

/** A variable that switches something on does so unless it is `0` or `false`. */
export function whenOn<const Value>(value: Value): (text: string) => Value | undefined {
  return text => (text === '0' || text === 'false' ? undefined : value)
}
