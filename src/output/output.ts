import { Failure } from '../failure.ts'
import { visibleText } from '../model/visible.ts'
import type { Host } from '../platform/host.ts'
import type { Interruption } from '../platform/interruption.ts'
import { orAborted } from '../platform/promises.ts'
import { formats, type JsonFormat, type OutputSettings, viewOf } from './formats.ts'
import type { Reporter } from './reporter.ts'
import type { PrintJq, RowStream } from './row-stream.ts'
import { print } from './stream.ts'
import { type Columns, pickFields, type Renderer, type Row, type View } from './view.ts'

/** A change that was made, for what is said if its result cannot be printed. */
interface MadeChange {
  /** For errors and notices: `pet 7 was added`. */
  readonly done: string
  /** The id of the pet or message. */
  readonly id?: bigint | string
}

/** A change of one pet or message. */
interface ServiceChange extends Required<MadeChange> {
  /** For a person at a terminal: `added pet 7`. */
  readonly confirmation: string
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
  list(rows: readonly Row[], columns: Columns, forPeople?: ListForPeople): Promise<void>
  /** One thing: an object in JSON, a row elsewhere. */
  item(row: Row, columns: Columns): Promise<void>
  /**
   * One thing as the service returned it after a change. The change is confirmed, and an error or a
   * signal while the thing is printed says that the change was made.
   */
  changedAtService(row: Row, columns: Columns, change: ServiceChange): Promise<void>
  /** What a command has changed on this machine: an object if JSON is typed. */
  changed(value: Row & { readonly changed: boolean }): Promise<void>
  /** Rows that become known while a command runs: a line each, or a table at the end. */
  stream(columns: Columns): Promise<RowStream>
  /** One thing that another program waits for while this one continues: one line in JSON. */
  line(row: Row, columns: Columns): Promise<void>
  /** A value with fields of its own, as JSON whatever the format. */
  json(value: unknown, format?: JsonFormat): Promise<void>
  /**
   * A single value or a page of help, exact in a pipe or a file, harmless in a terminal, with a
   * newline; as JSON only if that is typed. It is printed even if the settings cannot be read.
   */
  text(value: string | number): Promise<void>
}

export function createOutput(options: OutputOptions): Output {
  const { host, typedFormat, settings, presentation, report, interruption } = options
  const jqContext = { host, notice: report.notice, withoutSignals: interruption.released }
  const printJq: PrintJq = async (values, expression, chosen, noun) => {
    const { printByJq } = await import('./jq.ts')
    await printByJq(values, expression, chosen, { ...jqContext, noun })
  }

  const present = async <Data extends Row | readonly Row[]>(
    data: Data,
    columns: Columns,
    render: (renderer: Renderer, data: Data, view: View) => string,
  ) => {
    const chosen = await settings()
    const shown = pickFields(data, chosen.fields)
    if (chosen.jq !== undefined) return printJq([shown], chosen.jq, chosen, columns.noun)
    const [renderer, view] = await Promise.all([
      formats[chosen.format].load(),
      viewOf(host, chosen, columns.names),
    ])
    const text = render(renderer, shown, view)
    await print(host, 'stdout', text)
  }
  /** What a person reads instead of a table, if anything. */
  const textForPeople = async (
    rows: readonly Row[],
    columns: Columns,
    { ifEmpty, render }: ListForPeople,
  ) => {
    const chosen = await settings()
    if (formats[chosen.format].kind !== 'people') return undefined
    const isRead = host.terminal.stdout && host.terminal.stderr
    if (rows.length === 0 && ifEmpty !== undefined && isRead) {
      const { quiet } = await presentation()
      if (!quiet) return `${ifEmpty}\n`
    }
    const isWhole = chosen.fields === undefined
    if (!isWhole || render === undefined) return undefined
    const view = await viewOf(host, chosen, columns.names)
    return render(view)
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
    changedAtService: async (row, columns, change) => {
      // First: jq blocks everything else, so a signal ends the process, and stdout may be slow.
      const { jq } = await settings()
      const showsConfirmation = host.terminal.stderr
      if (jq !== undefined && !showsConfirmation) await report.notice('changed', change.done)
      await report.confirm(change.confirmation)
      await printResult(change, () => item(row, columns), interruption.signal)
    },
    changed: async (value) => {
      if (typedFormat === undefined) return
      const change = value.changed ? { done: 'the change was made' } : undefined
      await printResult(change, () => printTyped(value, typedFormat), interruption.signal)
    },
    stream: async (columns) => {
      const { createRowStream } = await import('./row-stream.ts')
      const chosen = await settings()
      return createRowStream({ host, settings: chosen, columns: columns.names, printJq })
    },
    line: (row, columns) => present(row, columns, renderLine),
    json: async (value, format) => {
      const chosen = await settings()
      const usual = chosen.format === 'ndjson' ? 'ndjson' : 'json'
      const asJson = { ...chosen, format: format ?? usual }
      if (chosen.jq !== undefined) await printJq([value], chosen.jq, asJson)
      else await printJson(host, value, asJson)
    },
    text: async (value) => {
      if (typedFormat !== undefined) return printTyped(value, typedFormat)
      const text = String(value)
      const shown = host.terminal.stdout ? visibleText(text) : text
      await print(host, 'stdout', `${shown}\n`)
    },
  }
}

/** A value as JSON, without `--jq`. */
export async function printJson(host: Host, value: unknown, chosen: OutputSettings): Promise<void> {
  const { renderJson, renderNdjson } = await import('./text-formats.ts')
  const view = await viewOf(host, chosen, [])
  const isIndented = chosen.format === 'json'
  const text = isIndented ? renderJson(value, view) : renderNdjson([value], view)
  await print(host, 'stdout', text)
}

/**
 * Prints the result of a change that was made, if any. A failure or a signal meanwhile says that
 * the change was made, because repeating it would make it twice.
 */
export async function printResult(
  change: MadeChange | undefined,
  print: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  if (change === undefined) return print()
  try {
    await orAborted(print(), signal)
  } catch (error) {
    throw error instanceof Failure ? withChange(error, change) : error
  }
}

export function withChange(failure: Failure, { done, id }: MadeChange): Failure {
  const { code, message, hint, exitCode } = failure
  const details = { hint, exitCode, change: { id }, cause: failure }
  switch (code) {
    case 'interrupted':
      return new Failure(code, `${message}, but ${done}`, details)
    case 'local': {
      const problem = `${done}, but the result cannot be printed: ${message}`
      return new Failure(code, problem, details)
    }
    default:
      return failure
  }
}

function renderItem({ item, list }: Renderer, row: Row, view: View): string {
  if (item === undefined) return list([row], view)
  return item(row, view)
}

function renderLine({ stream, list }: Renderer, row: Row, view: View): string {
  if (stream === undefined) return list([row], view)
  return stream([row], view, true)
}
