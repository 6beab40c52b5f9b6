import type { Host } from '../system/host.ts'

/** The color of each kind of text. */
const colors = {
  error: 'red',
  notice: 'yellow',
  hint: 'dim',
  header: 'bold',
  // States: ready, in progress, finished.
  good: 'green',
  waiting: 'yellow',
  past: 'dim'
} as const

/** What a text is. */
export type Kind = keyof typeof colors

/** Colors a text, unless it is of no kind. */
export type Paint = (kind: Kind | undefined, text: string) => string

export const unpainted: Paint = (_kind, text) => text

/** When text is colored. */
export const colorChoices = ['auto', 'always', 'never'] as const

/** A terminal that cannot is often read aloud. */
export const movesCursor = ({ env }: Host) => env.TERM !== 'dumb'

/** Chalk loads only if there is color. Its own detection is not used: the settings decide. */
export async function paintFor(
  host: Host,
  stream: 'stdout' | 'stderr',
  choice: (typeof colorChoices)[number]
): Promise<Paint> {
  const isAble = host.terminal[stream] && movesCursor(host)
  const isColored = choice === 'auto' ? isAble : choice === 'always'
  if (!isColored) return unpainted
  const { Chalk } = await import('chalk')
  const chalk = new Chalk({ level: 1 })
  return (kind, text) => {
    if (kind === undefined) return text
    const color = colors[kind]
    return chalk[color](text)
  }
}
