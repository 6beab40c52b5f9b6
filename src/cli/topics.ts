import { endings } from '../failure.ts'

/** A page of help that belongs to no single command. */
interface Topic {
  readonly name: string
  readonly summary: string
  readonly text: () => string
}

export const topics: readonly Topic[] = [{ name: 'exit-codes', summary: 'how a run can end', text: exitCodes }]

function exitCodes(): string {
  const rows = endings.map(({ code, name, meaning }) => `  ${String(code).padEnd(5)}${name.padEnd(14)}${meaning}`)
  return ['Exit codes', '', ...rows].join('\n')
}
