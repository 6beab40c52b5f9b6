import { formats, type OutputSettings } from '../output/formats.ts'
import { movesCursor } from '../output/paint.ts'
import { ignoreUnprinted, print } from '../output/stream.ts'
import type { Host } from '../system/host.ts'
import { duration, grouped, plural } from '../text/quantities.ts'
import { visibleLine } from '../text/visible.ts'

const redrawMilliseconds = 200
const clearLine = '\r\u001b[K'

/** Until a person wonders whether anything is happening. */
const patienceMilliseconds = 1000

/** The line at the bottom of the terminal, redrawn in place. */
export function createStatusLine(
  host: Host,
  { format, quiet }: Pick<OutputSettings, 'format' | 'quiet'>
) {
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
  /** Shows it until `end`. Undefined where it would not be seen, or there is another one. */
  const show = (textFor: (seconds: number, columns: number) => string) => {
    const isSeen = host.terminal.stderr && movesCursor(host)
    if (timer !== undefined || !isSeen) return undefined
    const begun = Date.now()
    const draw = () => {
      const seconds = (Date.now() - begun) / 1000
      // A full line would continue on the next one.
      const columns = host.columns() - 1
      const text = visibleLine(textFor(seconds, columns))
      void put(clearLine + text.slice(0, columns))
    }
    timer = setInterval(draw, redrawMilliseconds).unref()
    return { end }
  }

  return {
    /** Removes the line before something else is written; the next redraw brings it back. */
    clear,
    /** Shows progress until `end` is called, if stderr is a terminal with no other output. */
    progress: async (look: () => Parameters<typeof progressText>[0]) => {
      const isShared = host.terminal.stdout && formats[format].kind !== 'people'
      if (isShared || quiet) return undefined
      return show((seconds, columns) => progressText(look(), seconds, columns))
    },
    /** If the work takes long, shows what a person is waiting for, and then removes that line. */
    whileWaiting: async <Value>(what: string, work: () => Promise<Value>): Promise<Value> => {
      let line: ReturnType<typeof show>
      const begin = () => {
        line = show(() => `waiting for ${what}`)
      }
      const timer = quiet ? undefined : setTimeout(begin, patienceMilliseconds)
      try {
        return await work()
      } finally {
        clearTimeout(timer)
        await line?.end()
      }
    }
  }
}

const barWidth = 24

/** `━━━━━━━━╌╌╌╌╌╌  42%  12,345 of 29,000 rows  1,020/s  17 s left` */
export function progressText(
  /** How many rows are finished, of those that are sent. */
  { done, total }: { done: number; total: number },
  seconds: number,
  columns: number
): string {
  const share = total === 0 ? 1 : done / total
  const rate = done / seconds
  const percent = `${Math.floor(share * 100)}%`
  const rows = `${grouped(done)} of ${plural(total, 'row')}`
  const speed = `${grouped(Math.round(rate))}/s`
  const secondsLeft = Math.ceil((total - done) / rate)
  const left = rate > 0 ? `  ${duration(secondsLeft)} left` : ''
  const text = `${percent}  ${rows}  ${speed}${left}`
  if (text.length + barWidth + 2 > columns) return text
  const filled = Math.round(share * barWidth)
  return `${'━'.repeat(filled).padEnd(barWidth, '╌')}  ${text}`
}
