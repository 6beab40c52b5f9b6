import type { CommanderError } from '@commander-js/extra-typings'
import { closestMatch } from 'leven'
import { type DeclaredCommand, optionNotes } from '../commands/declare.ts'
import { Failure, type UnknownName } from '../failure.ts'
import { sharedOptions } from './subjects.ts'
import { childrenOf, lineageOf, namesOf } from './tree.ts'

/** The command line with the one word that was probably meant. */
export function respelled(
  error: CommanderError | Failure,
  command: DeclaredCommand,
  argv: readonly string[]
): readonly string[] | undefined {
  const unknown = error instanceof Failure ? error.unknownName : unknownIn(error, command)
  if (unknown === undefined) return undefined
  const { name, known, isValue } = unknown
  // What a hint saves or sends must have been typed.
  const mustBeSame = isValue && command.notes.changes !== undefined
  const meant = nearest(name, known, mustBeSame ? 0 : mostEdits(name))
  const index = argv.findIndex(word => word.split(/[=,]/).includes(name))
  const word = argv[index]
  if (meant === undefined || word === undefined) return undefined
  return argv.with(
    index,
    word.replace(name, () => meant)
  )
}

/** The word that commander does not know, and the words that it knows. */
function unknownIn({ code }: CommanderError, command: DeclaredCommand): UnknownName | undefined {
  const [first = ''] = command.args
  if (code === 'commander.unknownCommand')
    return { name: first, known: childrenOf(command).flatMap(namesOf) }
  if (code !== 'commander.unknownOption') return undefined
  const [program] = lineageOf(command)
  const options = [...command.options, ...sharedOptions(command, program)]
  const harmless = options.filter(each => !optionNotes(each).isDrastic)
  const typed = command.args.find(word => word.startsWith('-')) ?? ''
  return { name: typed.replace(/=.*/s, ''), known: harmless.flatMap(({ long }) => long ?? []) }
}

/** `!sold` and `unavailable` are close to their opposites. */
function mostEdits(name: string): number {
  const word = bare(name)
  return /^(?:[!^~]|un)/.test(word) ? 0 : Math.max(1, Math.floor(word.length / 3))
}

function nearest(typed: string, known: readonly string[], maxDistance: number) {
  const found = closestMatch(bare(typed), known.map(bare), { maxDistance })
  return known.find(name => bare(name) === found)
}

/** A word without what people type in another way: capitals, dashes. */
const bare = (word: string) => word.toLowerCase().replace(/^-+/, '')
