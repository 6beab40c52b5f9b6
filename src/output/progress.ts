import { duration, grouped, plural } from '../model/quantities.ts'
import { visibleLine } from '../model/visible.ts'
import type { Host } from '../platform/host.ts'
import { ignoreUnprinted, print } from './stream.ts'
import { movesCursor } from './view.ts'

const redrawMilliseconds = 200
const clearLine = '\r\u001b[K'

/** A text whose time and place are those of the moment. */
type StatusText = (seconds: number, columns: number) => string

/** The line at the bottom of the terminal, redrawn in place. */
export function createStatusLine(host: Host) {
  let timer: NodeJS.Timeout | undefined
  const put = (output: string) => print(host, 'stderr', output).catch(ignoreUnprinted)
  const clear = async () => {
    if (timer !== undefined) await put(clearLine)
  }
  const end = async () => {
    clearInterval(timer)
    await clear()
    timer = undefined
  }
  return {
    /** Removes the line before something else is written; the next redraw brings it back. */
    clear,
    /** Shows it until `end`. Undefined where it would not be seen, or there is another one. */
    show: (textFor: StatusText) => {
      if (timer !== undefined || !host.terminal.stderr || !movesCursor(host)) return undefined
      const begun = Date.now()
      const draw = () => {
        // A full line would continue on the next one.
        const columns = host.columns() - 1
        const text = textFor((Date.now() - begun) / 1000, columns)
        void put(clearLine + visibleLine(text).slice(0, columns))
      }
      timer = setInterval(draw, redrawMilliseconds).unref()
      return { end }
    }
  }
}

export interface Progress {
  /** How many rows are finished, of how many. */
  readonly done: number
  readonly total: number
  /** How many of the finished ones were sent, of how many. */
  readonly sent: number
  readonly toSend: number
}

const barWidth = 24

/** `━━━━━━━━╌╌╌╌╌╌  42%  12,345 of 29,000 rows  1,020/s  17 s left` */
export function progressText(progress: Progress, seconds: number, columns: number): string {
  const { done, total, sent, toSend } = progress
  const share = total === 0 ? 1 : done / total
  const rate = sent / seconds
  const percent = `${Math.floor(share * 100)}%`
  const rows = `${grouped(done)} of ${plural(total, 'row')}`
  const speed = `${grouped(Math.round(rate))}/s`
  const left = rate > 0 ? `  ${duration(Math.ceil((toSend - sent) / rate))} left` : ''
  const text = `${percent}  ${rows}  ${speed}${left}`
  if (text.length + barWidth + 2 > columns) return text
  const filled = Math.round(share * barWidth)
  return `${'━'.repeat(filled).padEnd(barWidth, '╌')}  ${text}`
}
