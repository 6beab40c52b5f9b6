import type { Option } from '@commander-js/extra-typings'
import type { AnyCommand } from '../../commands/declare.ts'
import { ownOptions, pathBelow, rootOf, sharedOptions } from '../help.ts'
import { topics } from '../topics/index.ts'
import { childrenOf, findCommand, walkTree } from '../tree.ts'

/** What can stand in a place: a word of a list, a file, an environment's name, or text that nobody can know. */
export type Wanted =
  | { readonly kind: 'choices'; readonly choices: readonly string[] }
  | { readonly kind: 'files' | 'environments' | 'text' }

interface Word {
  readonly name: string
  readonly description: string
}

interface CompletedOption {
  /** `-e` and `--env`. */
  readonly flags: readonly string[]
  readonly description: string
  /** The value behind it; undefined where it takes none. */
  readonly wanted: Wanted | undefined
}

/** A place in the tree, by the words that lead to it, and what can follow there. */
export interface Place {
  readonly path: string
  readonly words: readonly Word[]
  readonly options: readonly CompletedOption[]
  /** By position. */
  readonly arguments: readonly Wanted[]
}

export function placesOf(program: AnyCommand): readonly Place[] {
  const help = findCommand(program, ['help'])
  const outsideOfHelp = walkTree(program).filter((command) => command !== help)
  return [...outsideOfHelp.map(placeOf), ...(help === undefined ? [] : placesBelowHelp(help, outsideOfHelp))]
}

function placeOf(command: AnyCommand): Place {
  const isGroup = command.commands.length > 0
  // Behind a noun any verb may come, and each of them takes some of the options of every command.
  const shared = isGroup ? sharedOptions(rootOf(command)) : [...ownOptions(command), ...sharedOptions(command)]
  return {
    path: pathBelow(command),
    words: wordsBelow(command),
    options: shared.map(completedOption),
    arguments: command.registeredArguments.map((argument) => wantedFor(argument.name(), argument.argChoices)),
  }
}

/** `petstore help` takes the words of all commands, and topics. */
function placesBelowHelp(help: AnyCommand, commands: readonly AnyCommand[]): Place[] {
  const { path, options } = placeOf(help)
  return commands.map((command) => ({
    path: `${path} ${pathBelow(command)}`.trimEnd(),
    words: command.parent === null ? [...wordsBelow(command), ...topicWords] : wordsBelow(command),
    options,
    arguments: [],
  }))
}

const topicWords: readonly Word[] = topics.map(({ name, summary }) => ({ name, description: summary }))

const wordsBelow = (command: AnyCommand): Word[] =>
  childrenOf(command).map((child) => ({ name: child.name(), description: child.summary() }))

function completedOption(option: Option): CompletedOption {
  const { short, long, description, required } = option
  const flags = [short, long].filter((flag) => flag !== undefined)
  return { flags, description, wanted: required ? wantedFor(valueName(option), option.argChoices) : undefined }
}

/** Declarations name what they want: `--file <file>`, `<environment>`. */
function wantedFor(name: string, choices: readonly string[] | undefined): Wanted {
  if (choices !== undefined) return { kind: 'choices', choices }
  if (name === 'file') return { kind: 'files' }
  return { kind: name === 'environment' ? 'environments' : 'text' }
}

const valueName = ({ flags }: Option) => /<(.*)>/.exec(flags)?.[1] ?? ''
