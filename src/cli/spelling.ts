import { closestMatch } from 'leven'
import type { DeclaredCommand } from '../commands/declare.ts'
import { Failure, type UnknownName } from '../failure.ts'
import type { ReadLine } from './read-line.ts'
import { sharedOptions } from './subjects.ts'
import { childrenOf, isDrastic, namesOf } from './tree.ts'

/** The command line with the one word that was probably meant. */
export function respelled(line: ReadLine): readonly string[] | undefined {
  const { error, command, argv, isUnread } = line
  const unknown = error instanceof Failure ? error.unknownName : unknownIn(error?.code, command)
  const { name = '', known = [], isValue = false } = unknown ?? {}
  const { changes } = command.notes
  // What a hint saves or sends must have been typed, and so must the environment that it goes to.
  const isSent = changes === 'service' && !isUnread
  const isSaved = changes !== undefined && isValue
  const find = isSent || isSaved ? same : nearest
  const meant = find(name, known)
  const index = argv.findIndex(word => {
    return word.split(/[=,]/).includes(name)
  })
  if (meant === undefined || index === -1) return undefined
  const corrected = argv[index]?.replace(name, () => meant)
  return argv.with(index, corrected ?? meant)
}

/** The word that commander does not know, and the words that it knows. */
function unknownIn(code: string | undefined, command: DeclaredCommand): UnknownName | undefined {
  const { args, options } = command
  if (code === 'commander.unknownCommand') {
    const known = childrenOf(command).flatMap(namesOf)
    return { name: args[0] ?? '', known }
  }
  if (code !== 'commander.unknownOption') return undefined
  const all = [...options, ...sharedOptions(command)]
  const harmless = all.filter(each => !isDrastic(each))
  const known = harmless.flatMap(({ long }) => long ?? [])
  const typed = args.find(word => word.startsWith('-')) ?? ''
  const name = typed.replace(/=.*/s, '')
  return { name, known }
}

function same(typed: string, known: readonly string[]): string | undefined {
  const word = bare(typed)
  return known.find(name => bare(name) === word)
}

function nearest(typed: string, known: readonly string[]): string | undefined {
  const word = bare(typed)
  // `!sold` and `unavailable` are close to their opposites.
  if (/^([!^~]|un)/.test(word)) return same(typed, known)
  const swapped = known.find(name => {
    return letters(name) === letters(typed)
  })
  if (swapped !== undefined) return swapped
  const maxDistance = Math.max(1, Math.floor(word.length / 3))
  const closest = closestMatch(word, known.map(bare), { maxDistance })
  return known.find(name => bare(name) === closest)
}

/** A word without what people type in another way: capitals, dashes. */
function bare(word: string): string {
  const small = word.toLowerCase()
  return small.replace(/^-+/, '')
}

function letters(word: string): string {
  const sorted = [...bare(word)].sort()
  return sorted.join('')
}
