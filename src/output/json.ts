import { stringifyJson } from '../model/json.ts'
import { plainStyle, type Style } from './style.ts'

interface JsonOptions {
  readonly style: Style
  /** Integers that a double cannot hold become strings, for readers that would round them. */
  readonly int64AsStrings: boolean
}

export function renderJson(value: unknown, { style, int64AsStrings }: JsonOptions): string {
  return `${paintJson(stringifyJson(value, { indent: 2, int64AsStrings }), style)}\n`
}

/** One value per line. */
export function renderNdjson(values: readonly unknown[], { style, int64AsStrings }: JsonOptions): string {
  return values.map((value) => `${paintJson(stringifyJson(value, { int64AsStrings }), style)}\n`).join('')
}

/** Colors JSON text and changes nothing else in it. */
function paintJson(json: string, style: Style): string {
  if (style === plainStyle) return json
  const token = /("[^"\\]*(?:\\.[^"\\]*)*")(:?)|[-\w.+]+/g
  return json.replace(token, (whole, text: string | undefined, colon: string) => {
    if (text === undefined) return style.literal(whole)
    return colon === '' ? style.string(text) : style.key(text) + colon
  })
}
