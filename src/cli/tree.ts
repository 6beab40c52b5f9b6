import type { AnyCommand } from '../commands/declare.ts'

/** The words that run a command: `petstore pets list`. */
export function commandPath(command: AnyCommand): string {
  return command.parent === null
    ? command.name()
    : `${commandPath(command.parent)} ${command.name()}`
}

/** `pets list`: the words after the program's name. */
export const commandName = (command: AnyCommand) =>
  commandPath(command).split(' ').slice(1).join(' ')

export function rootOf(command: AnyCommand): AnyCommand {
  return command.parent === null ? command : rootOf(command.parent)
}

/** The commands and groups directly below. */
export const commandsBelow = (command: AnyCommand) => command.commands

/** The same without the hidden ones. */
export function childrenOf(command: AnyCommand): readonly AnyCommand[] {
  return command.createHelp().visibleCommands(command)
}

/** The command itself and everything below it, in the order of declaration. */
export function walkTree(command: AnyCommand): AnyCommand[] {
  return [command, ...childrenOf(command).flatMap(walkTree)]
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
  const child = childrenOf(command).find((candidate) => isCalled(candidate, first))
  return child && findCommand(child, rest)
}

/** By its name or an alias. */
export function isCalled(command: AnyCommand, word: string): boolean {
  return command.name() === word || command.aliases().includes(word)
}
