import { endOfString, stringifyJson } from '../model/json.ts'
import type { Renderer, View } from './columns.ts'
import { plainStyle, type Style } from './style.ts'

type JsonView = Pick<View, 'style' | 'int64AsStrings'>

export function renderJson(value: unknown, { style, int64AsStrings }: JsonView): string {
  return `${paintJson(stringifyJson(value, { indent: 2, int64AsStrings }), style)}\n`
}

/** One value per line. */
export function renderNdjson(values: readonly unknown[], { style, int64AsStrings }: JsonView): string {
  return values.map((value) => `${paintJson(stringifyJson(value, { int64AsStrings }), style)}\n`).join('')
}

export const jsonRenderer: Renderer = { list: renderJson, item: renderJson, stream: renderNdjson }
export const ndjsonRenderer: Renderer = { list: renderNdjson, stream: renderNdjson }

/** Colors JSON text and changes nothing else in it. */
function paintJson(json: string, style: Style): string {
  if (style === plainStyle) return json
  const parts: string[] = []
  // A pattern for whole strings would run out of stack on a string with millions of escapes.
  const token = /"|[-\w.+]+/g
  let end = 0
  for (let found = token.exec(json); found !== null; found = token.exec(json)) {
    const start = found.index
    parts.push(json.slice(end, start))
    end = found[0] === '"' ? endOfString(json, start) + 1 : token.lastIndex
    const text = json.slice(start, end)
    const paint = found[0] !== '"' ? style.literal : json[end] === ':' ? style.key : style.string
    parts.push(paint(text))
    token.lastIndex = end
  }
  return parts.join('') + json.slice(end)
}
