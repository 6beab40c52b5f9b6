import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { program } from '../../src/cli/program.ts'
import { findCommand } from '../../src/cli/tree.ts'
import { oneOf } from '../../src/settings/value-types.ts'
import { ctrlC, runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

/** The commands of the group, as a message lists them. */
export const petVerbs = oneOf(
  findCommand(program, ['pets'])?.commands.map(verb => verb.name()) ?? []
)

const env = { PETSTORE_ENV: 'local', PETSTORE_OUTPUT: 'csv' }

/** A home with URLs and keys for production and staging. */
export function homeForGuesses(): string {
  const home = temporaryDirectory()
  const directory = join(home, '.config', 'petstore')
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const environment = (name: string) => {
    const origin = `https://${name}.example`
    return { baseUrl: `${origin}/v1`, apiKey: `key-of-${name}`, keyOrigins: [origin] }
  }
  const environments = {
    production: environment('production'),
    staging: environment('staging')
  }
  writeFileSync(join(directory, 'config.json'), JSON.stringify({ environments }), { mode: 0o600 })
  return home
}

/** Runs in a directory with the files that the guesses name. */
export async function inWork(work: () => Promise<void>): Promise<void> {
  const before = process.cwd()
  process.chdir(temporaryDirectory())
  writeFileSync('pet.json', '{"name":"Rex","categoryId":2}')
  writeFileSync('pets.csv', 'name,categoryId\nRex,2\n')
  try {
    await work()
  } finally {
    process.chdir(before)
  }
}

/** The lines of the answer to a line that was typed. */
export async function answerTo(line: string, home: string): Promise<string[]> {
  const { stdout, stderr } = await runCli(wordsOf(line), { home, env })
  if (stdout !== '') throw new Error(`'${line}' printed ${stdout}`)
  return stderr.trimEnd().split('\n')
}

/** What a hint does: its exit code and what it prints, without spaces. Pages are not run. */
export async function doing(answer: readonly string[], home: string): Promise<string | undefined> {
  const last = answer.at(-1) ?? ''
  const hint = last.startsWith('{') ? JSON.parse(last).error.hint : /^hint: (.*)$/.exec(last)?.[1]
  const [, ...words] = wordsOf(hint ?? '')
  if (words.length === 0 || words.includes('--help') || words[0] === 'serve') return undefined
  const isElsewhere = words.some((word, index) => words[index - 1] === '--env' && word !== 'local')
  const argv = isElsewhere ? [...words, '--dry-run'] : words
  const steps = words.includes('--watch') ? { steps: [['"event"', ctrlC]] as const } : {}
  const { code, stdout, stderr } = await runCli(argv, {
    home,
    env: { PETSTORE_ENV: 'local', NO_COLOR: '1' },
    // Confirmations are for people.
    terminal: { stderr: true },
    ...steps
  })
  return `${code} ${(stdout + stderr).replace(/\s+/g, ' ')}`
}

/** Splits a line as a shell that supports only single quotes and backslashes. */
export function wordsOf(line: string): string[] {
  const words = line.match(/(?:'[^']*'|\\.|[^\s'\\])+/g) ?? []
  return words.map(word => word.replace(/'([^']*)'|\\(.)/g, '$1$2'))
}
