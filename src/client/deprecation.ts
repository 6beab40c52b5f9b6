import type { Reply, Request } from '../model/exchange.ts'
import { daysUntil, longDate, plural } from '../model/quantities.ts'

/**
 * The method and path of a deprecated operation, and the message about it. Reads `Deprecation` (RFC 9745, and the dates
 * and `true` of its drafts), `Sunset` (RFC 8594) and the successor in `Link`. Undefined if the reply has neither of the
 * first two.
 */
export function deprecationOf(request: Request, { headers }: Reply, now: Date) {
  if (headers.deprecation === undefined && headers.sunset === undefined) return undefined
  const what = `${request.method} ${new URL(request.url).pathname}`
  const begins = dateOf(joined(headers.deprecation))
  const isAhead = begins !== undefined && begins > now
  const state = isAhead ? `${what} will be deprecated on ${longDate(begins)}` : `${what} is deprecated`
  const successor = successorOf(joined(headers.link))
  const ending = state + removal(dateOf(joined(headers.sunset)), now)
  return { what, message: successor ? `${ending}; ${successor} replaces it` : ending }
}

function removal(day: Date | undefined, now: Date): string {
  if (day === undefined) return ''
  const left = daysUntil(day, now)
  if (left <= 0) return ` and was to be removed on ${longDate(day)}`
  return ` and will be removed on ${longDate(day)} (${plural(left, 'day')} left)`
}

/** `@1735689600`, or an HTTP date. */
function dateOf(text: string): Date | undefined {
  const seconds = /^@(-?\d{1,12})$/.exec(text)?.[1]
  // JavaScript would read a bare number, or `1`, as a date.
  if (seconds === undefined && !/[a-z]{3} \d{4}/i.test(text)) return undefined
  const date = new Date(seconds === undefined ? text : Number(seconds) * 1000)
  return Number.isNaN(date.getTime()) ? undefined : date
}

function successorOf(link: string): string | undefined {
  return /<([^>]*)>[^<]*;\s*rel="?(?:[^",;]* )?successor-version\b/i.exec(link)?.[1]
}

const joined = (header: Reply['headers'][string]) => [header ?? []].flat().join(', ')
