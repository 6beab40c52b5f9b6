import type { Argument, Option } from '@commander-js/extra-typings'
import type { DeclaredCommand } from '../commands/declare.ts'
import { sharedOptions } from './subjects.ts'
import { topicNames } from './topics.ts'
import { childrenOf, findCommand } from './tree.ts'

/** Asks the shell to complete the name of a file. */
const files = ':files'

/** The completions of the last word, one per line: the candidate, a tab and its description. */
export function completionLines(
  program: DeclaredCommand,
  words: readonly string[],
  environments: readonly string[]
): readonly string[] {
  // Shells split `--env=lo` differently: only `lo` is completed.
  const finished = words.flatMap(word => (/^--[^=]+=/.test(word) ? word.split('=', 2) : word))
  const current = finished.pop() ?? ''
  const { command, operands, pending } = placeAfter(finished, program)
  const isOption = current.startsWith('-')
  const value = pending ?? (isOption ? undefined : command.registeredArguments[operands])
  const names = isOption || operands > 0 ? [] : namesIn(command, finished)
  const isDone = isOption || (names.length === 0 && command.commands.length === 0)
  const options = isDone ? optionsOf(command, program).map(described) : []
  const candidates = value ? valuesOf(value, environments) : [...names, ...options]
  if (candidates.includes(files)) return [files]
  return candidates.filter(candidate => candidate.startsWith(current))
}

/** The command that the words name, its arguments so far, and the option that waits for a value. */
function placeAfter(words: readonly string[], program: DeclaredCommand) {
  let command = program
  let operands = 0
  let pending: Option | undefined
  for (const word of words) {
    const isValue = pending !== undefined
    const options = isValue ? [] : optionsOf(command, program)
    const option = options.find(({ short, long }) => word === short || word === long)
    pending = option?.required ? option : undefined
    if (isValue || option !== undefined) continue
    const child = findCommand(command, [word])
    if (child === undefined) operands += 1
    // Names of other commands follow these.
    else if (!['help', 'commands'].includes(word)) command = child
  }
  return { command, operands, pending }
}

function optionsOf(command: DeclaredCommand, program: DeclaredCommand): readonly Option[] {
  if (command === program) return program.options
  return [...command.options, ...sharedOptions(command, program)]
}

function namesIn(command: DeclaredCommand, words: readonly string[]): string[] {
  const names = childrenOf(command).map(child => `${child.name()}\t${child.summary()}`)
  return words.at(-1) === 'help' ? [...names, ...topicNames] : names
}

function described({ long, description }: Option): string {
  return `${long}\t${description}`
}

/** An option names its value in its flags, such as `--env <environment>`. */
function valuesOf(declared: Option | Argument, environments: readonly string[]): readonly string[] {
  const { argChoices } = declared
  const name = 'flags' in declared ? declared.flags : declared.name()
  if (argChoices !== undefined) return argChoices
  if (name.includes('file')) return [files]
  return name.includes('environment') ? environments : []
}
