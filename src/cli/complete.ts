import type { Option } from '@commander-js/extra-typings'
import type { DeclaredCommand } from '../commands/declare.ts'
import { sharedOptions } from './shared-options.ts'
import { helpTopics } from './topics.ts'
import { childrenOf, findCommand } from './tree.ts'

/** Asks the shell to complete the name of a file. */
const files = ':files'

/** The completions of the last word, one per line: the candidate, a tab and its description. */
export function completionLines(
  program: DeclaredCommand,
  words: readonly string[],
  environments: readonly string[]
): readonly string[] {
  const finished = words.slice(0, -1)
  // Shells split `--env=lo` differently: only `lo` is completed.
  const [, flag, glued] = /^(--[^=]+)=(.*)$/s.exec(words.at(-1) ?? '') ?? []
  if (flag !== undefined) finished.push(flag)
  const current = glued ?? words.at(-1) ?? ''

  let command = program
  let operands = 0
  let pending: Option | undefined
  for (const word of finished) {
    const option = pending ? undefined : optionNamed(command, program, word)
    const isValue = pending !== undefined
    pending = option?.required ? option : undefined
    if (isValue || option !== undefined) continue
    const child = findCommand(command, [word])
    if (child === undefined) operands += 1
    else command = child
  }
  const candidates = pending
    ? valuesOf(pending, command, environments, current)
    : candidatesAt(command, program, operands, environments, current)
  if (candidates.includes(files)) return [files]
  return candidates.filter(candidate => candidate.startsWith(current))
}

const optionsOf = (command: DeclaredCommand, program: DeclaredCommand) => [
  ...new Set([...command.options, ...sharedOptions(command, program)])
]

const optionNamed = (command: DeclaredCommand, program: DeclaredCommand, word: string) =>
  optionsOf(command, program).find(({ short, long }) => word === short || word === long)

function candidatesAt(
  command: DeclaredCommand,
  program: DeclaredCommand,
  operands: number,
  environments: readonly string[],
  current: string
): readonly string[] {
  if (current.startsWith('-'))
    return optionsOf(command, program).map(({ long, description }) => `${long}\t${description}`)
  const children = childrenOf(command.name() === 'help' ? program : command)
  const topics = command.name() === 'help' ? helpTopics() : []
  if (children.length > 0)
    return [
      ...children.map(child => `${child.name()}\t${child.description()}`),
      ...topics.map(({ name, summary }) => `${name}\t${summary}`)
    ]
  const argument = command.registeredArguments[operands]
  if (argument === undefined) return candidatesAt(command, program, 0, environments, '-')
  return argument.argChoices ?? byPlaceholder(argument.name(), environments)
}

function valuesOf(
  { flags, argChoices }: Option,
  { notes }: DeclaredCommand,
  environments: readonly string[],
  current: string
): readonly string[] {
  const placeholder = /<(.*)>/.exec(flags)?.[1] ?? ''
  if (placeholder !== 'names') return argChoices ?? byPlaceholder(placeholder, environments)
  // The list of fields that was typed, `id,na`, with each field that can end it.
  const finished = current.split(',').slice(0, -1)
  const remaining = notes.fields?.filter(field => !finished.includes(field)) ?? []
  return remaining.map(field => [...finished, field].join(','))
}

const byPlaceholder = (name: string, environments: readonly string[]) =>
  name === 'file' ? [files] : name === 'environment' ? environments : []
