import type { Failure } from '../../failure.ts'

/** One thing that was looked at. */
export interface Check {
  readonly check: string
  /** A problem stops a command; a warning does not, or not yet. */
  readonly state: 'ok' | 'warning' | 'problem' | 'skipped'
  readonly detail: string
  /** What to do about it. */
  readonly advice?: string | undefined
  readonly milliseconds?: number | undefined
  /** How a command would end because of it. */
  readonly failure?: Failure
}

export const ok = (check: string, detail: string, milliseconds?: number): Check => ({
  check,
  state: 'ok',
  detail,
  milliseconds,
})

export const warning = (check: string, detail: string, advice?: string): Check => ({
  check,
  state: 'warning',
  detail,
  advice,
})

export const skipped = (check: string, detail: string): Check => ({ check, state: 'skipped', detail })

export const problem = (check: string, failure: Failure, milliseconds?: number): Check => ({
  check,
  state: 'problem',
  detail: failure.message,
  advice: failure.hint,
  milliseconds,
  failure,
})
