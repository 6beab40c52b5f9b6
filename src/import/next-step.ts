import { listOfNames } from '../client/operations.ts'
import type { HintOptions } from '../text/shell.ts'
import type { Redact } from '../text/visible.ts'
import { formatByName } from './formats.ts'
import { mostNames } from './results.ts'
import type { Import } from './run.ts'

/** The command line of an import, for hints. */
interface ImportCommand {
  readonly path: string
  readonly environment: string
  readonly rejects?: string | undefined
  /** What was typed, for another file or with other options. */
  readonly retyped: (change: HintOptions, paths: readonly string[]) => string
  readonly redact: Redact
}

/** What is left to do. */
export interface NextStep {
  /** In words, before the command. */
  readonly advice: string
  readonly command?: string
}

/** What to do after a run; undefined if there is nothing. */
export function nextStep(run: Import, command: ImportCommand): NextStep | undefined {
  const { reason, rows, tally } = run
  const { rejected, invalid, doubtful } = tally.counts
  const isOver = tally.finished === rows && (reason === undefined || reason.code === 'partial')
  if (!isOver) return again(run, command)
  if (run.rejects?.hasRows()) return correction(run, command)
  const isSettledByItself = run.isIdempotent && !tally.isAnyLeft
  if (doubtful > 0) return isSettledByItself ? again(run, command) : lookup(run, command)
  if (rejected + invalid === 0) return undefined
  const exception = run.before?.all.added ? ', unless another file has added them' : ''
  return again(run, command, `correct these rows${exception}, then `)
}

/** The same command, unless its input cannot be read again. */
function again({ input }: Import, { path, retyped }: ImportCommand, before = '') {
  if (input.path === undefined) return { advice: `${before}run the same pipe again` }
  return {
    advice: `${before}run the same command again`,
    command: retyped({}, [path])
  }
}

function lookup({ tally, isIdempotent }: Import, { environment, redact }: ImportCommand) {
  const names = [...tally.doubtfulNames]
  const shown = names.length <= mostNames ? names : []
  const setting = `'petstore env set ${environment} --idempotent'`
  const prevention = `; ${setting} prevents new doubt if the service honors Idempotency-Key`
  const advice = 'look whether these pets are there, then use --accept or --resend with their lines'
  return {
    advice: isIdempotent ? advice : `${advice}${prevention}`,
    command: listOfNames(shown, redact, { '--env': environment })
  }
}

function correction({ input, tally }: Import, { rejects = '', retyped }: ImportCommand) {
  const { format } = input.layout
  const isNamed = formatByName(rejects) === format
  const change = { '--format': isNamed ? undefined : format, '--rejects': undefined }
  const isDoubtLeft = tally.counts.doubtful > 0
  const others = isDoubtLeft
    ? '; for the rows in doubt, run the same command without --rejects'
    : ''
  return {
    advice: `correct the rows in ${rejects}, then import that file${others}`,
    command: retyped(change, [rejects])
  }
}
