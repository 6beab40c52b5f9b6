import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { waysToStart } from '../../src/cli/help.ts'
import { buildProgram } from '../../src/cli/program.ts'
import { topics } from '../../src/cli/topics.ts'
import { commandName, walkTree } from '../../src/cli/tree.ts'
import { type AnyCommand, notesOf } from '../../src/commands/declare.ts'

export interface Script {
  readonly source: string
  readonly text: string
}

/** Every command line in the help, without duplicates. */
export function examplesOfHelp(): Script[] {
  const program: AnyCommand = buildProgram('0.0.0')
  const found = [
    ...walkTree(program).flatMap((command) =>
      notesOf(command).examples.map(([text]) => ({
        source: `help ${commandName(command)}`.trim(),
        text,
      })),
    ),
    ...topics.flatMap(({ name, page }) =>
      commandsOnPage(page).map(([text]) => ({ source: `help ${name}`, text })),
    ),
    ...waysToStart.map(([text]) => ({ source: 'petstore', text })),
  ]
  return [...new Map(found.map((script) => [script.text, script])).values()]
}

/** The commands on a page of help, each below a comment that says what it does. */
export const commandsOnPage = (page: string): [text: string, about: string][] =>
  [...page.matchAll(/^ {2}# (.*)\n {2}(.*)$/gm)].map(([, about = '', text = '']) => [text, about])

/**
 * The shell blocks of a page, without npm commands, which the test of the package covers. A block
 * is one script. If one of its lines runs until it is stopped, each line is a script.
 */
export function examplesOfPage(path: string): Script[] {
  const page = readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8')
  return [...page.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = '']) => {
    const lines = block
      .replace(/^npm .*$/gm, '')
      .trim()
      .split(/(?<!\\)\n/)
    const source = `${path}: ${lines[0]}`
    if (lines.join('') === '') return []
    return lines.some(runsUntilStopped)
      ? lines.map((text) => ({ source, text }))
      : [{ source, text: lines.join('\n') }]
  })
}

export const runsUntilStopped = (line: string) =>
  /^(\w+=\S+ )*petstore (.* )?(serve|--watch)\b/.test(line) && !/&\s*$/.test(line)

/**
 * The words of each command, if none needs a shell. A redirection is dropped: standard input is the
 * key anyway.
 */
export function plainCommands(script: string): string[][] | undefined {
  const lines = script
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .map((line) => line.replace(/ (> \S+|< key\.txt)$/, ''))
  if (!lines.every((line) => /^petstore( ([\w./:=,@%+-]+|'[^']*'|"[^"$`\\]*"))*$/.test(line)))
    return undefined
  return lines.map((line) =>
    [...line.matchAll(/ (?:'([^']*)'|"([^"]*)"|(\S+))/g)].map(
      ([, single, double, bare]) => single ?? double ?? bare ?? '',
    ),
  )
}
