import type { Failure } from '../../failure.ts'
import type { ChecklistRow } from '../../output/table.ts'

/** One finding, and the failure that a command would end with because of it. */
export type Check = ChecklistRow & { readonly failure?: Failure }

const result = (state: Check['state'], check: string, detail: string, more: Partial<Check> = {}): Check => ({
  check,
  state,
  detail,
  advice: null,
  milliseconds: null,
  ...more,
})

export const ok = (check: string, detail: string, milliseconds: number | null = null): Check =>
  result('ok', check, detail, { milliseconds })

export const warning = (check: string, detail: string, advice: string | null = null): Check =>
  result('warning', check, detail, { advice })

export const skipped = (check: string, detail: string): Check => result('skipped', check, detail)

export const problem = (check: string, failure: Failure, milliseconds: number | null = null): Check =>
  result('problem', check, failure.message, { advice: failure.hint ?? null, milliseconds, failure })
