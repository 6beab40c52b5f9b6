import { rules } from '../../../src/client/retry-policy.ts'
import type { Fault } from './fault.ts'

/** What the page shows of a run. */
interface ShownRun {
  readonly code: number | null
  readonly error: { readonly message: string; readonly hint?: string }
}

interface Group {
  readonly title: string
  readonly faults: readonly Fault[]
}

const introduction = `# What can go wrong on the way to the service

Made by \`npx vitest run test/spawned/faults.test.ts -u\`, which puts every fault below in front of the program.

## What it means for a request

A request is repeated by the program itself, at most \`--retries\` times, only where the table says so. "Once more" means
that the same command may be run again by hand; where it says nothing, running it again changes nothing or is not safe.
`

const repetitionText = { automatic: 'repeated', allowed: 'once more', no: '' }

/** The documentation page on faults: what each means, its error message and its hint. */
export function renderFaults(
  groups: readonly Group[],
  runOf: (fault: Fault, command: 'list' | 'add') => ShownRun,
): string {
  const meanings = rules.map(({ situation, read, change }) => [
    situation,
    ...[read, change].map(([name, repetition]) =>
      [name, repetitionText[repetition]].filter((part) => part !== '').join(', '),
    ),
  ])
  const sections = groups.map(({ title, faults }) => {
    const rows = faults.map((fault) => {
      const [list, add] = [runOf(fault, 'list'), runOf(fault, 'add')]
      return [fault.what, String(list.code), String(add.code), list.error.message, `\`${list.error.hint}\``]
    })
    return `### ${title}\n\n${table(['what happens', 'GET', 'POST', 'what is said', 'what to run'], rows)}`
  })
  return [
    introduction,
    table(['what happened', 'a GET ends with', 'a POST ends with'], meanings),
    `## What is said, and what to run next

The exit codes are those of \`pets list\` (GET) and \`pets add\` (POST), the words those of \`pets list\`. A POST that ends with
10 adds "the pet may have been added", or begins with "the pet was added, but the reply cannot be read", and its hint
is \`petstore pets list\`. The address of these runs was that of PETSTORE_BASE_URL; one that is kept is not spoken of.
`,
    sections.join('\n'),
  ].join('\n')
}

/** A Markdown table with aligned columns. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')))
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |\n`
  const [first = [], ...rest] = cells
  return [line(first), line(widths.map((width) => '-'.repeat(width))), ...rest.map(line)].join('')
}
