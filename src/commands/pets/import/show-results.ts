import type { Context } from '../../../context.ts'
import { Failure } from '../../../failure.ts'
import { rangesOf, rangeText } from '../../../import/line-ranges.ts'
import type { ImportChoices, ImportOptions } from '../../../import/prepare.ts'
import { isProblem, type RowResult, resultColumns } from '../../../import/results.ts'
import type { Import } from '../../../import/run.ts'
import { plural } from '../../../model/quantities.ts'
import { ignoreClosedPipe } from '../../../output/stream.ts'
import type { Row } from '../../../output/view.ts'
import { orAborted } from '../../../platform/promises.ts'
import { makeDirectory } from '../../../settings/location.ts'

/** What every import needs. */
export async function importOptions(
  context: Context,
  path: string,
  typed: ImportChoices
): Promise<ImportOptions> {
  const { host, interruption, report } = context
  const settings = await context.settings()
  return {
    ...typed,
    path,
    stdin: host.stdin,
    interruption: interruption.signal,
    now: host.now,
    retries: settings.value('retries'),
    makeDirectory: () => makeDirectory(host, 'journals'),
    notice: report.notice,
    confirmRestart: added => confirmRestart(context, added)
  }
}

/** Where it can prompt: rows that were added would be added again. */
async function confirmRestart(context: Context, added: number): Promise<void> {
  const settings = await context.settings()
  if (!settings.value('input')) return
  const question = `added before: ${plural(added, 'row')}; add every row again?`
  const refusal = new Failure('interrupted', 'nothing was sent')
  const isMeant = await context.withPrompts(openPrompt => openPrompt(refusal).confirm(question))
  if (!isMeant) throw refusal
}

/**
 * Runs the import, and prints its results as they arrive. If they cannot be printed, it ends, and
 * this returns why.
 */
export async function showResults(context: Context, run: Import): Promise<Failure | undefined> {
  const { signal } = context.interruption
  const printRows = await context.output.rows({ names: resultColumns })
  const problems = new Problems()
  const { rows, before, tally } = run
  const progress = await context.report.progress(() => ({
    done: tally.finished - tally.counts.skipped,
    total: rows - (before?.known.added ?? 0)
  }))
  let outputFailure: Failure | undefined
  const endUnprinted = (error: Failure) => {
    // After a signal, that is no news.
    if (!signal.aborted) outputFailure ??= error
    run.stop(error)
  }
  const show = async (results: readonly RowResult[]) => {
    if (printRows === undefined) return problems.add(results)
    const rows = results.filter(({ outcome }) => outcome !== 'valid').map(shownRow)
    await orAborted(printRows(rows), signal).catch(endUnprinted)
  }
  await run.run(show).finally(() => progress?.end())
  // Without rows, CSV still has its header.
  const printing = printRows === undefined ? printTable(context, problems.rows()) : printRows([])
  // After Ctrl-C, a reader that has stopped is not waited for.
  await context.interruption.waitFor(printing.catch(endUnprinted))
  return outputFailure
}

/** In a JSON array, the number of the element takes the place of the line. */
function shownRow({ row, outcome, id, status, message }: RowResult): Row {
  return { line: row.line, outcome, id, status, message }
}

/** The rows that were not added. Neighbors with the same outcome and reason are one line. */
class Problems {
  readonly #groups = new Map<string, { readonly row: Row; readonly lines: number[] }>()

  add(results: readonly RowResult[]): void {
    for (const result of results) {
      const { outcome, status, message } = result
      if (!isProblem(result)) continue
      const reason = [outcome, status, message].join(' ')
      const group = this.#groups.get(reason) ?? { row: shownRow(result), lines: [] }
      this.#groups.set(reason, group)
      group.lines.push(result.row.line)
    }
  }

  /** In the order of the input. */
  rows(): Row[] {
    const lines = [...this.#groups.values()].flatMap(({ row, lines }) =>
      rangesOf(lines).map(range => ({ row, range }))
    )
    lines.sort((one, other) => one.range.first - other.range.first)
    return lines.map(({ row, range }) => ({ ...row, line: rangeText(range) }))
  }
}

async function printTable({ output }: Context, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return
  // An empty column would only take room from the others.
  const names = resultColumns.filter(name => rows.some(row => row[name] !== undefined))
  await output.list(rows, { names }).catch(ignoreClosedPipe)
}
