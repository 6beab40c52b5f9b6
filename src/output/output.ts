import { Failure } from '../failure.ts'
import type { Host } from '../system/host.ts'
import type { Interruption } from '../system/interruption.ts'
import { once, orAborted } from '../system/promises.ts'
import { visibleText } from '../text/visible.ts'
import { type Format, formats, type OutputSettings } from './formats.ts'
import { paintFor, unpainted } from './paint.ts'
import { ignoreClosedPipe, print } from './stream.ts'
import { type Columns, pickFields, type Row, type View } from './view.ts'

interface OutputOptions {
  readonly host: Host
  /** On the command line: the default in a pipe does not count. */
  readonly typedFormat: Format | undefined
  /** What the user chose. Reading it throws where it is wrong. */
  readonly settings: OutputSettings
  /** Confirms a change for a person at a terminal, and returns whether it did. */
  readonly confirm: (message: string) => Promise<boolean>
  readonly interruption: Interruption
}

export type Output = ReturnType<typeof createOutput>

/** Data on stdout, in the format that the user chose. */
export function createOutput(options: OutputOptions) {
  const { host, typedFormat, confirm, interruption } = options
  const isForPeople = () => formats[options.settings.format].kind === 'people'
  const isTable = () => host.terminal.stdout && isForPeople()
  /** Finds what is wrong in the options for output, before anything is sent. */
  const check = once(async () => {
    const { jq } = options.settings
    if (jq !== undefined) await (await import('./jq.ts')).checkJq(jq)
  })
  const printAll = async (values: readonly unknown[], printing: Printing) => {
    await check()
    const printRows = await openPrinter(options, printing)
    await printRows(values)
  }
  /** One thing: an object in JSON, a row elsewhere. */
  const item = (row: Row, columns: Columns) => printAll([row], { columns })
  /** A value with fields of its own, as JSON whatever the format. */
  const json = async (value: unknown, chosen?: Partial<OutputSettings>) => {
    const format = options.settings.format === 'ndjson' ? 'ndjson' : 'json'
    await printAll([value], {
      columns: { names: [] },
      chosen: { format, fields: undefined, ...chosen }
    })
  }

  return {
    get settings() {
      return options.settings
    },
    check,
    /** Any number of rows: an array in JSON. If there are none, a person reads a text instead. */
    list: async (rows: readonly Row[], columns: Columns, ifEmpty = '') => {
      const isEmpty = rows.length === 0
      if (isEmpty && isTable()) return print(host, 'stdout', ifEmpty && `${ifEmpty}\n`)
      await printAll(rows, { columns, isList: true })
    },
    item,
    json,
    /**
     * One thing as the service returned it after a change, such as `added`, with the place. The
     * change is confirmed.
     */
    changedAtService: async (
      row: Row & { readonly id: bigint | string },
      columns: Columns,
      verb: string,
      place: string
    ) => {
      const { id } = row
      const thing = `${columns.noun} ${id}`
      const change = { done: `${thing} was ${verb}`, id }
      // Confirm first: while jq runs, a signal ends the process, and stdout may be slow.
      const isConfirmed = await confirm(`${verb} ${thing}${place}`)
      const { fields } = options.settings
      const isTold = isConfirmed && columns.isToldByConfirmation && fields === undefined
      if (isTold && isTable()) return
      await printResult(change, item(row, columns), interruption.signal)
    },
    /**
     * Prints rows as they arrive, one value a line in JSON, until the reader has seen enough;
     * undefined where people read a table at the end.
     */
    rows: async (columns: Columns) => {
      if (isForPeople()) return undefined
      const { format: chosen } = options.settings
      const format = chosen === 'json' ? 'ndjson' : chosen
      await check()
      const printRows = await openPrinter(options, { columns, chosen: { format } })
      return (rows: readonly Row[]) => printRows(rows).catch(ignoreClosedPipe)
    },
    /**
     * A single value or a page of help, exact in a pipe or a file, harmless in a terminal, with a
     * newline; its value as JSON only if that is typed. The text needs no settings.
     */
    text: async (text: string | number, value: unknown = text) => {
      if (typedFormat && formats[typedFormat].kind === 'json') return json(value, { jq: undefined })
      const shown = host.terminal.stdout ? visibleText(String(text)) : text
      await print(host, 'stdout', `${shown}\n`)
    }
  }
}

interface Printing {
  readonly columns: Columns
  /** Instead of what the user chose. */
  readonly chosen?: Partial<OutputSettings>
  /** In JSON, the rows are one array. */
  readonly isList?: boolean
}

/** Returns a function that prints rows, or values of any type if the format is JSON. */
async function openPrinter(options: OutputOptions, { columns, chosen, isList = false }: Printing) {
  const { host } = options
  const all = { ...options.settings, ...chosen }
  const { fields, format, jq } = all
  const { kind, load } = formats[format]
  const view: View = {
    columns: fields ?? columns.names,
    width: host.terminal.stdout ? host.columns() : undefined,
    paint: kind === 'people' ? await paintFor(host, 'stdout', all.color) : unpainted,
    int64AsStrings: all.int64AsStrings
  }
  const isOneValue = isList && (format === 'json' || jq !== undefined)
  const shown = (values: readonly unknown[]) => {
    // Where values are no rows, no fields are picked.
    const rows = values as readonly Row[]
    const picked = rows.map(row => pickFields(row, fields))
    return isOneValue ? [picked] : picked
  }
  if (jq !== undefined) {
    const { printByJq } = await import('./jq.ts')
    return (rows: readonly unknown[]) => printByJq(shown(rows), jq, view, options)
  }

  const usesOwnText = kind === 'people' && fields === undefined
  const render = (usesOwnText && columns.render) || (await load())
  let isFirst = true
  return async (rows: readonly unknown[]) => {
    const text = await render(shown(rows) as readonly Row[], view, isFirst)
    isFirst = false
    await print(host, 'stdout', text)
  }
}

/** A change that was made, for what is said if its result cannot be printed. */
interface MadeChange {
  /** For errors: `pet 7 was added`. */
  readonly done: string
  /** The id of the pet or message. */
  readonly id?: bigint | string
}

/**
 * Waits until the result of a change is printed. A failure or a signal meanwhile says that the
 * change was made, because repeating it would make it twice.
 */
export async function printResult(
  change: MadeChange | undefined,
  printing: Promise<void>,
  signal: AbortSignal
): Promise<void> {
  if (change === undefined) return printing
  try {
    await orAborted(printing, signal)
  } catch (error) {
    throw error instanceof Failure ? withChange(error, change) : error
  }
}

export function withChange(failure: Failure, { done, id }: MadeChange): Failure {
  const { code, message, hint, exitCode } = failure
  const details = { hint, exitCode, change: { id }, cause: failure }
  return new Failure(code, `${message}, but ${done}`, details)
}
