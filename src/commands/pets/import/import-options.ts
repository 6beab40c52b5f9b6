import type { Context } from '../../../context.ts'
import type { ImportChoices, ImportOptions } from '../../../import/opening.ts'
import { makeJournalsDirectory } from '../../../settings/location.ts'
import { protectedFiles } from '../../../settings/protected-files.ts'

/** What every import needs. */
export function importOptions(
  { host, interruption, report, retyped }: Context,
  path: string,
  typed: ImportChoices,
): ImportOptions {
  return {
    ...typed,
    path,
    commandForCsv: typed.restart ? undefined : retyped({ '--format': 'csv' }, [path]),
    stdin: host.stdin,
    interruption: interruption.signal,
    protectedFiles: protectedFiles(host),
    makeJournals: () => makeJournalsDirectory(host),
    notice: report.notice,
  }
}
