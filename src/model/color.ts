/** When text is colored. */
export const colorChoices = ['auto', 'always', 'never'] as const
export type ColorChoice = (typeof colorChoices)[number]

interface ColorQuestion {
  readonly choice: ColorChoice
  /** Whether the stream in question is a terminal. */
  readonly isTerminal: boolean
  readonly env: Readonly<Record<string, string | undefined>>
}

export function wantsColor({ choice, isTerminal, env }: ColorQuestion): boolean {
  if (choice !== 'auto') return choice === 'always'
  return isTerminal && env.TERM !== 'dumb'
}
