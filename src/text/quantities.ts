/** A duration for messages: `12 ms`, `0.4 s`, `90 s`, `4 min`, `72 h`. */
export function duration(seconds: number): string {
  if (seconds < 0.1) {
    const milliseconds = Math.ceil(seconds * 1000)
    return `${milliseconds} ms`
  }
  if (seconds < 10) {
    const tenths = Math.round(seconds * 10)
    return `${tenths / 10} s`
  }
  const minutes = seconds / 60
  if (minutes < 2) return `${Math.round(seconds)} s`
  const hours = minutes / 60
  return hours < 2 ? `${Math.round(minutes)} min` : `${Math.round(hours)} h`
}

/** `12,345` */
export function grouped(count: number): string {
  return count.toLocaleString('en')
}

/** `1 row`, `12,345 rows` */
export function plural(count: number, unit: string): string {
  const ending = count === 1 ? '' : 's'
  return `${grouped(count)} ${unit}${ending}`
}

/** `5 December 2030`, the same in every time zone. */
export function longDate(day: Date): string {
  return day.toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
}

/** `a, b or c` */
export function joined(words: readonly string[], conjunction: 'and' | 'or'): string {
  return words.join(', ').replace(/, (?=[^,]*$)/, ` ${conjunction} `)
}
