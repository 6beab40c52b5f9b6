import { basename } from 'node:path'
import { duration, grouped, plural } from '../model/quantities.ts'
import { commandLine, type HintOptions } from '../platform/shell.ts'
import { formatByName, type ImportFormat } from './format.ts'
import { type Counts, rowOutcomes } from './results.ts'

interface ImportCommand {
  readonly path: string
  readonly environment: string
  readonly rejects?: string | undefined
  /** The command that was typed, for another file or with other options. */
  readonly retyped: (change: HintOptions, paths: readonly string[]) => string
}

interface Remainder {
  readonly counts: Readonly<Counts>
  /** Whether every row was processed. */
  readonly isWhole: boolean
  /** Whether the same command finds the journal again. */
  readonly isResumable: boolean
  /** Undefined if the rejects are kept nowhere. */
  readonly rejectsFormat: ImportFormat | undefined
}

/** The commands that continue an import or start it over. */
export function commandsFor({ path, environment, rejects, retyped }: ImportCommand) {
  // A user may paste a hint unread, and either option sends rows twice.
  const safe = { '--restart': undefined, '--resend-doubtful': undefined }
  /** Shows whether doubtful rows were added. */
  const look = commandLine('petstore pets list', { options: { '--env': environment } })
  return {
    restart: retyped({ ...safe, '--restart': true }, [path]),
    look,
    /** Undefined if there is nothing left to do, or no way to do it. */
    next({ counts, isWhole, isResumable, rejectsFormat }: Remainder): string | undefined {
      if (!isResumable) return undefined
      if (!isWhole) return retyped(safe, [path])
      // No hint resends doubtful rows: users must check them first, and may paste a hint unread.
      if (counts.doubtful > 0) return look
      if (counts.rejected + counts.invalid === 0) return undefined
      if (rejects === undefined) {
        return retyped({ ...safe, '--rejects': `rejects-${basename(path === '-' ? 'rows.ndjson' : path)}` }, [path])
      }
      if (rejectsFormat === undefined) return undefined
      const unlessByName = rejectsFormat === formatByName(rejects) ? undefined : rejectsFormat
      return retyped({ ...safe, '--format': unlessByName, '--journal': undefined, '--rejects': undefined }, [rejects])
    },
  }
}

interface Summary {
  readonly counts: Readonly<Counts>
  readonly seconds: number
  readonly journal: string
  readonly next: string | undefined
  /** Whether every row was processed. */
  readonly isWhole: boolean
  readonly isPiped: boolean
}

/** The line that ends an import. */
export function summary({ counts, seconds, journal, next, isWhole, isPiped }: Summary): string {
  const sent = counts.added + counts.rejected
  const rate = sent > 0 && seconds > 0 ? ` (${plural(Math.round(sent / seconds), 'row')} per second)` : ''
  const rest = !isWhole && isPiped ? '; a piped import can be resumed only with --journal' : ''
  const continuation = next === undefined ? rest : `; ${isWhole ? 'next' : 'to resume'}: ${next}`
  const processed = rowOutcomes.some((outcome) => counts[outcome] > 0) ? formatCounts(counts) : '0 added'
  return `${processed} in ${duration(seconds)}${rate}; journal: ${journal}${continuation}`
}

/** `4,990 added, 10 skipped`: every outcome that occurred. */
export function formatCounts(counts: Readonly<Counts>): string {
  const parts = rowOutcomes
    .filter((outcome) => counts[outcome] > 0)
    .map((outcome) => `${grouped(counts[outcome])} ${outcome}`)
  return parts.length === 0 ? 'no rows' : parts.join(', ')
}

/** `3 rows were rejected, 1 is invalid`; undefined if there are no such rows. */
export function describeProblems({ rejected, invalid, doubtful }: Readonly<Counts>): string | undefined {
  const parts = [
    [rejected, 'was rejected', 'were rejected'],
    [invalid, 'is invalid', 'are invalid'],
    [doubtful, 'is doubtful', 'are doubtful'],
  ] as const
  const descriptions = parts
    .filter(([count]) => count > 0)
    .map(([count, one, many], index) => {
      const quantity = index === 0 ? plural(count, 'row') : grouped(count)
      return `${quantity} ${count === 1 ? one : many}`
    })
  return descriptions.length === 0 ? undefined : descriptions.join(', ')
}
