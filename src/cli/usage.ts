import type { CommanderError } from '@commander-js/extra-typings'
import { closestMatch } from 'leven'
import { type DeclaredCommand, optionNotes } from '../commands/declare.ts'
import { Failure } from '../failure.ts'
import { hintWord } from '../platform/shell.ts'
import { childrenOf, commandPath, rootOf } from './tree.ts'
import { concealed } from './typed-secrets.ts'

/** A command line that commander or a command refused. */
interface Refused {
  readonly error: CommanderError | Failure
  readonly command: DeclaredCommand
  readonly argv: readonly string[]
  /** Whether a corrected command line has no further mistake. */
  readonly isValid: (argv: readonly string[]) => boolean
}

/** A usage error. Its hint is the corrected command line, or the page of the command. */
export function usageFailure(refused: Refused): Failure {
  const { error, command, argv } = refused
  const { hint } = error instanceof Failure ? error : {}
  return new Failure('usage', concealed(error.message.replace(/^error: /, ''), argv), {
    hint: corrected(refused) ?? hint ?? `${commandPath(command)} --help`,
    cause: error
  })
}

/** The line with the one word that was probably meant. Never one that deletes something. */
function corrected({ error, command, argv, isValid }: Refused): string | undefined {
  const candidates = candidatesFor(error, command)
  const isValue = !error.code.startsWith('commander.unknown')
  // What a hint saves or sends must have been typed.
  const isStrict = isValue && command.notes.changes !== undefined
  for (const [, quoted = ''] of error.message.matchAll(/'([^']+)'/g)) {
    const typed = isValue ? quoted : quoted.replace(/=.*/s, '')
    const meant = nearest(typed, candidates, isStrict)
    const index = argv.findIndex(word => word.split('=').includes(typed))
    const words = argv.with(index, argv[index]?.replace(typed, () => meant ?? '') ?? '')
    const isShown = words.every(word => concealed(word, argv) === word)
    if (meant !== undefined && command.notes.deletes !== true && isShown && isValid(words))
      return ['petstore', ...words].map(hintWord).join(' ')
  }
  return undefined
}

function candidatesFor(error: Refused['error'], command: DeclaredCommand): readonly string[] {
  if (error instanceof Failure) return error.unknownName?.known ?? []
  const choices = /Allowed choices are (.*)\.$/.exec(error.message)?.[1]
  if (choices !== undefined) return choices.split(', ')
  if (error.code === 'commander.unknownCommand')
    return childrenOf(command).flatMap(child => [child.name(), ...child.aliases()])
  const options = [...rootOf(command).options, ...command.options]
  return options.filter(each => !optionNotes(each).isDrastic).flatMap(({ long }) => long ?? [])
}

function nearest(typed: string, candidates: readonly string[], isStrict: boolean) {
  const lower = typed.toLowerCase()
  const same = candidates.find(candidate => candidate.toLowerCase() === lower)
  // `!sold` and `unavailable` are close to the opposite.
  if (same !== undefined || isStrict || /^(?:\W*un|[!^~])/.test(lower)) return same
  return closestMatch(lower, [...candidates], { maxDistance: Math.floor(typed.length / 3) })
}
