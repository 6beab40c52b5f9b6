import { keyOf } from './reading.ts'
import type { Answered } from './server.ts'

/** Parameters whose values are shown; in any other there may be a key. */
const knownParameters = ['limit', 'status']
const longestTarget = 200
const covered = '***'

/** One line on a request: what was asked, what came of it, how long it took. */
export function describeAnswered({ request, target, outcome, milliseconds }: Answered): string {
  return `${request.method} ${shownTarget(target, keyOf(request))} ${outcome} ${milliseconds.toFixed(1)} ms`
}

function shownTarget(target: string, key: string | undefined): string {
  const [path = '', query] = split(target, '?')
  const shown = query === undefined ? path : `${path}?${query.split('&').map(shownParameter).join('&')}`
  const withoutKey = key === undefined ? shown : shown.replaceAll(key, covered)
  return withoutKey.length > longestTarget ? `${withoutKey.slice(0, longestTarget)}…` : withoutKey
}

function shownParameter(parameter: string): string {
  const [name = '', value] = split(parameter, '=')
  return value === undefined || knownParameters.includes(name) ? parameter : `${name}=${covered}`
}

/** At the first separator; there may be none. */
function split(text: string, separator: string): [string, string?] {
  const index = text.indexOf(separator)
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + 1)]
}
