import { type AnyCommand, DeclaredCommand, type Example } from '../commands/declare.ts'

/** The words that call a command: `petstore pets list`. */
export function commandPath(command: AnyCommand): string {
  return command.parent === null ? command.name() : `${commandPath(command.parent)} ${command.name()}`
}

/** The commands and groups right below, without those that only programs call. */
export function childrenOf(command: AnyCommand): readonly AnyCommand[] {
  return command.createHelp().visibleCommands(command)
}

/** The command itself and everything below it, in the order of the declarations. */
export function walkTree(command: AnyCommand): AnyCommand[] {
  return [command, ...childrenOf(command).flatMap(walkTree)]
}

/** Every command that does something, without the nouns that only hold others. */
export function leavesOf(program: AnyCommand): AnyCommand[] {
  return walkTree(program).filter((command) => command.commands.length === 0)
}

/** The command that the words name, one after the other. */
export function findCommand(command: AnyCommand, words: readonly string[]): AnyCommand | undefined {
  const [first, ...rest] = words
  if (first === undefined) return command
  const child = childrenOf(command).find((candidate) => candidate.name() === first)
  return child && findCommand(child, rest)
}

export function examplesOf(command: AnyCommand): readonly Example[] {
  return command instanceof DeclaredCommand ? command.notes.examples : []
}
