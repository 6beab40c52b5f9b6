import type { Argument, Option } from '@commander-js/extra-typings'
import type { DeclaredCommand } from '../commands/declare.ts'
import { optionsOf } from './subjects.ts'
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
  const finished = words.flatMap(word => {
    return word.startsWith('--') ? word.split('=') : word
  })
  const current = finished.pop() ?? ''
  const { command, operands, pending } = placeAfter(finished, program)
  const isOption = current.startsWith('-')
  const argument = isOption ? undefined : command.registeredArguments[operands]
  const value = pending ?? argument
  const isName = !isOption && operands === 0 && command.commands.length > 0
  const names = isName ? namesAfter(finished, command) : optionsOf(command).map(described)
  const candidates = value ? valuesOf(value, environments) : names
  if (candidates.includes(files)) return [files]
  return candidates.filter(candidate => candidate.startsWith(current))
}

const described = ({ long, description }: Option) => `${long}\t${description}`

/** The command that the words name, its arguments so far, and the option that waits for a value. */
function placeAfter(words: readonly string[], program: DeclaredCommand) {
  let command = program
  let operands = 0
  let pending: Option | undefined
  for (const word of words) {
    const isValue = pending !== undefined
    const option = optionsOf(command).find(({ short, long }) => {
      return !isValue && [short, long].includes(word)
    })
    pending = option?.required ? option : undefined
    if (isValue || option !== undefined) continue
    const child = findCommand(command, [word])
    if (child === undefined) operands += 1
    // Names of other commands follow these.
    else if (!['help', 'commands'].includes(word)) command = child
  }
  return { command, operands, pending }
}

function namesAfter(words: readonly string[], command: DeclaredCommand): string[] {
  const names = childrenOf(command).map(child => {
    return `${child.name()}\t${child.summary()}`
  })
  const topics = words.at(-1) === 'help' ? topicNames : []
  return [...names, ...topics]
}

/** An option names its value in its flags, such as `--env <environment>`. */
function valuesOf(declared: Option | Argument, environments: readonly string[]): readonly string[] {
  const { argChoices } = declared
  if (argChoices !== undefined) return argChoices
  const name = 'flags' in declared ? declared.flags : declared.name()
  if (name.includes('file')) return [files]
  return name.includes('environment') ? environments : []
}
