import type { Failure } from '../failure.ts'
import { ignoreClosedPipe } from '../output/stream.ts'
import type { Row, View } from '../output/view.ts'
import type { Context } from '../session/context.ts'
import { orAborted } from '../system/promises.ts'
import { visibleLine } from '../text/visible.ts'
import { wrapped } from '../text/width.ts'
import { unitOf } from './formats.ts'
import { rangesOf, rangeText } from './line-ranges.ts'
import { isHeld, isWrong, type RowResult, resultColumns } from './results.ts'
import type { Import } from './run.ts'

/**
 * Runs the import, and prints its results as they arrive. If they cannot be printed, it ends, and
 * this returns why.
 */
export async function showResults(context: Context, run: Import): Promise<Failure | undefined> {
  const { signal } = context.interruption
  const printRows = await context.output.rows({ names: resultColumns })
  const problems = new Problems()
  const { rows, plan, tally, options } = run
  const total = rows - (plan?.before.added ?? 0)
  const progress = await context.report.progress(() => {
    const done = tally.finished - tally.counts.skipped
    return { done, total }
  })
  let outputFailure: Failure | undefined
  const endUnprinted = (error: Failure) => {
    // After a signal, that is no news.
    if (!signal.aborted) outputFailure ??= error
    run.stop(error)
  }
  const show = async (results: readonly RowResult[]) => {
    if (printRows === undefined) return problems.add(results)
    // A preview shows what a person has to decide or to correct.
    const shown = options.check ? results.filter(isProblem) : results
    const printing = printRows(shown.map(shownRow))
    await orAborted(printing, signal).catch(endUnprinted)
  }
  await run.run(show).finally(() => progress?.end())
  // Without rows, CSV still has its header.
  const printing =
    printRows === undefined
      ? printTable(context, problems.rows(), unitOf(run.input.layout.format))
      : printRows([])
  // After Ctrl-C, a reader that has stopped is not waited for.
  await context.interruption.waitFor(printing.catch(endUnprinted))
  return outputFailure
}

const isProblem = (result: RowResult) => isHeld(result) || isWrong(result)

/** In a JSON array, the number of the element takes the place of the line. */
function shownRow({ row, outcome, id, status, message }: RowResult): Row {
  return { line: row.line, outcome, id, status, message }
}

interface Group {
  /** Its first row. */
  readonly row: Row
  readonly lines: number[]
}

/** Neighbors with the same outcome and reason are one line. */
class Problems {
  readonly #groups = new Map<string, Group>()

  add(results: readonly RowResult[]): void {
    for (const result of results.filter(isProblem)) {
      const { outcome, status, message } = result
      const reason = [outcome, status, message].join(' ')
      const group = this.#groups.get(reason) ?? { row: shownRow(result), lines: [] }
      this.#groups.set(reason, group)
      group.lines.push(result.row.line)
    }
  }

  /** In the order of the input. */
  rows(): Row[] {
    const shown = [...this.#groups.values()].flatMap(({ row, lines }) => {
      return rangesOf(lines).map(range => ({ row, range }))
    })
    shown.sort((one, other) => one.range.first - other.range.first)
    return shown.map(({ row, range }) => ({ ...row, line: rangeText(range) }))
  }
}

/** `line 7  changed  Max; pet 12 was added as Maxx`. A long reason goes on in the next line. */
const renderProblems =
  (unit: string) =>
  async (rows: readonly Row[], { width }: View) => {
    const cells = rows.map(({ line, outcome, status, message = '' }) => {
      const reason = status === undefined ? message : `${status} ${message}`
      return [
        `${unit} ${line}`,
        String(outcome),
        visibleLine(String(reason).slice(0, longestReason))
      ]
    })
    const widthOf = (column: number) => Math.max(...cells.map(row => row[column]?.length ?? 0)) + 2
    const [first, second] = [widthOf(0), widthOf(1)]
    const texts = cells.map(async ([line = '', outcome = '', reason = '']) => {
      const room = Math.max(leastRoom, (width ?? Number.POSITIVE_INFINITY) - first - second)
      const text = (await wrapped(reason, room)).replaceAll('\n', `\n${' '.repeat(first + second)}`)
      return `${line.padEnd(first)}${outcome.padEnd(second)}${text}\n`
    })
    return (await Promise.all(texts)).join('')
  }

/** To measure more would take long. */
const longestReason = 1000
const leastRoom = 20

async function printTable({ output }: Context, rows: readonly Row[], unit: string) {
  if (rows.length === 0) return
  // An empty column would only take room from the others.
  const names = resultColumns.filter(name => rows.some(row => row[name] !== undefined))
  await output.list(rows, { names, render: renderProblems(unit) }).catch(ignoreClosedPipe)
}
