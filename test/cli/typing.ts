import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ctrlC, runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

/** A home with URLs and keys for production and staging. */
function homeWithKeys(): string {
  const home = temporaryDirectory()
  const directory = join(home, '.config', 'petstore')
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const environment = (name: string) => {
    const origin = `https://${name}.example`
    return { baseUrl: `${origin}/v1`, apiKey: `key-of-${name}`, keyOrigins: [origin] }
  }
  const environments = { production: environment('production'), staging: environment('staging') }
  writeFileSync(join(directory, 'config.json'), JSON.stringify({ environments }), { mode: 0o600 })
  return home
}

const petAsJson = '{"name":"Rex","categoryId":2}'
const petsAsCsv = 'name,categoryId\nRex,2\n'

/** Runs in a directory with the files that the lines name. */
export async function inWork(work: () => Promise<void>): Promise<void> {
  const before = process.cwd()
  process.chdir(temporaryDirectory())
  writeFileSync('pet.json', petAsJson)
  writeFileSync('pets.json', `[${petAsJson}]`)
  writeFileSync('pets.csv', petsAsCsv)
  try {
    await work()
  } finally {
    process.chdir(before)
  }
}

/** Runs a line that was typed in a pipe. What runs until a signal gets one. */
export async function typed(line: string, env: Readonly<Record<string, string>> = {}) {
  const words = wordsOf(line)
  const steps = words.includes('--watch') ? { steps: [['"event"', ctrlC]] as const } : {}
  const run = await runCli(words, {
    home: homeWithKeys(),
    env: { PETSTORE_ENV: 'local', ...env },
    stdin: words.includes('import') ? petsAsCsv : petAsJson,
    ...steps
  })
  return { ...run, text: (run.stdout + run.stderr).replace(/\s+/g, ' ').trim() }
}

/** The error of a line that is refused, and its hint. */
export async function refusal(
  line: string,
  exitCode = 2
): Promise<{ message: string; hint: string }> {
  const { code, stdout, stderr } = await typed(line)
  if (code !== exitCode || stdout !== '') throw new Error(`'${line}' ends with ${code}: ${stdout}`)
  return JSON.parse(stderr).error
}

/** Splits a line as a shell that knows only single quotes and backslashes. */
export function wordsOf(line: string): string[] {
  const words = line.match(/(?:'[^']*'|\\.|[^\s'\\])+/g) ?? []
  return words.map(word => word.replace(/'([^']*)'|\\(.)/g, '$1$2'))
}

/** The rows of a table in a test: a line that is typed, and what is expected. */
export function rowsOf(table: string): [typed: string, expected: string][] {
  const lines = table.split('\n').filter(line => line !== '')
  return lines.map(line => {
    const [typed = '', expected = ''] = line.split(/ => ?/)
    return [typed, expected]
  })
}
