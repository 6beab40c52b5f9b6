import type { Option } from '@commander-js/extra-typings'
import type { AnyCommand } from '../commands/declare.ts'
import { type CommandLine, isRepeatable, readArgv } from './argv.ts'
import { effectiveOptions, fieldsOf } from './shared-options.ts'
import { helpTopics } from './topics.ts'
import { childrenOf, findCommand, isGroup, rootOf } from './tree.ts'

/**
 * Words that are possible at a position on the command line, each with a tab and its description,
 * if it has one, for shells that show it. No other word begins with a colon.
 */
type Candidates = readonly string[]

/** Asks the shell to complete the name of a file. */
const files = ':files'
const environments = ':environments'

/** The completions of the last word, one per line: the candidate, a tab and its description. */
export async function completionLines(
  program: AnyCommand,
  words: readonly string[],
  environmentNames: () => Promise<Candidates>
): Promise<Candidates> {
  const finished = words.slice(0, -1)
  const last = words.at(-1) ?? ''
  // Shells split `--env=lo` differently: only `lo` is completed.
  const [, flag, glued] = /^(--[^=]+)=(.*)$/s.exec(last) ?? []
  if (flag !== undefined) finished.push(flag)
  const current = glued ?? last
  const line = readArgv(program, finished)
  const option = unfinishedOption(line)
  let candidates: Candidates = []
  if (option !== undefined) candidates = valuesOf(option, line.command, current)
  else if (flag === undefined) candidates = candidatesAt(line, current)
  if (candidates.includes(files)) return [files]
  if (candidates.includes(environments)) candidates = await environmentNames()
  return candidates.filter(candidate => candidate.startsWith(current))
}

/** The option whose value comes next. */
function unfinishedOption({ argv, options }: CommandLine) {
  const last = options.at(-1)
  const isLastWord = last?.flag.index === argv.length - 1
  if (!isLastWord || last.value !== undefined) return undefined
  return last.option.required ? last.option : undefined
}

/** What can follow the finished words, apart from the value of an option. */
function candidatesAt(line: CommandLine, current: string) {
  const { command, operands, stray, isLiteral } = line
  if (stray !== undefined) return []
  const isOption = !isLiteral && current.startsWith('-')
  if (isOption) return optionsFor(line)
  if (isGroup(command)) return childCandidates(command)
  const typed = operands.map(({ text }) => text)
  const expected = operandCandidates(command, typed)
  if (expected !== undefined) return expected
  return isLiteral ? [] : optionsFor(line)
}

/** The options that have an effect here and can still be given, or given again. */
function optionsFor({ command, options }: CommandLine) {
  const typed = new Set(options.map(({ option }) => option))
  const possible = effectiveOptions(command).filter(option => {
    return !typed.has(option) || isRepeatable(option)
  })
  return possible.flatMap(({ short, long, description }) => {
    const flags = [short, long].filter(flag => flag !== undefined)
    return flags.map(flag => `${flag}\t${description}`)
  })
}

function childCandidates(command: AnyCommand) {
  return childrenOf(command).map(child => `${child.name()}\t${child.description()}`)
}

/** Undefined if no operand can follow. */
function operandCandidates(command: AnyCommand, typed: readonly string[]) {
  const { choicesAfter, takesCommand } = command.notes
  if (takesCommand !== undefined) {
    const named = findCommand(rootOf(command), typed)
    const isTopic = takesCommand === 'or topic' && typed.length === 0
    const commands = named === undefined ? [] : childCandidates(named)
    const pages = isTopic ? helpTopics() : []
    const others = pages.map(({ name, summary }) => `${name}\t${summary}`)
    return [...commands, ...others]
  }
  const argument = command.registeredArguments[typed.length]
  if (argument === undefined) return undefined
  const choices = argument.argChoices ?? choicesAfter?.(typed)
  return choices ?? byPlaceholder(argument.name())
}

function valuesOf({ flags, argChoices }: Option, command: AnyCommand, current: string) {
  const placeholder = /<(.*)>/.exec(flags)?.[1] ?? ''
  if (placeholder !== 'names') return argChoices ?? byPlaceholder(placeholder)
  // The list of fields that was typed, `id,na`, with each field that can end it.
  const finished = current.split(',').slice(0, -1)
  const remaining = fieldsOf(command).filter(field => !finished.includes(field))
  return remaining.map(field => [...finished, field].join(','))
}

/** The placeholder in the declaration decides: `--file <file>`, `<environment>`. */
function byPlaceholder(name: string) {
  if (name === 'file') return [files]
  return name === 'environment' ? [environments] : []
}
