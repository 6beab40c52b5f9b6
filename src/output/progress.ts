import { duration, grouped } from '../model/quantities.ts'
import type { Host } from '../platform/host.ts'
import { ignoreUnprinted, print } from './stream.ts'
import { movesCursor } from './view.ts'

export interface Progress {
  /** How many rows are finished, of how many; undefined if that is not known. */
  readonly done: number
  readonly total: number | undefined
  /** How many of the finished ones took time, and of how many. */
  readonly sent: number
  readonly toSend: number | undefined
}

/** Milliseconds between two drawings, and between two lines. */
const interval = 100
const lineInterval = 10_000
const barWidth = 24

/** Seconds until a person wonders whether anything is happening. */
const spinnerDelay = 1

/** `look` is called for each text. */
export function showProgress(host: Host, look: () => Progress): StatusLine {
  const begun = performance.now()
  const hasBar = movesCursor(host)
  const text = () => {
    const progress = look()
    const seconds = (performance.now() - begun) / 1000
    return progressText(progress, progress.sent / seconds, hasBar)
  }
  return showStatusLine(host, text)
}

const spinnerFrames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

/** After a second: `⠹ waiting for pets.example (3 s)` */
export function showSpinner(host: Host, what: string): StatusLine {
  const begun = performance.now()
  return showStatusLine(host, () => {
    const time = performance.now() - begun
    const seconds = Math.floor(time / 1000)
    if (seconds < spinnerDelay) return undefined
    const frame = spinnerFrames[Math.floor(time / interval) % spinnerFrames.length]
    return `${frame} waiting for ${what} (${duration(seconds)})`
  })
}

/**
 * A line at the bottom of the terminal, redrawn in place. Where the cursor cannot move, there is a
 * new line at times.
 */
export interface StatusLine {
  /** Removes the line before something else is written; the next redraw brings it back. */
  clear(): Promise<void>
  /** Removes the line. */
  end(): Promise<void>
}

const clearLine = '\r\u001b[K'

/** Nothing is drawn while the text is undefined. */
function showStatusLine(host: Host, text: () => string | undefined): StatusLine {
  const isRedrawn = movesCursor(host)
  let isShown = false
  let drawing = Promise.resolve()
  const put = (output: string) => {
    drawing = drawing.then(() => print(host, 'stderr', output)).catch(ignoreUnprinted)
    return drawing
  }
  const draw = () => {
    const shown = text()
    if (shown === undefined) return
    if (!isRedrawn) return void put(`${shown}\n`)
    isShown = true
    const width = Math.max(1, host.columns() - 1)
    void put(`${clearLine}${shown.slice(0, width)}`)
  }
  const timer = setInterval(draw, isRedrawn ? interval : lineInterval).unref()
  const clear = () => {
    if (!isShown) return drawing
    isShown = false
    return put(clearLine)
  }
  return {
    clear,
    end() {
      clearInterval(timer)
      return clear()
    }
  }
}

/** `━━━━━━━━╌╌╌╌╌╌  42%  12,345 of 29,000 rows  1,020/s  17 s left` */
export function progressText(
  { done, total, sent, toSend = 0 }: Progress,
  rate: number,
  hasBar: boolean
): string {
  const speed = `${grouped(Math.round(rate))}/s`
  if (total === undefined) return `${grouped(done)} rows  ${speed}`
  const share = total === 0 ? 1 : Math.min(1, done / total)
  const filled = Math.round(share * barWidth)
  const bar = hasBar ? `${'━'.repeat(filled)}${'╌'.repeat(barWidth - filled)} ` : ''
  const percent = `${Math.floor(share * 100)}%`.padStart(4)
  const text = `${bar}${percent}  ${grouped(done)} of ${grouped(total)} rows  ${speed}`
  // Before the first request, the rate may be 0 or not a number.
  if (!(rate > 0)) return text
  const seconds = Math.max(0, toSend - sent) / rate
  return `${text}  ${duration(Math.ceil(seconds))} left`
}
