import { basename } from 'node:path'
import { quoted } from '../platform/system-error.ts'
import type { Counts } from './book.ts'
import { outcomes } from './engine.ts'

interface Typed {
  readonly path: string
  readonly environment: { readonly value: string; readonly origin: { readonly kind: string } }
  readonly format?: string | undefined
  readonly journal?: string | undefined
  readonly rejects?: string | undefined
}

interface Ended {
  readonly counts: Readonly<Counts>
  /** Whether every row was looked at. */
  readonly isWhole: boolean
  /** Whether the journal is found again by the same command. */
  readonly isResumable: boolean
}

/** The commands that go on with an import, or begin it anew. */
export function commandsFor({ path, environment, format, journal, rejects }: Typed) {
  const option = (name: string, value: string | undefined) => (value === undefined ? [] : [name, quoted(value)])
  const inEnvironment = environment.origin.kind === 'flag' ? ['--env', quoted(environment.value)] : []
  const same = [
    'petstore pets import',
    quoted(path),
    ...option('--format', format),
    ...option('--journal', journal),
    ...inEnvironment,
  ]
  const command = (...more: string[]) => [...same, ...more].join(' ')
  return {
    restart: command('--restart'),
    /** For whoever wants to know whether what is in doubt was added. */
    look: `petstore pets list --env ${quoted(environment.value)}`,
    /** Undefined where there is nothing left to do, or no way to do it. */
    next({ counts, isWhole, isResumable }: Ended): string | undefined {
      if (!isResumable) return undefined
      // Sending again what is in doubt is for who has looked: no command that may be pasted unread does it.
      if (!isWhole || counts.doubtful > 0) return command(...option('--rejects', rejects))
      if (counts.rejected + counts.invalid === 0) return undefined
      if (rejects === undefined) return command('--rejects', quoted(rejectsBeside(path)))
      return ['petstore pets import', quoted(rejects), ...inEnvironment].join(' ')
    },
  }
}

function rejectsBeside(path: string): string {
  const name = basename(path === '-' ? 'rows.ndjson' : path)
  return `rejects-${name}`
}

interface Run {
  readonly counts: Readonly<Counts>
  readonly seconds: number
  readonly journal: string
  readonly next: string | undefined
  /** Whether rows are left that no command goes on with. */
  readonly isLost: boolean
}

/** What there is to say at the end. */
export function summary({ counts, seconds, journal, next, isLost }: Run): string {
  const sent = counts.added + counts.rejected
  const rate = sent > 0 && seconds > 0 ? ` (${grouped(Math.round(sent / seconds))} a second)` : ''
  const lost = isLost ? '; what is piped in can only be gone on with where --journal was given' : ''
  const end = next === undefined ? lost : `; to go on: ${next}`
  return `${countsInWords(counts)} in ${secondsInWords(seconds)}${rate}; the journal is ${journal}${end}`
}

/** `0.4 s`, `12 s`, `3 min 20 s` */
export function secondsInWords(seconds: number): string {
  if (seconds < 10) return `${Math.round(seconds * 10) / 10} s`
  const whole = Math.round(seconds)
  return whole < 120 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`
}

/** `4,990 added, 10 skipped`: every outcome that there was. */
export function countsInWords(counts: Readonly<Counts>): string {
  const words = [...outcomes, 'valid' as const]
    .filter((outcome) => counts[outcome] > 0)
    .map((outcome) => `${grouped(counts[outcome])} ${outcome}`)
  return words.length === 0 ? 'there were no rows' : words.join(', ')
}

/** What keeps an import from being whole: `3 rows were rejected, 1 is invalid`; undefined where nothing does. */
export function faultsInWords({ rejected, invalid, doubtful }: Readonly<Counts>): string | undefined {
  const parts = [
    [rejected, 'was rejected', 'were rejected'],
    [invalid, 'is invalid', 'are invalid'],
    [doubtful, 'is in doubt', 'are in doubt'],
  ] as const
  const words = parts
    .filter(([count]) => count > 0)
    .map(([count, one, many], index) => {
      const unit = index > 0 ? '' : count === 1 ? ' row' : ' rows'
      return `${grouped(count)}${unit} ${count === 1 ? one : many}`
    })
  return words.length === 0 ? undefined : words.join(', ')
}

/** `12,345` */
function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',')
}
