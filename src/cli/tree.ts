import type { Option } from '@commander-js/extra-typings'
import type { AnyCommand } from '../commands/declare.ts'

/** The words that run a command: `petstore pets list`. */
export function commandPath(command: AnyCommand): string {
  const { parent } = command
  const name = command.name()
  return parent === null ? name : `${commandPath(parent)} ${name}`
}

/** The words after the program's name. */
export function commandWords(command: AnyCommand): string[] {
  return commandPath(command).split(' ').slice(1)
}

/** `pets list` */
export function commandName(command: AnyCommand): string {
  return commandWords(command).join(' ')
}

export function rootOf(command: AnyCommand): AnyCommand {
  return command.parent === null ? command : rootOf(command.parent)
}

export function isGroup(command: AnyCommand): boolean {
  return command.commands.length > 0
}

/** The commands and groups directly below, without `__complete`. */
export function childrenOf({ commands }: AnyCommand): AnyCommand[] {
  return commands.filter(child => !child.name().startsWith('__'))
}

/** The command itself and everything below it, in the order of declaration. */
export function walkTree(command: AnyCommand): AnyCommand[] {
  return [command, ...childrenOf(command).flatMap(walkTree)]
}

/** The options that the command and everything below it declare. */
export function optionsUnder(command: AnyCommand): Option[] {
  const commands = walkTree(command)
  return commands.flatMap(({ options }) => options)
}

/** Every command that does something, without the groups. */
export function leavesOf(command: AnyCommand): AnyCommand[] {
  const children = childrenOf(command)
  return children.length === 0 ? [command] : children.flatMap(leavesOf)
}

/** The command that the words name. */
export function findCommand(command: AnyCommand, words: readonly string[]): AnyCommand | undefined {
  const [first, ...rest] = words
  if (first === undefined) return command
  const child = childrenOf(command).find(candidate => isCalled(candidate, first))
  return child && findCommand(child, rest)
}

/** By its name or an alias. */
export function isCalled(command: AnyCommand, word: string): boolean {
  return command.name() === word || command.aliases().includes(word)
}
