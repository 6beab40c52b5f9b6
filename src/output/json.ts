import { stringifyJson } from '../model/json.ts'
import { plainStyle, type Style } from './style.ts'

interface JsonLook {
  readonly style: Style
  /** Integers that a double can't hold come as strings, for readers that would round them. */
  readonly int64AsStrings: boolean
}

export function renderJson(value: unknown, { style, int64AsStrings }: JsonLook): string {
  return `${paintJson(stringifyJson(value, { indent: 2, int64AsStrings }), style)}\n`
}

/** Colours JSON text and changes nothing else in it. */
export function paintJson(json: string, style: Style): string {
  if (style === plainStyle) return json
  const token = /("[^"\\]*(?:\\.[^"\\]*)*")(:?)|[-\w.+]+/g
  return json.replace(token, (whole, text: string | undefined, colon: string) => {
    if (text === undefined) return style.literal(whole)
    return colon === '' ? style.string(text) : style.key(text) + colon
  })
}
