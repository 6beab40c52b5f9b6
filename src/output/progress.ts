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

/** `look` is called for each text. Where the cursor cannot move, there is a new line at times. */
export function showProgress(host: Host, unit: string, look: () => Progress): StatusLine {
  const begun = performance.now()
  const describe = (progress: Progress) => {
    const seconds = (performance.now() - begun) / 1000
    return progressText(progress, progress.sent / seconds, unit)
  }
  if (!movesCursor(host)) return printLines(host, () => describe(look()))
  return showStatusLine(host, () => {
    const progress = look()
    return `${progressBar(progress)}${describe(progress)}`
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

const clearLine = '\r\u001b[K'

function showStatusLine(host: Host, text: () => string): StatusLine {
  let isShown = false
  let drawing = Promise.resolve()
  const put = (output: string) => {
    drawing = drawing.then(() => print(host, 'stderr', output)).catch(ignoreUnprinted)
    return drawing
  }
  const draw = () => {
    isShown = true
    const width = Math.max(1, host.columns() - 1)
    const shown = text().slice(0, width)
    void put(`${clearLine}${shown}`)
  }
  const timer = setInterval(draw, interval).unref()
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
    },
  }
}

function printLines(host: Host, text: () => string): StatusLine {
  const printLine = () => print(host, 'stderr', `${text()}\n`).catch(ignoreUnprinted)
  const timer = setInterval(printLine, lineInterval).unref()
  return {
    clear: async () => {},
    end: async () => clearInterval(timer),
  }
}

/** Empty if the share is not known: `━━━━━━━━╌╌╌╌╌╌ ` */
export function progressBar(progress: Progress): string {
  const share = shareOf(progress)
  if (share === undefined) return ''
  const filled = Math.round(share * barWidth)
  return `${'━'.repeat(filled)}${'╌'.repeat(barWidth - filled)} `
}

/** ` 42%  12,345 of 29,000 rows  1,020/s  17 s left` */
export function progressText(progress: Progress, rate: number, unit: string): string {
  const { done, total = 0, sent, toSend = 0 } = progress
  const speed = `${grouped(Math.round(rate))}/s`
  const share = shareOf(progress)
  if (share === undefined) return `${grouped(done)} ${unit}  ${speed}`
  const percent = `${Math.floor(share * 100)}%`.padStart(4)
  const counts = `${grouped(done)} of ${grouped(total)} ${unit}`
  const text = `${percent}  ${counts}  ${speed}`
  // Before the first request, the rate may be 0 or not a number.
  if (!(rate > 0)) return text
  const seconds = Math.max(0, toSend - sent) / rate
  return `${text}  ${duration(Math.ceil(seconds))} left`
}

function shareOf({ done, total }: Progress): number | undefined {
  if (total === undefined) return undefined
  return total === 0 ? 1 : Math.min(1, done / total)
}
