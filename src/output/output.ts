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
import type { ChecklistRow } from './table.ts'
import { pickFields, plainStyle, type Renderer, type Row, type View } from './view.ts'

/** A change that was made, in the words of what is printed about it. */
export interface Change {
  /** For errors and notices: `pet 7 was added`. */
  readonly done: string
  /** For a person at a terminal: `added pet 7`. */
  readonly confirmation: string
  /** The id of the new pet or message. */
  readonly id: bigint | string
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
  /**
   * Any number of rows: an array in JSON. `ifEmpty` is for a person, instead of a table without
   * rows: `no pets`.
   */
  list(rows: readonly Row[], columns: readonly string[], ifEmpty?: string): Promise<void>
  /** Checks: one line each, where other lists are tables. */
  checklist(rows: readonly ChecklistRow[], columns: readonly string[]): Promise<void>
  /**
   * One thing: an object in JSON, a row elsewhere. If it is the result of a change, the change is
   * confirmed, and an error or a signal while it is printed says that the change was made.
   */
  item(row: Row, columns: readonly string[], change?: Change): Promise<void>
  /**
   * What a command has changed on this machine: an object if JSON is typed. The schema of the value
   * is stated.
   */
  changed<Name extends keyof typeof resultSchemas = never>(
    value: NoInfer<Result<Name>>,
  ): Promise<void>
  /** A value that is JSON whatever the format. */
  document(value: Row): Promise<void>
  /** One thing that another program waits for while this one continues: one line in JSON. */
  line(row: Row, columns: readonly string[]): Promise<void>
  /** Rows that become known while a command runs: a line each, or a table at the end. */
  stream(columns: readonly string[]): Promise<RowStream>
  /**
   * An event and the things that it is about: one line of JSON in every format. `--fields` applies
   * to the things.
   */
  event(event: Row, things: Readonly<Record<string, Row>>): Promise<void>
  /**
   * How a screen that is drawn again shows rows; undefined unless stdout is a terminal that shows
   * tables.
   */
  screenView(columns: readonly string[]): Promise<View | undefined>
  /** Whether the jq expression gives a result that is neither `false` nor `null`. */
  matches(rows: readonly Row[], expression: string): Promise<boolean>
  /**
   * A single value or a page of help, exact in a pipe or a file, harmless in a terminal, with a
   * newline; as JSON only if that is typed. It is printed even if the settings cannot be read.
   */
  text(value: string | number): Promise<void>
  /** Bytes: exact in a pipe or a file, harmless in a terminal. */
  bytes(bytes: Uint8Array): Promise<void>
  /**
   * The body of a reply: the same, but JSON is indented in a terminal, and `--jq` transforms a
   * reply without error.
   */
  reply(bytes: Uint8Array, isError: boolean): Promise<void>
}

export function createOutput(options: OutputOptions): Output {
  const { host, typedFormat, settings, presentation, report, interruption } = options
  /** Prints what the expression makes of each value. */
  const printJq: PrintJq = async (values, expression, chosen) => {
    const [{ printByJq }, { parseJson, stringifyJson }, { renderJson, renderNdjson }, view] =
      await Promise.all([
        import('./jq.ts'),
        import('../model/json.ts'),
        import('./text-formats.ts'),
        viewOf(host, chosen, []),
      ])
    const json = values.map((value) => stringifyJson(value, chosen)).join('\n')
    const isIndented = host.terminal.stdout && chosen.format !== 'ndjson'
    const show = (value: unknown) =>
      isIndented ? renderJson(value, view) : renderNdjson([value], view)
    const render =
      isIndented || view.style !== plainStyle ? (text: string) => show(parseJson(text)) : undefined
    await printByJq(json, expression, {
      host,
      notice: report.notice,
      withoutSignals: interruption.released,
      render,
    })
  }
  /** `fixed` overrides the settings of the user. */
  const present = async <Data extends Row | readonly Row[]>(
    data: Data,
    columns: readonly string[],
    render: (renderer: Renderer, data: Data, view: View) => string,
    fixed: Partial<OutputSettings> = {},
  ) => {
    const chosen = { ...(await settings()), ...fixed }
    const shown = pickFields(data, chosen.fields)
    if (chosen.jq !== undefined) return printJq([shown], chosen.jq, chosen)
    const [renderer, view] = await Promise.all([
      formats[chosen.format].load(),
      viewOf(host, chosen, columns),
    ])
    await print(host, 'stdout', render(renderer, shown, view))
  }
  const printJson = async (value: unknown, chosen: OutputSettings) => {
    const [renderer, view] = await Promise.all([
      import('./text-formats.ts'),
      viewOf(host, chosen, []),
    ])
    const { renderJson, renderNdjson } = renderer
    await print(
      host,
      'stdout',
      chosen.format === 'json' ? renderJson(value, view) : renderNdjson([value], view),
    )
  }
  /** Even if the settings cannot be read. */
  const printTyped = async (value: unknown, format: JsonFormat) => {
    const { color } = await presentation()
    await printJson(value, { format, color })
  }
  const printBytes = async (bytes: Uint8Array) => {
    if (!host.terminal.stdout || bytes.length === 0) return print(host, 'stdout', bytes)
    await print(
      host,
      'stdout',
      `${visibleText(new TextDecoder().decode(bytes)).replace(/\n$/, '')}\n`,
    )
  }
  /** The format that the user chose, if it is JSON. */
  const jsonFormat = async () => {
    const { format } = await settings()
    return formats[format].kind === 'json' ? format : 'json'
  }
  /** Whether a person reads stdout as a table, without `--quiet`. */
  const isChatty = async () => {
    const { format } = await settings()
    const isRead = formats[format].kind === 'people' && host.terminal.stdout && host.terminal.stderr
    return isRead && !(await presentation()).quiet
  }
  const list: Output['list'] = async (rows, columns, ifEmpty) => {
    if (rows.length === 0 && ifEmpty !== undefined && (await isChatty()))
      return print(host, 'stdout', `${ifEmpty}\n`)
    await present(rows, columns, (renderer, shown, view) => renderer.list(shown, view))
  }

  return {
    list,
    checklist: async (rows, columns) => {
      const chosen = await settings()
      if (formats[chosen.format].kind !== 'people' || chosen.fields !== undefined)
        return list(rows, columns)
      const [{ renderChecklist }, { style }] = await Promise.all([
        import('./table.ts'),
        viewOf(host, chosen, columns),
      ])
      await print(host, 'stdout', renderChecklist(rows, style))
    },
    item: async (row, columns, change) => {
      const print = () => present(row, columns, renderItem)
      if (change === undefined) return print()
      // While jq runs, nothing else does: a signal ends the process.
      const isFirst = (await settings()).jq !== undefined
      if (isFirst && !host.terminal.stderr) await report.notice('changed', change.done)
      if (isFirst) await report.confirm(change.confirmation)
      await printResult(change, print, interruption.signal)
      if (!isFirst) await report.confirm(change.confirmation)
    },
    changed: async (value) => {
      if (typedFormat === undefined) return
      await printResult(
        { done: 'the change was made' },
        () => printTyped(value, typedFormat),
        interruption.signal,
      )
    },
    document: async (value) =>
      present(value, [], renderItem, { format: await jsonFormat(), fields: undefined }),
    line: (row, columns) => present(row, columns, renderLine),
    stream: async (columns) => {
      const [{ createRowStream }, chosen] = await Promise.all([
        import('./row-stream.ts'),
        settings(),
      ])
      return createRowStream({ host, settings: chosen, columns, printJq })
    },
    event: async (event, things) => {
      const { fields } = await settings()
      const chosen = Object.entries(things).map(([name, thing]) => [
        name,
        pickFields(thing, fields),
      ])
      const value: Row = { ...event, ...Object.fromEntries(chosen) }
      await present(value, [], renderLine, { format: 'ndjson', fields: undefined })
    },
    screenView: async (columns) => {
      const chosen = await settings()
      const isDrawn =
        formats[chosen.format].kind === 'people' && host.terminal.stdout && host.env.TERM !== 'dumb'
      return isDrawn ? viewOf(host, chosen, columns) : undefined
    },
    matches: async (rows, expression) => {
      const [{ testByJq }, { stringifyJson }] = await Promise.all([
        import('./jq.ts'),
        import('../model/json.ts'),
      ])
      return testByJq(stringifyJson(rows), expression, interruption.released)
    },
    text: async (value) => {
      if (typedFormat !== undefined) return printTyped(value, typedFormat)
      await print(host, 'stdout', `${host.terminal.stdout ? visibleText(String(value)) : value}\n`)
    },
    bytes: printBytes,
    reply: async (bytes, isError) => {
      if (bytes.length === 0) return
      const chosen = await settings()
      if (chosen.jq !== undefined && !isError)
        return printJq([await readReply(bytes)], chosen.jq, chosen)
      const value = host.terminal.stdout ? await readReply(bytes).catch(() => undefined) : undefined
      if (value === undefined) return printBytes(bytes)
      await printJson(value, { ...chosen, format: 'json' })
    },
  }
}

/**
 * Prints the result of a change that was made, if any. A failure or a signal meanwhile says that
 * the change was made, because repeating it would make it twice.
 */
export async function printResult(
  change: (Pick<Change, 'done'> & { readonly id?: Change['id'] | undefined }) | undefined,
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

async function readReply(bytes: Uint8Array): Promise<unknown> {
  const { parseJson } = await import('../model/json.ts')
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    throw new Failure('local', `--jq: the reply is not JSON: ${(error as Error).message}`, {
      cause: error,
    })
  }
}
