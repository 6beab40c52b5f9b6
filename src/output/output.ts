import { Failure } from '../failure.ts'
import type { Result, resultSchemas } from '../model/results.ts'
import { visibleText } from '../model/visible.ts'
import type { Host } from '../platform/host.ts'
import type { Interruption } from '../platform/interruption.ts'
import { orAborted } from '../platform/promises.ts'
import { formats, type JsonFormat, type OutputSettings, viewOf } from './formats.ts'
import type { Reporter } from './reporter.ts'
import type { PrintJq, RowStream } from './row-stream.ts'
import { print } from './stream.ts'
import { nouns, pickFields, type Renderer, type Row, type View } from './view.ts'

/** A change that was made by the service, in the words of what is printed about it. */
interface Addition {
  /** For errors and notices: `pet 7 was added`. */
  readonly done: string
  /** For a person at a terminal: `added pet 7`. */
  readonly confirmation: string
  /** The id of the new pet or message. */
  readonly id: bigint | string
}

/** What a person reads instead of a table. */
interface ListForPeople {
  /** Instead of a table without rows: `no pets`. */
  readonly ifEmpty?: string
  /** Instead of the whole table. */
  readonly render?: (view: View) => string
}

interface OutputOptions {
  readonly host: Host
  /**
   * The JSON format that the command line asks for, if any. The default in a pipe does not count.
   */
  readonly typedFormat: JsonFormat | undefined
  readonly settings: () => Promise<OutputSettings>
  readonly report: Pick<Reporter, 'confirm' | 'notice'>
  readonly interruption: Interruption
  /** For help, which appears even if the settings cannot be read. */
  readonly presentation: () => Promise<Pick<OutputSettings, 'color'> & { readonly quiet: boolean }>
}

/** Data on stdout, in the format that the user chose. */
export interface Output {
  /** What the user chose. */
  settings(): Promise<OutputSettings>
  /** Any number of rows: an array in JSON. */
  list(rows: readonly Row[], columns: readonly string[], forPeople?: ListForPeople): Promise<void>
  /** One thing: an object in JSON, a row elsewhere. */
  item(row: Row, columns: readonly string[]): Promise<void>
  /**
   * One thing that was added. It is confirmed, and an error or a signal while it is printed says
   * that it was added.
   */
  added(row: Row, columns: readonly string[], addition: Addition): Promise<void>
  /**
   * What a command has changed on this machine: an object if JSON is typed. The schema of the value
   * is stated.
   */
  changed<Name extends ChangeSchema = never>(value: NoInfer<Result<Name>>): Promise<void>
  /** Rows that become known while a command runs: a line each, or a table at the end. */
  stream(columns: readonly string[]): Promise<RowStream>
  /** One thing that another program waits for while this one continues: one line in JSON. */
  line(row: Row, columns: readonly string[]): Promise<void>
  /** A value with fields of its own, as JSON whatever the format. */
  json(value: unknown, format?: JsonFormat): Promise<void>
  /**
   * A single value or a page of help, exact in a pipe or a file, harmless in a terminal, with a
   * newline; as JSON only if that is typed. It is printed even if the settings cannot be read.
   */
  text(value: string | number): Promise<void>
}

/** The results that say whether something changed. */
type ChangeSchema = {
  [Name in keyof typeof resultSchemas]: Result<Name> extends { changed: boolean } ? Name : never
}[keyof typeof resultSchemas]

export function createOutput(options: OutputOptions): Output {
  const { host, typedFormat, settings, presentation, report, interruption } = options
  const jqContext = { host, notice: report.notice, withoutSignals: interruption.released }
  const printJq: PrintJq = async (values, expression, chosen, noun) => {
    const { printByJq } = await import('./jq.ts')
    await printByJq(values, expression, chosen, { ...jqContext, noun })
  }

  const present = async <Data extends Row | readonly Row[]>(
    data: Data,
    columns: readonly string[],
    render: (renderer: Renderer, data: Data, view: View) => string,
  ) => {
    const chosen = await settings()
    const shown = pickFields(data, chosen.fields)
    if (chosen.jq !== undefined) return printJq([shown], chosen.jq, chosen, nouns.get(columns))
    const [renderer, view] = await Promise.all([
      formats[chosen.format].load(),
      viewOf(host, chosen, columns),
    ])
    await print(host, 'stdout', render(renderer, shown, view))
  }
  /** What a person reads instead of a table, if anything. */
  const textForPeople = async (
    rows: readonly Row[],
    columns: readonly string[],
    { ifEmpty, render }: ListForPeople,
  ) => {
    const chosen = await settings()
    if (formats[chosen.format].kind !== 'people') return undefined
    const isRead = host.terminal.stdout && host.terminal.stderr
    const isEmpty = rows.length === 0 && ifEmpty !== undefined
    if (isEmpty && isRead && !(await presentation()).quiet) return `${ifEmpty}\n`
    const isWhole = chosen.fields === undefined
    return isWhole ? render?.(await viewOf(host, chosen, columns)) : undefined
  }
  const item: Output['item'] = (row, columns) => present(row, columns, renderItem)
  /** Even if the settings cannot be read. */
  const printTyped = async (value: unknown, format: JsonFormat) => {
    const { color } = await presentation()
    await printJson(host, value, { format, color })
  }

  return {
    settings,
    list: async (rows, columns, forPeople = {}) => {
      const text = await textForPeople(rows, columns, forPeople)
      if (text !== undefined) return print(host, 'stdout', text)
      await present(rows, columns, ({ list }, shown, view) => list(shown, view))
    },
    item,
    added: async (row, columns, addition) => {
      // First: jq blocks everything else, so a signal ends the process, and stdout may be slow.
      const isSilent = (await settings()).jq !== undefined && !host.terminal.stderr
      if (isSilent) await report.notice('changed', addition.done)
      await report.confirm(addition.confirmation)
      await printResult(addition, () => item(row, columns), interruption.signal)
    },
    changed: async (value) => {
      if (typedFormat === undefined) return
      const change = value.changed ? { done: 'the change was made' } : undefined
      await printResult(change, () => printTyped(value, typedFormat), interruption.signal)
    },
    stream: async (columns) => {
      const [{ createRowStream }, chosen] = await Promise.all([
        import('./row-stream.ts'),
        settings(),
      ])
      return createRowStream({ host, settings: chosen, columns, printJq })
    },
    line: (row, columns) => present(row, columns, renderLine),
    json: async (value, format) => {
      const chosen = await settings()
      const userFormat = chosen.format === 'ndjson' ? 'ndjson' : 'json'
      const asJson = { ...chosen, format: format ?? userFormat }
      if (chosen.jq !== undefined) await printJq([value], chosen.jq, asJson)
      else await printJson(host, value, asJson)
    },
    text: async (value) => {
      if (typedFormat !== undefined) return printTyped(value, typedFormat)
      await print(host, 'stdout', `${host.terminal.stdout ? visibleText(String(value)) : value}\n`)
    },
  }
}

/** A value as JSON, without `--jq`. */
export async function printJson(host: Host, value: unknown, chosen: OutputSettings): Promise<void> {
  const [{ renderJson, renderNdjson }, view] = await Promise.all([
    import('./text-formats.ts'),
    viewOf(host, chosen, []),
  ])
  const isIndented = chosen.format === 'json'
  await print(host, 'stdout', isIndented ? renderJson(value, view) : renderNdjson([value], view))
}

/**
 * Prints the result of a change that was made, if any. A failure or a signal meanwhile says that
 * the change was made, because repeating it would make it twice.
 */
export async function printResult(
  change: (Pick<Addition, 'done'> & { readonly id?: Addition['id'] }) | undefined,
  print: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  if (change === undefined) return print()
  const { done, id } = change
  try {
    await orAborted(print(), signal)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { code, message, hint, exitCode } = error
    const details = { hint, change: { id }, cause: error }
    if (code === 'interrupted') {
      const isTermination = exitCode === 143
      throw new Failure(code, `${message}, but ${done}`, {
        ...details,
        signal: isTermination ? 'SIGTERM' : 'SIGINT',
      })
    }
    if (code !== 'local') throw error
    throw new Failure(code, `${done}, but the result cannot be printed: ${message}`, details)
  }
}

const renderItem = ({ item, list }: Renderer, row: Row, view: View) =>
  item ? item(row, view) : list([row], view)
const renderLine = ({ stream, list }: Renderer, row: Row, view: View) =>
  stream ? stream([row], view, true) : list([row], view)
