import { Failure } from '../failure.ts'
import type { Settings } from '../settings/settings.ts'

/** Throws if requests that change something are refused there. A dry run sends none. */
export function requireWritable(settings: Settings, environment: string): void {
  const reason = settings.value('dry-run') ? undefined : settings.readOnlyReason(environment)
  if (reason === undefined) return
  const problem = `${reason}: a request that changes something is not sent`
  throw new Failure('usage', problem, { hint: 'petstore help environment' })
}
