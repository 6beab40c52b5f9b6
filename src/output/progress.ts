import { duration, grouped } from '../model/quantities.ts'
import type { Host } from '../platform/host.ts'
import { ignoreUnprinted, print } from './stream.ts'
import { movesCursor } from './view.ts'

export interface Progress {
  /** How many rows are finished, of how many. */
  readonly done: number
  readonly total: number
  /** How many of the finished ones were sent. */
  readonly sent: number
  readonly toSend: number
}

const spinnerDelay = 1000

/** A line at the bottom of the terminal, redrawn in place. */
export interface StatusLine {
  /** Removes the line before something else is written; the next redraw brings it back. */
  clear(): Promise<void>
  end(): Promise<void>
}

/** `42%  12,345 of 29,000 rows  1,020/s  17 s left` */
export function showProgress(host: Host, look: () => Progress): StatusLine {
  const begun = performance.now()
  return showStatusLine(host, () => {
    const { done, total, sent, toSend } = look()
    const rate = sent / ((performance.now() - begun) / 1000)
    const left = rate > 0 ? `  ${duration(Math.ceil((toSend - sent) / rate))} left` : ''
    const percent = Math.floor((done / Math.max(total, 1)) * 100)
    const rows = `${grouped(done)} of ${grouped(total)} rows`
    return `${percent}%  ${rows}  ${grouped(Math.round(rate))}/s${left}`
  })
}

/** After a second: `waiting for pets.example (3 s)` */
export function showSpinner(host: Host, what: string): StatusLine {
  const begun = performance.now()
  return showStatusLine(host, () => {
    const time = performance.now() - begun
    return time < spinnerDelay ? undefined : `waiting for ${what} (${duration(time / 1000)})`
  })
}

/** Nothing is drawn while the text is undefined. Where the cursor cannot move, lines are rare. */
function showStatusLine(host: Host, text: () => string | undefined): StatusLine {
  const isRedrawn = movesCursor(host)
  const put = (output: string) => print(host, 'stderr', output).catch(ignoreUnprinted)
  let isShown = false
  const draw = () => {
    const shown = text()
    if (shown === undefined) return
    isShown = isRedrawn
    void put(isRedrawn ? `\r\u001b[K${shown.slice(0, host.columns() - 1)}` : `${shown}\n`)
  }
  const timer = setInterval(draw, isRedrawn ? 200 : 10_000).unref()
  const clear = async () => {
    if (isShown) await put('\r\u001b[K')
    isShown = false
  }
  return {
    clear,
    end() {
      clearInterval(timer)
      return clear()
    }
  }
}
