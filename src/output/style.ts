import type { Host } from '../platform/host.ts'

export type Paint = (text: string) => string

/** The color of each kind of text. */
const colors = {
  error: 'red',
  notice: 'yellow',
  hint: 'dim',
  header: 'bold',
  key: 'blue',
  string: 'green',
  literal: 'yellow',
  // States: ready, in progress, finished.
  good: 'green',
  waiting: 'yellow',
  past: 'dim',
} as const

export type Style = { readonly [Kind in keyof typeof colors]: Paint }

export const plainStyle = styleOf(() => (text) => text)

/** When text is colored. */
export const colorChoices = ['auto', 'always', 'never'] as const
export type ColorChoice = (typeof colorChoices)[number]

/** Chalk loads only if there is color. Its own detection is not used: the settings decide. */
export async function styleFor(host: Host, stream: 'stdout' | 'stderr', choice: ColorChoice): Promise<Style> {
  const isColored = choice === 'auto' ? host.terminal[stream] && host.env.TERM !== 'dumb' : choice === 'always'
  if (!isColored) return plainStyle
  const { Chalk } = await import('chalk')
  const chalk = new Chalk({ level: 1 })
  // Chalk joins all its arguments: as a callback of `map` or `replace` it would print the index or the whole text too.
  return styleOf((color) => (text) => chalk[color](text))
}

function styleOf(paintIn: (color: (typeof colors)[keyof typeof colors]) => Paint): Style {
  return Object.fromEntries(Object.entries(colors).map(([kind, color]) => [kind, paintIn(color)])) as Style
}
