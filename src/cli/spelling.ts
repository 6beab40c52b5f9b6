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
  const { name = '', known = [], isValue } = unknown ?? {}
  // What a hint saves or sends must have been typed.
  const mustBeSame = isValue && command.notes.changes !== undefined
  const meant = nearest(name, known, mustBeSame ? 0 : mostEdits(name))
  const index = argv.findIndex(word => word.split(/[=,]/).includes(name))
  const word = argv[index]
  if (meant === undefined || word === undefined) return undefined
  const corrected = word.replace(name, () => meant)
  return argv.with(index, corrected)
}

/** The word that commander does not know, and the words that it knows. */
function unknownIn({ code }: CommanderError, command: DeclaredCommand): UnknownName | undefined {
  const { args, options } = command
  if (code === 'commander.unknownCommand') {
    const known = childrenOf(command).flatMap(namesOf)
    return { name: args[0] ?? '', known }
  }
  if (code !== 'commander.unknownOption') return undefined
  const [program] = lineageOf(command)
  const all = [...options, ...sharedOptions(command, program)]
  const harmless = all.filter(each => !optionNotes(each).isDrastic)
  const known = harmless.flatMap(({ long }) => long ?? [])
  const typed = args.find(word => word.startsWith('-')) ?? ''
  return { name: typed.replace(/=.*/s, ''), known }
}

/** `!sold` and `unavailable` are close to their opposites. */
function mostEdits(name: string): number {
  const word = bare(name)
  if (/^([!^~]|un)/.test(word)) return 0
  return Math.max(1, Math.floor(word.length / 3))
}

function nearest(typed: string, known: readonly string[], maxDistance: number) {
  const candidates = known.map(bare)
  const found = closestMatch(bare(typed), candidates, { maxDistance })
  return found === undefined ? undefined : known[candidates.indexOf(found)]
}

/** A word without what people type in another way: capitals, dashes. */
function bare(word: string): string {
  return word.toLowerCase().replace(/^-+/, '')
}
