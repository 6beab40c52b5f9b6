import { listOfNames } from '../client/operations.ts'
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

/** What is left to do. */
export interface NextStep {
  /** In words, before the command. */
  readonly advice: string
  readonly command?: string | undefined
}

/** What to do after a run; undefined if there is nothing. */
export function nextStep(run: Import, command: ImportCommand): NextStep | undefined {
  const { reason, rows, tally, options } = run
  const { rejected, invalid, doubtful, known, changed } = tally.counts
  const held = heldAdvice(run)
  if (options.check) return held === '' ? undefined : { advice: held }
  const isOver = tally.finished === rows && (reason === undefined || reason.code === 'partial')
  if (!isOver) return again(run, command)
  if (run.rejects?.hasRows()) return correction(run, command)
  if (doubtful > 0) return tally.isSettledByKeys ? again(run, command) : lookup(run, command)
  if (known + changed > 0) {
    const { command: check } = again(run, command, { '--check': true })
    return { advice: held, command: check }
  }
  if (rejected + invalid > 0) return again(run, command, {}, 'correct these rows, then ')
  return undefined
}

/** The same command without decisions, unless its input cannot be read again. */
function again(
  { input, options }: Import,
  { retyped }: ImportCommand,
  change: HintOptions = {},
  before = ''
): NextStep {
  if (input.path === undefined) return { advice: `${before}run the same pipe again` }
  return {
    advice: `${before}run the same command again`,
    command: retyped({ '--add': undefined, '--skip': undefined, ...change }, [options.path])
  }
}

/** What the two options do with rows that may be doubles. */
function heldAdvice({ tally }: Import) {
  const { known, changed } = tally.counts
  const kinds = Object.entries({ known, changed }).filter(([, count]) => count > 0)
  const isOne = known + changed === 1
  const option = (name: string) => kinds.map(([kind]) => `${name} ${kind}`).join(' ')
  const batch = known > 0 ? ', or --batch NAME for a file of other pets' : ''
  const [same, other] = isOne ? ['The same pet', 'Another one'] : ['The same pets', 'Other ones']
  if (kinds.length === 0) return ''
  return `${same}: ${option('--skip')}. ${other}: ${option('--add')}${batch}`
}

function lookup({ tally, options }: Import, { settable, redact }: ImportCommand): NextStep {
  const names = [...tally.doubtfulNames]
  const shown = names.length <= mostNames ? names : []
  const environment = options.place?.environment
  const setting = `'petstore env set ${settable} --idempotent'`
  const limiter = tally.isLimited ? '; a limiter should answer 429 and not 503' : ''
  const prevention = `; ${setting} prevents new doubt if the service honors Idempotency-Key${limiter}`
  const advice =
    'look whether these pets are there (the service lists 100), then use --skip or --add with their lines'
  return {
    advice: settable === undefined || options.keyLife > 0 ? advice : `${advice}${prevention}`,
    command: listOfNames(shown, redact, { '--env': environment })
  }
}

function correction({ input, tally, options }: Import, { retyped }: ImportCommand): NextStep {
  const { rejects = '' } = options
  const { format } = input.layout
  const { known, changed, doubtful } = tally.counts
  const isNamed = formatByName(rejects) === format
  const change = {
    '--format': isNamed ? undefined : format,
    '--rejects': undefined,
    '--add': undefined,
    '--skip': undefined
  }
  const others =
    known + changed + doubtful > 0
      ? '; for the rows that are held, run the same command without --rejects'
      : ''
  return {
    advice: `correct the rows in ${rejects}, then import that file${others}`,
    command: retyped(change, [rejects])
  }
}
