import { listOfNames } from '../client/operations.ts'
import { statsOf } from '../system/same-file.ts'
import type { HintOptions } from '../text/shell.ts'
import type { Redact } from '../text/visible.ts'
import { formatByName } from './formats.ts'
import { mostNames } from './results.ts'
import type { Import } from './run.ts'

/** The command line of an import, for hints. */
interface ImportCommand {
  /** What was typed, for another file or with other options. */
  readonly retyped: (change: HintOptions, paths: readonly string[]) => string
  readonly redact: Redact
  /** An environment whose URLs are saved, so that it can be set. */
  readonly settable: string | undefined
}

/** What is left to do: in words, and as a command. */
export interface NextStep {
  readonly advice: string
  readonly command?: string | undefined
}

/** What to do after a run; undefined if there is nothing. */
export function nextStep(run: Import, command: ImportCommand): NextStep | undefined {
  const { reason, rows, tally, options, plan } = run
  const { rejected, invalid, doubtful } = tally.counts
  const held = heldAdvice(run)
  // Without it, the same command would add every pet again.
  if (plan !== undefined && statsOf(plan.path) === undefined) return undefined
  if (options.check) return held === '' ? undefined : { advice: held }
  const isOver = tally.finished === rows && (reason === undefined || reason.code === 'partial')
  if (!isOver) return goOn(run, command)
  if (run.rejects?.hasRows()) return correction(run, command)
  if (doubtful > 0) return tally.isSettledByKeys ? again(run, command) : lookup(run, command)
  if (held !== '') return { ...again(run, command, { '--check': true }), advice: held }
  if (rejected + invalid === 0) return undefined
  return correctHere(run, command)
}

function goOn(run: Import, command: ImportCommand) {
  const { options, tally } = run
  const isStopped = options.stopOnError && tally.firstProblem !== undefined
  return isStopped ? correctHere(run, command) : again(run, command)
}

/** The same command would find the same problem. */
function correctHere(run: Import, command: ImportCommand) {
  const { advice, ...step } = again(run, command)
  return { ...step, advice: advice.replace('Run', 'Correct these rows, then run') }
}

const undecided = { '--add': undefined, '--skip': undefined }

/** The same command without decisions, unless its input cannot be read again. */
function again({ input, options }: Import, { retyped }: ImportCommand, change: HintOptions = {}) {
  if (input.path === undefined) return { advice: 'Run the same pipe again' }
  return {
    advice: 'Run the same command again',
    command: retyped({ ...undecided, ...change }, [options.path])
  }
}

/** What the two options do with rows that may be doubles. */
function heldAdvice({ tally }: Import) {
  const kinds = (['known', 'changed'] as const).filter(kind => tally.counts[kind] > 0)
  if (kinds.length === 0) return ''
  const { known, changed } = tally.counts
  const [same, other] = known + changed === 1 ? ['pet', 'Another one'] : ['pets', 'Other ones']
  const option = (name: string) => kinds.map(kind => `${name} ${kind}`).join(' or ')
  const batch = known > 0 ? ', or --batch NAME for a file of other pets' : ''
  return `The same ${same}: ${option('--skip')}. ${other}: ${option('--add')}${batch}`
}

function lookup({ tally, options }: Import, { settable, redact }: ImportCommand): NextStep {
  const names = [...tally.doubtfulNames]
  const limiter = tally.isLimited ? '; a limiter should answer 429 and not 503' : ''
  const prevention = `. 'petstore env set ${settable} --idempotent' prevents new doubt if the service honors Idempotency-Key${limiter}`
  const advice =
    'Look whether these pets are there (the service lists only 100), then use --skip or --add with their lines'
  return {
    advice: settable === undefined || options.keyLife > 0 ? advice : advice + prevention,
    command: listOfNames(names.length <= mostNames ? names : [], redact, {
      '--env': options.place?.environment
    })
  }
}

function correction({ input, tally, options }: Import, { retyped }: ImportCommand): NextStep {
  const { rejects = '' } = options
  const { format } = input.layout
  const { known, changed, doubtful } = tally.counts
  const isAnyHeld = known + changed + doubtful > 0
  const others = isAnyHeld ? '. For held rows, run the same command without --rejects' : ''
  const change = {
    ...undecided,
    '--format': formatByName(rejects) === format ? undefined : format,
    '--rejects': undefined,
    // The file of rejects would take the place of the whole input.
    '--batch': undefined
  }
  return {
    advice: `Correct the rows in ${rejects}, then import that file${others}`,
    command: retyped(change, [rejects])
  }
}
