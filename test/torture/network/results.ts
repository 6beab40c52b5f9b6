import { afterAll } from 'vitest'

/** How one run of the program ended. */
interface Result {
  readonly name: string
  readonly command: string
  readonly code: number | null
  readonly message: string | undefined
  /** The result of the check of the database. */
  readonly inDatabase: string
}

export interface ResultTable {
  add(result: Result): void
}

/** Collects the results of a test file, and prints them as a table after its last test. */
export function createResultTable(title: string): ResultTable {
  const lines = [
    ['case', 'command', 'exit code', 'message', 'in the database'],
    ['---', '---', '--:', '---', '---'],
  ]
  afterAll(() => {
    console.log([`### ${title}`, '', ...lines.map((line) => `| ${line.join(' | ')} |`), ''].join('\n'))
  })
  return {
    add: ({ name, command, code, message = '', inDatabase }) => {
      const cells = [name, command, String(code), withoutVariables(message), inDatabase]
      lines.push(cells.map((cell) => cell.replace(/\s+/g, ' ').replaceAll('|', '\\|')))
    },
  }
}

/** Replaces the parts that differ between runs. */
function withoutVariables(message: string): string {
  return message
    .replace(/(?<=127\.0\.0\.1:|\.example:|localhost:)\d+/g, 'PORT')
    .replace(/\/tmp\/petstore-[\w-]+/g, 'DIRECTORY')
}
