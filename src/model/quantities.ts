/** A duration for messages: `12 ms`, `0.4 s`, `90 s`, `4 min`, `2 h`, `3 days`. */
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
  if (hours < 2) return `${Math.round(minutes)} min`
  const days = hours / 24
  if (days < 2) return `${Math.round(hours)} h`
  return plural(Math.round(days), 'day')
}

/** `12,345` */
export function grouped(count: number): string {
  const digits = String(count)
  return digits.replace(/\B(?=(\d{3})+$)/g, ',')
}

/** `1 row`, `12,345 rows` */
export function plural(count: number, unit: string): string {
  const ending = count === 1 ? '' : 's'
  return `${grouped(count)} ${unit}${ending}`
}

/** `5 December 2030`, the same in every time zone. */
export function longDate(day: Date): string {
  const month = months[day.getUTCMonth()]
  const year = day.getUTCFullYear()
  return `${day.getUTCDate()} ${month} ${year}`
}

/** `Intl` would need 10 ms to load the names. */
const months =
  'January February March April May June July August September October November December'.split(' ')
