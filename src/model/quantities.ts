/** A duration for messages: `12 ms`, `0.4 s`, `90 s`, `3 min 20 s`, `2 h`, `3 days`. */
export function duration(seconds: number): string {
  if (seconds > 0 && seconds < 0.1) {
    const milliseconds = Math.ceil(seconds * 1000)
    return `${milliseconds} ms`
  }
  if (seconds < 10) {
    const tenths = Math.round(seconds * 10)
    return `${tenths / 10} s`
  }
  const whole = Math.round(seconds)
  if (whole < 120) return `${whole} s`
  const minutes = Math.floor(whole / 60)
  if (minutes < 60) return withRest(`${minutes} min`, whole % 60, 's')
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return withRest(`${hours} h`, minutes % 60, 'min')
  const days = Math.round(hours / 24)
  return plural(days, 'day')
}

function withRest(larger: string, rest: number, unit: string): string {
  if (rest === 0) return larger
  return `${larger} ${rest} ${unit}`
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
