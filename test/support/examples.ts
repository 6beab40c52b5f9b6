import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { program } from '../../src/cli/program.ts'
import { topics } from '../../src/cli/topics.ts'
import { commandName, walkTree } from '../../src/cli/tree.ts'
import { examplesIn } from '../../src/commands/declare.ts'

export interface Script {
  readonly source: string
  readonly text: string
}

/** Every command line in the help, without duplicates. */
export function examplesOfHelp(): Script[] {
  const ofCommands = walkTree(program).flatMap(command => {
    const source = `help ${commandName(command)}`
    return examplesIn(command).map(([text]) => ({ source, text }))
  })
  const ofTopics = [...topics].flatMap(([name, page]) => {
    const commands = page.matchAll(/^ {2}# .*\n {2}(.*)$/gm)
    return [...commands].map(([, text = '']) => ({ source: `help ${name}`, text }))
  })
  const found = [...ofCommands, ...ofTopics]
  return [...new Map(found.map(script => [script.text, script])).values()]
}

/** The scripts of a page. */
export const scriptsOfPage = (path: string): Script[] =>
  fencedBlocks(path, 'bash').map(text => scriptOf(path, text))

/**
 * The blocks of commands that people paste. If a line of a block runs until it is stopped, each line
 * is a block. Without npm itself, which the test of the package covers.
 */
export function blocksOfPage(path: string): Script[] {
  return fencedBlocks(path, 'sh')
    .map(block => block.replaceAll('npm ci && npx petstore', 'petstore').replace(/^npm .*$/gm, ''))
    .flatMap(block => {
      const lines = linesOfBlock(block)
      return lines.some(runsUntilStopped) ? lines : [lines.join('\n')]
    })
    .filter(text => text !== '')
    .map(text => scriptOf(path, text))
}

/** A command a line, unless a backslash continues it. */
export const linesOfBlock = (block: string): string[] =>
  block.split(/(?<!\\)\n/).filter(line => line !== '')

const scriptOf = (path: string, text: string): Script => ({
  source: `${path}: ${text.split('\n')[0]}`,
  text
})

function fencedBlocks(path: string, language: 'bash' | 'sh'): string[] {
  const page = readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8')
  const fenced = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms')
  return [...page.matchAll(fenced)].map(([, block = '']) => block.trim())
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
