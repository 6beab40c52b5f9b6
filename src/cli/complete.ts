import type { Option } from '@commander-js/extra-typings'
import { type AnyCommand, notesOf } from '../commands/declare.ts'
import { type CommandLine, findOption, isRepeatable, readArgv } from './argv.ts'
import { effectiveOptions, fieldsOf, sharedOptions } from './shared-options.ts'
import { topics } from './topics.ts'
import { childrenOf, findCommand, isGroup, rootOf } from './tree.ts'

/**
 * What is possible at a position on the command line: words, each with a tab and its description,
 * if it has one, for shells that show it.
 */
type Expected = 'files' | 'environments' | readonly string[]

/** Asks the shell to complete the name of a file. No candidate begins with a colon. */
const filesLine = ':files'

/** The completions of the last word, one per line: the candidate, a tab and its description. */
export async function completionLines(
  program: AnyCommand,
  words: readonly string[],
  environmentNames: () => Promise<readonly string[]>,
): Promise<string[]> {
  const line = readArgv(program, words.slice(0, -1))
  const current = words.at(-1) ?? ''
  const { expected, prefix } = completionOf(line, current, words.length - 1)
  if (expected === 'files') return [filesLine]
  const candidates = expected === 'environments' ? await environmentNames() : expected
  return candidates.filter((candidate) => candidate.startsWith(prefix))
}

function described(word: string, description: string): string {
  return `${word}\t${description}`
}

interface Completion {
  readonly expected: Expected
  /** The part of the word that is completed. */
  readonly prefix: string
}

function completionOf(line: CommandLine, current: string, index: number): Completion {
  const { command } = line
  const unfinished = unfinishedOption(line, index)
  if (unfinished !== undefined) {
    const expected = expectedValue(command, unfinished, current)
    return { expected, prefix: current }
  }
  const isWord = line.isLiteral || !current.startsWith('-')
  if (isWord) return { expected: expectedAt(line), prefix: current }
  const [, flag, glued] = /^(--[^=]+)=(.*)$/s.exec(current) ?? []
  if (flag === undefined || glued === undefined) {
    const expected = line.stray === undefined ? optionsFor(line) : []
    return { expected, prefix: current }
  }
  // Shells split `--env=lo` differently: only `lo` is completed.
  const option = findOption(command, flag)
  const takesValue = option?.required === true
  const expected = takesValue ? expectedValue(command, option, glued) : []
  return { expected, prefix: glued }
}

/** The option whose value is the word at this index. */
function unfinishedOption({ options }: CommandLine, index: number): Option | undefined {
  const last = options.at(-1)
  const isBefore = last?.flag.index === index - 1
  if (!isBefore || last.value !== undefined) return undefined
  return last.option.required ? last.option : undefined
}

/** What can follow the finished words, apart from the value of an option. */
function expectedAt(line: CommandLine): Expected {
  const { command, operands, stray } = line
  if (stray !== undefined) return []
  if (isGroup(command)) return childCandidates(command)
  const words = operands.map(({ text }) => text)
  const expected = operandCandidates(command, words)
  if (expected !== undefined) return expected
  return line.isLiteral ? [] : optionsFor(line)
}

/** The options that have an effect here and can still be given, or given again. */
function optionsFor({ command, options }: CommandLine): string[] {
  const known = isGroup(command) ? sharedOptions(rootOf(command)) : effectiveOptions(command)
  const typed = new Set(options.map(({ option }) => option))
  const possible = known.filter((option) => !typed.has(option) || isRepeatable(option))
  return possible.flatMap(({ short, long, description }) => {
    const flags = [short, long].filter((flag) => flag !== undefined)
    return flags.map((flag) => described(flag, description))
  })
}

function childCandidates(command: AnyCommand): string[] {
  return childrenOf(command).map((child) => described(child.name(), child.description()))
}

/** Undefined if no operand can follow. */
function operandCandidates(command: AnyCommand, operands: readonly string[]): Expected | undefined {
  const { choicesAfter, takesCommand } = notesOf(command)
  if (takesCommand !== undefined) {
    const program = rootOf(command)
    const hasTopics = takesCommand === 'or topic'
    return commandCandidates(program, operands, hasTopics)
  }
  const argument = command.registeredArguments[operands.length]
  if (argument === undefined) return undefined
  const choices = argument.argChoices ?? choicesAfter?.(operands)
  return choices ?? expectedByName(argument.name())
}

/** The words of a command, or a topic. */
function commandCandidates(
  program: AnyCommand,
  words: readonly string[],
  hasTopics: boolean,
): string[] | undefined {
  const command = findCommand(program, words)
  if (command === undefined) return []
  const isFirst = words.length === 0
  if (!isGroup(command)) return undefined
  const children = childCandidates(command)
  if (!hasTopics || !isFirst) return children
  const named = topics.map(({ name, summary }) => described(name, summary))
  return [...children, ...named]
}

function expectedValue(command: AnyCommand, option: Option, prefix: string): Expected {
  const { flags, argChoices } = option
  if (argChoices !== undefined) return argChoices
  const placeholder = /<(.*)>/.exec(flags)?.[1] ?? ''
  const isFields = placeholder === 'names'
  return isFields ? fieldLists(command, prefix) : expectedByName(placeholder)
}

/** The list of fields that was typed, `id,na`, with each field that can end it. */
function fieldLists(command: AnyCommand, prefix: string): string[] {
  const finished = prefix.split(',').slice(0, -1)
  const remaining = fieldsOf(command).filter((field) => !finished.includes(field))
  return remaining.map((field) => [...finished, field].join(','))
}

/** The placeholder in the declaration decides: `--file <file>`, `<environment>`. */
function expectedByName(name: string): Expected {
  if (name === 'file') return 'files'
  return name === 'environment' ? 'environments' : []
}
