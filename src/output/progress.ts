import { duration, grouped } from '../model/quantities.ts'
import type { Host } from '../platform/host.ts'
import { ignoreUnprinted, print } from './stream.ts'

export interface Progress {
  /** How many rows are finished, of how many. */
  readonly done: number
  readonly total: number
  /** How many of the finished ones were sent, of how many. */
  readonly sent: number
  readonly toSend: number
}

/** A line at the bottom of the terminal, redrawn in place. */
export interface StatusLine {
  /** Removes the line before something else is written; the next redraw brings it back. */
  clear(): Promise<void>
  end(): Promise<void>
}

const redrawMilliseconds = 200
const clearLine = '\r\u001b[K'

export function showStatusLine(host: Host, textFor: (columns: number) => string): StatusLine {
  let isShown = false
  const put = (output: string) => print(host, 'stderr', output).catch(ignoreUnprinted)
  const draw = () => {
    isShown = true
    // A full line would continue on the next one.
    const columns = host.columns() - 1
    void put(clearLine + textFor(columns).slice(0, columns))
  }
  const clear = async () => {
    if (isShown) await put(clearLine)
    isShown = false
  }
  const timer = setInterval(draw, redrawMilliseconds).unref()
  return {
    clear,
    end: () => {
      clearInterval(timer)
      return clear()
    }
  }
}

const widestBar = 24

/** `━━━━━━━━╌╌╌╌╌╌  42%  12,345 of 29,000 rows  1,020/s  17 s left` */
export function progressText(
  { done, total, sent, toSend }: Progress,
  seconds: number,
  columns: number
): string {
  const share = total === 0 ? 1 : done / total
  const rate = sent / seconds
  const parts = [
    `${Math.floor(share * 100)}%`,
    `${grouped(done)} of ${grouped(total)} rows`,
    `${grouped(Math.round(rate))}/s`
  ]
  if (rate > 0) parts.push(`${duration(Math.ceil((toSend - sent) / rate))} left`)
  const text = parts.join('  ')
  const room = columns - text.length - 2
  if (room < widestBar) return text
  const filled = Math.round(share * widestBar)
  return `${'━'.repeat(filled)}${'╌'.repeat(widestBar - filled)}  ${text}`
}
