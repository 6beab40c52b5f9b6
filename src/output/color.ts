export type ColorChoice = 'auto' | 'always' | 'never'

interface ColorQuestion {
  /** What the user wants, NO_COLOR and FORCE_COLOR included. */
  readonly choice: ColorChoice
  /** Whether the stream in question is a terminal. */
  readonly isTerminal: boolean
  readonly env: Readonly<Record<string, string | undefined>>
}

export function wantsColor({ choice, isTerminal, env }: ColorQuestion): boolean {
  if (choice !== 'auto') return choice === 'always'
  return isTerminal && env.TERM !== 'dumb'
}
