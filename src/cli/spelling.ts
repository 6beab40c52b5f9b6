import { closestMatch } from 'leven'
import type { DeclaredCommand } from '../commands/declare.ts'
import { Failure } from '../failure.ts'
import { variableNames } from '../settings/table.ts'
import type { ReadLine } from './read-line.ts'
import { optionsOf } from './shared-options.ts'
import { childrenOf, namesOf } from './tree.ts'

/** The command line with the one word that was probably meant. */
export function respelled(line: ReadLine): readonly string[] | undefined {
  const { error, command, argv, isBeforeRun } = line
  const unknown = error instanceof Failure ? error.unknownName : unknownIn(error?.code, command)
  if (unknown === undefined) return undefined
  const { name, known, isValue = false } = unknown
  const { changes } = command.notes
  // What a hint saves or sends must have been typed, and so must the environment that it goes to.
  const isSent = changes === 'service' && !isBeforeRun
  const isSaved = changes !== undefined && isValue
  if (isSent || isSaved) return undefined
  const meant = closest(name, known)
  const word = argv.find(each => each.split(/[=,]/).includes(name))
  if (meant === undefined || word === undefined) return undefined
  const corrected = word.replace(name, () => meant)
  return argv.with(argv.indexOf(word), corrected)
}

/** The word that commander does not know, and the words that it knows. */
function unknownIn(code: string | undefined, command: DeclaredCommand): Failure['unknownName'] {
  const { args } = command
  if (code === 'commander.unknownCommand') {
    const known = childrenOf(command).flatMap(namesOf)
    return { name: args[0] ?? '', known }
  }
  if (code !== 'commander.unknownOption') return undefined
  const known = optionsOf(command).flatMap(({ long }) => long ?? [])
  const typed = args.find(word => word.startsWith('-')) ?? ''
  const name = typed.replace(/=.*/s, '')
  return { name, known }
}

/** What other names of variables are certain to mean. */
const meanings: Readonly<Record<string, string>> = {
  URL: 'PETSTORE_BASE_URL',
  API_URL: 'PETSTORE_BASE_URL',
  ENDPOINT: 'PETSTORE_BASE_URL',
  SERVER: 'PETSTORE_BASE_URL',
  KEY: 'PETSTORE_API_KEY',
  TOKEN: 'PETSTORE_API_KEY',
  ENVIRONMENT: 'PETSTORE_ENV',
  PROFILE: 'PETSTORE_ENV',
  CONTEXT: 'PETSTORE_ENV',
  FORMAT: 'PETSTORE_OUTPUT',
  DRY_RUN: '--dry-run'
}

/** Refuses a variable that was probably meant for this program. Others are for other programs. */
export function requireOtherMeaning(variable: string) {
  const known = variableNames.flatMap(name => name.match(/(?<=PETSTORE_).*/) ?? [])
  const near = closest(variable.replace('PETSTORE_', ''), [...known, ...Object.keys(meanings)])
  if (near === undefined) return
  const problem = `petstore has no variable ${variable}: use ${meanings[near] ?? `PETSTORE_${near}`}`
  throw new Failure('usage', problem, { hint: 'petstore help environment' })
}

/** The name that differs by capitals and dashes, or else by a few letters. */
function closest(typed: string, known: readonly string[]) {
  const word = bare(typed)
  // `!sold`, `unavailable` and `no-read-only` are close to their opposites.
  const isOpposite = /^([!^~]|un|no-)/.test(word)
  const few = Math.min(3, Math.floor(word.length / 3))
  const maxDistance = isOpposite ? 0 : few
  const near = closestMatch(word, known.map(bare), { maxDistance })
  return known.find(name => {
    return bare(name) === near || sorted(name) === sorted(typed)
  })
}

/** Two letters are often swapped. */
function sorted(word: string) {
  const letters = [...bare(word)]
  return letters.sort().join('')
}

/** A word without capitals and leading dashes. */
function bare(word: string) {
  return word.toLowerCase().replace(/^-+/, '')
}
