import { duration, grouped } from '../model/quantities.ts'
import type { Host } from '../platform/host.ts'
import { print } from './stream.ts'

export interface Progress {
  /** How many rows are finished, of how many; undefined if that is not known. */
  readonly done: number
  readonly total: number | undefined
  /** How many of the finished ones took time, and of how many. */
  readonly sent: number
  readonly toSend: number | undefined
}

const interval = 100
const barWidth = 24

/** `look` is called for each redraw. */
export function showProgress(host: Host, unit: string, look: () => Progress) {
  const begun = performance.now()
  return showStatusLine(host, () => {
    const progress = look()
    const seconds = (performance.now() - begun) / 1000
    return progressText(progress, progress.sent / seconds, unit)
  })
}

const spinnerFrames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

/** `⠹ waiting for pets.example (3 s)` */
export function showSpinner(host: Host, what: string, since: number) {
  return showStatusLine(host, () => {
    const time = Date.now() - since
    const seconds = Math.max(1, Math.floor(time / 1000))
    const frame = spinnerFrames[Math.floor(time / interval) % spinnerFrames.length]
    return `${frame} waiting for ${what} (${duration(seconds)})`
  })
}

/** A line at the bottom of the terminal, redrawn in place. */
export interface StatusLine {
  /** Removes the line before something else is written; the next redraw brings it back. */
  clear(): Promise<void>
  /** Removes the line. */
  end(): Promise<void>
}

function showStatusLine(host: Host, text: () => string): StatusLine {
  let isShown = false
  let drawing = Promise.resolve()
  const put = (output: string) => {
    drawing = drawing.then(() => print(host, 'stderr', output)).catch(() => {})
    return drawing
  }
  const draw = () => {
    isShown = true
    void put(`\r\u001b[K${text().slice(0, Math.max(1, host.columns() - 1))}`)
  }
  const timer = setInterval(draw, interval).unref()
  const clear = () => {
    if (!isShown) return drawing
    isShown = false
    return put('\r\u001b[K')
  }
  return {
    clear,
    end() {
      clearInterval(timer)
      return clear()
    },
  }
}

/** `━━━━━━━━╌╌╌╌╌╌ 42%  12,345 of 29,000 rows  1,020/s  17 s left` */
export function progressText(
  { done, total, sent, toSend }: Progress,
  rate: number,
  unit: string,
): string {
  const speed = `${grouped(Math.round(rate))}/s`
  if (total === undefined || toSend === undefined) return `${grouped(done)} ${unit}  ${speed}`
  const share = total === 0 ? 1 : Math.min(1, done / total)
  const filled = Math.round(share * barWidth)
  const bar = '━'.repeat(filled) + '╌'.repeat(barWidth - filled)
  const counts = `${grouped(done)} of ${grouped(total)} ${unit}`
  const left = rate > 0 ? `  ${duration(Math.ceil(Math.max(0, toSend - sent) / rate))} left` : ''
  return `${bar} ${String(Math.floor(share * 100)).padStart(3)}%  ${counts}  ${speed}${left}`
}
