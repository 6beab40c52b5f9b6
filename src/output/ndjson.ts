import { stringifyJson } from '../model/json.ts'
import { paintJson } from './json.ts'
import type { Style } from './style.ts'

interface NdjsonLook {
  readonly style: Style
  readonly int64AsStrings: boolean
}

/** One value a line. */
export function renderNdjson(values: readonly unknown[], { style, int64AsStrings }: NdjsonLook): string {
  return values.map((value) => `${paintJson(stringifyJson(value, { int64AsStrings }), style)}\n`).join('')
}
