import type { AnyCommand } from '../commands/declare.ts'
import { nearest } from '../commands/nearest.ts'
import { Failure } from '../failure.ts'
import { childrenOf, commandPath, leavesOf, pathBelow, rootOf } from './tree.ts'

/** Names the command that was meant: one of a similar name that could stand there, or one that stands elsewhere. */
export function unknownCommand(parent: AnyCommand, word: string): Failure {
  const meant = nearestByName(word, childrenOf(parent)) ?? nearestByName(word, leavesOf(rootOf(parent)))
  const isHere = meant?.parent === parent
  const name = meant && (isHere ? meant.name() : pathBelow(meant))
  return new Failure('usage', `unknown command '${word}'${name === undefined ? '' : `; did you mean ${name}?`}`, {
    hint: `${commandPath(meant ?? parent)} --help`,
  })
}

function nearestByName(word: string, commands: readonly AnyCommand[]): AnyCommand | undefined {
  const names = commands.map((command) => command.name())
  return commands[names.indexOf(nearest(word, names) ?? '')]
}
