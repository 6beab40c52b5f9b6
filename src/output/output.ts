import { Failure } from '../failure.ts'
import { visibleText } from '../model/visible.ts'
import type { Host } from '../platform/host.ts'
import type { Interruption } from '../platform/interruption.ts'
import { orAborted } from '../platform/promises.ts'
import { formats, type JsonFormat, type OutputSettings, viewOf } from './formats.ts'
import type { Reporter } from './reporter.ts'
import type { OpenPrinter, PrintRows } from './row-stream.ts'
import { print } from './stream.ts'
import { type Columns, pickFields, type Renderer, type Row, type Shape } from './view.ts'

/** A change that was made, for what is said if its result cannot be printed. */
interface MadeChange {
  /** For errors and notices: `pet 7 was added`. */
  readonly done: string
  /** The id of the pet or message. */
  readonly id?: bigint | string
}

interface OutputOptions {
  readonly host: Host
  /**
   * The JSON format that the command line asks for, if any. The default in a pipe does not count.
   */
  readonly typedFormat: JsonFormat | undefined
  readonly settings: () => Promise<OutputSettings>
  readonly report: Pick<Reporter, 'confirm'>
  readonly interruption: Interruption
  /** For help, which appears even if the settings cannot be read. */
  readonly presentation: () => Promise<Pick<OutputSettings, 'color'> & { readonly quiet: boolean }>
}

export type Output = ReturnType<typeof createOutput>

/** Data on stdout, in the format that the user chose. */
export function createOutput(options: OutputOptions) {
  const { host, typedFormat, settings, presentation, report, interruption } = options
  const isTable = async () =>
    host.terminal.stdout && formats[(await settings()).format].kind === 'people'
  /** One thing: an object in JSON, a row elsewhere. */
  const item = async (row: Row, columns: Columns) => {
    const printRows = await openPrinter(options, await settings(), columns, 'item')
    await printRows([row])
  }
  const printJson = async (value: unknown, chosen: OutputSettings) => {
    const withoutFields = { ...chosen, fields: undefined }
    const printRows = await openPrinter(options, withoutFields, { names: [] }, 'item')
    await printRows([value])
  }
  const printTyped = async (value: unknown, format: JsonFormat) => {
    const chosen = await settings().catch(presentation)
    await printJson(value, { ...chosen, format, jq: undefined })
  }

  return {
    /** What the user chose. */
    settings,
    /** Any number of rows: an array in JSON. If there are none, a person reads a text instead. */
    list: async (rows: readonly Row[], columns: Columns, ifEmpty?: string) => {
      if (rows.length === 0 && ifEmpty !== undefined && (await isTable()))
        return print(host, 'stdout', ifEmpty && `${ifEmpty}\n`)
      const printRows = await openPrinter(options, await settings(), columns, 'list')
      await printRows(rows)
    },
    item,
    /**
     * One thing as the service returned it after a change, such as `added`, with the place. The
     * change is confirmed, and an error or a signal while the thing is printed says that the change
     * was made.
     */
    changedAtService: async (
      row: Row & { readonly id: bigint | string },
      columns: Columns,
      verb: string,
      place: string
    ) => {
      const { id } = row
      const change = { done: `${columns.noun} ${id} was ${verb}`, id }
      // Confirm first: while jq runs, a signal ends the process, and stdout may be slow.
      const isConfirmed = await report.confirm(`${verb} ${columns.noun} ${id}${place}`)
      const { fields } = await settings()
      const isTold = isConfirmed && columns.isToldByConfirmation && fields === undefined
      if (isTold && (await isTable())) return
      await printResult(change, () => item(row, columns), interruption.signal)
    },
    /** Rows that become known while a command runs: a line each, or a table at the end. */
    stream: async (columns: Columns) => {
      const { openRowStream } = await import('./row-stream.ts')
      const chosen = await settings()
      const isLive = formats[chosen.format].kind !== 'people'
      const open: OpenPrinter = (names, shape) => openPrinter(options, chosen, { names }, shape)
      return openRowStream(open, columns.names, isLive)
    },
    /** A value with fields of its own, as JSON whatever the format. */
    json: async (value: unknown, chosen?: Partial<OutputSettings>) => {
      const usual = await settings()
      const format = usual.format === 'ndjson' ? 'ndjson' : 'json'
      await printJson(value, { ...usual, format, ...chosen })
    },
    /**
     * A single value or a page of help, exact in a pipe or a file, harmless in a terminal, with a
     * newline; its value as JSON only if that is typed. It is printed even if the settings cannot be
     * read.
     */
    text: async (text: string | number, value: unknown = text) => {
      if (typedFormat !== undefined) return printTyped(value, typedFormat)
      const shown = host.terminal.stdout ? visibleText(String(text)) : text
      await print(host, 'stdout', `${shown}\n`)
    }
  }
}

/**
 * Loads what it needs to print rows: later, another version of the program may have taken its
 * place.
 */
async function openPrinter(
  { host, interruption }: OutputOptions,
  chosen: OutputSettings,
  columns: Columns,
  shape: Shape
): Promise<PrintRows> {
  const { fields, format, jq } = chosen
  // As JSON, a value of any type is printed, and no fields are picked then.
  const pick = (values: readonly unknown[]) =>
    (values as readonly Row[]).map(row => pickFields(row, fields))
  const view = await viewOf(host, chosen, columns.names)
  if (jq !== undefined) {
    const { printByJq } = await import('./jq.ts')
    const context = { host, interruption, view }
    return rows => printByJq(shape === 'list' ? [pick(rows)] : pick(rows), jq, context)
  }
  const { kind, load } = formats[format]
  const renderer: Renderer = await load()
  const isForPeople = kind === 'people' && fields === undefined
  const render = (isForPeople && columns.render) || (renderer[shape] ?? renderer.list)
  let isFirst = true
  return async rows => {
    const text = await render(pick(rows), view, isFirst)
    isFirst = false
    await print(host, 'stdout', text)
  }
}

/**
 * Prints the result of a change that was made, if any. A failure or a signal meanwhile says that
 * the change was made, because repeating it would make it twice.
 */
export async function printResult(
  change: MadeChange | undefined,
  print: () => Promise<void>,
  signal: AbortSignal
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
    case 'local':
      return new Failure(code, `${done}, but the result cannot be printed: ${message}`, details)
    default:
      return failure
  }
}
