import { duration, grouped } from '../model/quantities.ts'
import type { Host } from '../platform/host.ts'
import { print } from './stream.ts'

export interface Progress {
  readonly done: number
  /** The completed share, from 0 to 1; undefined if the total is not known. */
  readonly share: number | undefined
}

const interval = 100
const barWidth = 24

/** `look` is called for each redraw. */
export function showProgress(host: Host, unit: string, look: () => Progress) {
  const pace = createPaceMeter()
  return showStatusLine(host, () => progressText(look(), pace(look(), performance.now()), unit))
}

const spinnerFrames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

/** `⠹ waiting for pets.example (3 s)` */
export function showSpinner(host: Host, what: string, since: number) {
  let count = 0
  return showStatusLine(host, () => {
    const seconds = Math.max(1, Math.floor((Date.now() - since) / 1000))
    const frame = spinnerFrames[count % spinnerFrames.length]
    count += 1
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

interface Speed {
  /** Units per second. */
  readonly rate: number
  /** Share of the total per second. */
  readonly shareRate: number
}

/** Measures only the last seconds: skipped rows are fast and say nothing about the rest. */
export function createPaceMeter(): (progress: Progress, now: number) => Speed {
  const window = 5_000
  const samples: { at: number; done: number; share: number }[] = []
  return ({ done, share = 0 }, at) => {
    samples.push({ at, done, share })
    while (samples.length > 2 && at - (samples[0]?.at ?? at) > window) samples.shift()
    const first = samples[0]
    const seconds = first === undefined ? 0 : (at - first.at) / 1000
    if (first === undefined || seconds <= 0) return { rate: 0, shareRate: 0 }
    return { rate: (done - first.done) / seconds, shareRate: (share - first.share) / seconds }
  }
}

/** `━━━━━━━━╌╌╌╌╌╌ 42%  12,345 rows  1,020/s  17 s left` */
export function progressText({ done, share }: Progress, { rate, shareRate }: Speed, unit: string): string {
  const counts = `${grouped(done)} ${unit}  ${grouped(Math.round(rate))}/s`
  if (share === undefined) return counts
  const filled = Math.round(Math.min(1, share) * barWidth)
  const bar = '━'.repeat(filled) + '╌'.repeat(barWidth - filled)
  const left = shareRate > 0 ? `  ${duration(Math.ceil((1 - share) / shareRate))} left` : ''
  return `${bar} ${String(Math.floor(share * 100)).padStart(3)}%  ${counts}${left}`
}
