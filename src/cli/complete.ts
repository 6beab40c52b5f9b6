import type { Option } from '@commander-js/extra-typings'
import type { DeclaredCommand } from '../commands/declare.ts'
import { sharedOptions } from './subjects.ts'
import { topicNames } from './topics.ts'
import { childrenOf, findCommand } from './tree.ts'

/** Asks the shell to complete the name of a file. */
const files = ':files'

/** Where the word stands that is completed. */
interface Place {
  readonly program: DeclaredCommand
  readonly environments: readonly string[]
  readonly command: DeclaredCommand
  /** How many arguments the command has already. */
  readonly operands: number
  /** The option whose value is completed. */
  readonly pending: Option | undefined
  /** After `--` there are no options. */
  readonly isAfterOptions: boolean
  readonly current: string
}

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
  const place = { ...placeAfter(finished, program), program, environments, current }
  const candidates = place.pending ? valuesOf(place.pending, place) : candidatesAt(place)
  if (candidates.includes(files)) return [files]
  return candidates.filter(candidate => candidate.startsWith(current))
}

function placeAfter(finished: readonly string[], program: DeclaredCommand) {
  let command = program
  let operands = 0
  let pending: Option | undefined
  for (const word of finished) {
    const isValue = pending !== undefined
    const option = isValue ? undefined : optionNamed(word, command, program)
    pending = option?.required ? option : undefined
    if (isValue || option !== undefined) continue
    const child = findCommand(command, [word])
    if (child === undefined) operands += 1
    else command = child
  }
  return { command, operands, pending, isAfterOptions: finished.includes('--') }
}

function optionsOf(command: DeclaredCommand, program: DeclaredCommand): Option[] {
  return [...new Set([...command.options, ...sharedOptions(command, program)])]
}

function optionNamed(word: string, command: DeclaredCommand, program: DeclaredCommand) {
  const options = optionsOf(command, program)
  return options.find(({ short, long }) => word === short || word === long)
}

function candidatesAt(place: Place): readonly string[] {
  const { program, command, operands, current, isAfterOptions } = place
  const takesCommands = ['help', 'commands'].includes(command.name())
  const children = childrenOf(takesCommands ? program : command)
  const argument = command.registeredArguments[operands]
  if (current.startsWith('-') || (children.length === 0 && argument === undefined)) {
    const options = isAfterOptions ? [] : optionsOf(command, program)
    return options.map(({ long, description }) => `${long}\t${description}`)
  }
  if (children.length === 0)
    return argument?.argChoices ?? byPlaceholder(argument?.name() ?? '', place)
  const topics = command.name() === 'help' ? topicNames : []
  return [...children.map(child => `${child.name()}\t${child.summary()}`), ...topics]
}

function valuesOf({ flags, argChoices }: Option, place: Place): readonly string[] {
  const { command, current } = place
  const placeholder = /<(.*)>/.exec(flags)?.[1] ?? ''
  if (placeholder !== 'names') return argChoices ?? byPlaceholder(placeholder, place)
  // The list of fields that was typed, `id,na`, with each field that can end it.
  const finished = current.split(',').slice(0, -1)
  const remaining = command.notes.fields?.filter(field => !finished.includes(field)) ?? []
  return remaining.map(field => [...finished, field].join(','))
}

function byPlaceholder(name: string, { environments }: Place): readonly string[] {
  if (name === 'file') return [files]
  return name === 'environment' ? environments : []
}
