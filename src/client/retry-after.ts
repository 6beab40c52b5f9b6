import type { Reply } from '../model/exchange.ts'

/** The longest `Retry-After` that is obeyed, in seconds. */
export const longestWait = 60

/** HTTP takes larger numbers of seconds for this one (RFC 9111, 1.2.2). */
const longestNumber = 2 ** 31

/** The three forms of an HTTP date, the first of them in use, the others to be understood (RFC 9110, 5.6.7). */
const dates: readonly RegExp[] = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
]

/**
 * How many seconds a reply asks to wait: none where its `Retry-After` is a date that has passed, undefined where it has
 * none that can be read.
 */
export function retryAfter({ headers }: Pick<Reply, 'headers'>, now: Date): number | undefined {
  const [value = ''] = [headers['retry-after']].flat()
  const text = value.trim()
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Number(text), longestNumber)
  if (!dates.some((form) => form.test(text))) return undefined
  const time = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(time) ? undefined : Math.max(0, (time - now.getTime()) / 1000)
}
