import type { Host } from '../system/host.ts'
import { type ValueType, yesOrNo } from './value-types.ts'

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

/** The value of a setting, and where it comes from, with a name for people. */
export interface Resolved<Value> {
  readonly value: Value
  readonly origin: {
    readonly kind: 'option' | 'variable' | 'file' | 'default'
    readonly name: string
  }
}

/** The variable that the value comes from, if it comes from one. */
export function variableOf({ origin }: Resolved<unknown>): string | undefined {
  return origin.kind === 'variable' ? origin.name : undefined
}

/** `Default` is undefined for a setting that may be unset. */
export interface SettingRow<Value, Default extends Value | undefined = Value | undefined> {
  readonly type: ValueType<Value>
  /** The option that every command takes. */
  readonly option?: { readonly flags: string; readonly about: string; readonly subject?: Subject }
  /**
   * The first that is set wins. It is read like the option, or by a function of its own, which
   * returns undefined for a text that has no effect.
   */
  readonly variables?: readonly {
    readonly name: string
    readonly read?: (text: string) => NoInfer<Value> | undefined
  }[]
  readonly default?: (host: Host) => Default
  /** The text for a default that depends on the machine. */
  readonly defaultText?: string
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

/** A variable that switches something on does so unless it is `0` or `false`. */
export function whenOn<const Value>(value: Value): (text: string) => Value | undefined {
  return text => (text === '0' || text === 'false' ? undefined : value)
}
