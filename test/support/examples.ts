import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { program } from '../../src/cli/program.ts'
import { topics } from '../../src/cli/topics.ts'
import { walkTree } from '../../src/cli/tree.ts'
import { examplesIn } from '../../src/commands/declare.ts'

/** Every command line in the help. */
export function examplesOfHelp(): string[] {
  const ofCommands = walkTree(program).flatMap(command => examplesIn(command).map(([text]) => text))
  const ofTopics = [...topics.values()].flatMap(page =>
    [...page.matchAll(/^ {2}# .*\n {2}(.*)$/gm)].map(([, text = '']) => text)
  )
  return [...ofCommands, ...ofTopics]
}

/** The blocks of a page: `sh` is pasted, `bash` is a script. Without npm itself. */
export function blocksOfPage(path: string, language: 'bash' | 'sh'): string[] {
  const page = readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8')
  const fenced = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms')
  return [...page.matchAll(fenced)]
    .map(([, block = '']) => block.replaceAll('npm ci && npx petstore', 'petstore'))
    .map(block => block.replaceAll(/^npm .*\n/gm, '').trim())
    .filter(block => block !== '')
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
    .filter(line => !line.startsWith('#'))
    .map(line => line.replace(/ (> \S+|< key\.txt)$/, ''))
  if (!lines.every(line => /^petstore( ([\w./:=,@%+-]+|'[^']*'|"[^"$`\\]*"))*$/.test(line)))
    return undefined
  return lines.map(line =>
    [...line.matchAll(/ (?:'([^']*)'|"([^"]*)"|(\S+))/g)].map(
      ([, single, double, bare]) => single ?? double ?? bare ?? ''
    )
  )
}
