import type { Option } from '@commander-js/extra-typings'
import type { AnyCommand } from '../commands/declare.ts'
import { type CommandLine, isRepeatable, readArgv } from './argv.ts'
import { effectiveOptions, fieldsOf } from './shared-options.ts'
import { topics } from './topics.ts'
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
  environmentNames: () => Promise<Candidates>,
): Promise<Candidates> {
  const finished = words.slice(0, -1)
  const last = words.at(-1) ?? ''
  // Shells split `--env=lo` differently: only `lo` is completed.
  const [, flag, glued] = /^(--[^=]+)=(.*)$/s.exec(last) ?? []
  if (flag !== undefined) finished.push(flag)
  const current = glued ?? last
  const line = readArgv(program, finished)
  const option = unfinishedOption(line)
  const wordsHere = flag === undefined ? candidatesAt(line, current) : []
  const candidates = option === undefined ? wordsHere : valuesOf(option, line.command, current)
  if (candidates.includes(files)) return [files]
  const possible = candidates.includes(environments) ? await environmentNames() : candidates
  return possible.filter((candidate) => candidate.startsWith(current))
}

/** The option whose value comes next. */
function unfinishedOption({ argv, options }: CommandLine): Option | undefined {
  const last = options.at(-1)
  const isLastWord = last?.flag.index === argv.length - 1
  return isLastWord && last.option.required && !last.value ? last.option : undefined
}

/** What can follow the finished words, apart from the value of an option. */
function candidatesAt(line: CommandLine, current: string): Candidates {
  const { command, operands, stray, isLiteral } = line
  if (stray !== undefined) return []
  const isOption = !isLiteral && current.startsWith('-')
  if (isOption) return optionsFor(line)
  if (isGroup(command)) return childCandidates(command)
  const typed = operands.map(({ text }) => text)
  return operandCandidates(command, typed) ?? (isLiteral ? [] : optionsFor(line))
}

/** The options that have an effect here and can still be given, or given again. */
function optionsFor({ command, options }: CommandLine): Candidates {
  const typed = new Set(options.map(({ option }) => option))
  const possible = effectiveOptions(command).filter((option) => {
    return !typed.has(option) || isRepeatable(option)
  })
  return possible.flatMap(({ short, long, description }) => {
    const flags = [short, long].filter((flag) => flag !== undefined)
    return flags.map((flag) => `${flag}\t${description}`)
  })
}

function childCandidates(command: AnyCommand): Candidates {
  return childrenOf(command).map((child) => `${child.name()}\t${child.description()}`)
}

/** Undefined if no operand can follow. */
function operandCandidates(command: AnyCommand, typed: readonly string[]): Candidates | undefined {
  const { choicesAfter, takesCommand } = command.notes
  if (takesCommand !== undefined) {
    const named = findCommand(rootOf(command), typed)
    if (named === undefined) return []
    if (!isGroup(named)) return undefined
    const hasTopics = takesCommand === 'or topic' && typed.length === 0
    const listed = hasTopics ? topics.map(({ name, summary }) => `${name}\t${summary}`) : []
    return [...childCandidates(named), ...listed]
  }
  const argument = command.registeredArguments[typed.length]
  if (argument === undefined) return undefined
  return argument.argChoices ?? choicesAfter?.(typed) ?? byPlaceholder(argument.name())
}

function valuesOf({ flags, argChoices }: Option, command: AnyCommand, current: string): Candidates {
  const placeholder = /<(.*)>/.exec(flags)?.[1] ?? ''
  const isFields = placeholder === 'names'
  if (isFields) return fieldLists(command, current)
  return argChoices ?? byPlaceholder(placeholder)
}

/** The list of fields that was typed, `id,na`, with each field that can end it. */
function fieldLists(command: AnyCommand, current: string): Candidates {
  const finished = current.split(',').slice(0, -1)
  const remaining = fieldsOf(command).filter((field) => !finished.includes(field))
  return remaining.map((field) => [...finished, field].join(','))
}

/** The placeholder in the declaration decides: `--file <file>`, `<environment>`. */
function byPlaceholder(name: string): Candidates {
  if (name === 'file') return [files]
  return name === 'environment' ? [environments] : []
}
