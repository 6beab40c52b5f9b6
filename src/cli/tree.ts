import type { DeclaredCommand } from '../commands/declare.ts'

/** The words that run a command: `petstore pets list`. */
export function commandPath(command: DeclaredCommand): string {
  const { parent } = command
  return parent === null ? command.name() : `${commandPath(parent)} ${command.name()}`
}

/** `pets list` */
export const commandName = (command: DeclaredCommand) =>
  commandPath(command).split(' ').slice(1).join(' ')

export const rootOf = (command: DeclaredCommand): DeclaredCommand =>
  command.parent === null ? command : rootOf(command.parent)

/** The commands and groups directly below that help shows. */
export const childrenOf = ({ commands }: DeclaredCommand) =>
  commands.filter(child => !child.name().startsWith('__'))

/** The command itself and everything below it. */
export function walkTree(command: DeclaredCommand): DeclaredCommand[] {
  return [command, ...command.commands.flatMap(walkTree)]
}

/** Every command that does something, without the groups. */
export function leavesOf(command: DeclaredCommand): DeclaredCommand[] {
  const children = childrenOf(command)
  return children.length === 0 ? [command] : children.flatMap(leavesOf)
}

/** The command that the words name. */
export function findCommand(
  command: DeclaredCommand,
  [first, ...rest]: readonly string[]
): DeclaredCommand | undefined {
  if (first === undefined) return command
  const child = command.commands.find(
    each => each.name() === first || each.aliases().includes(first)
  )
  return child && findCommand(child, rest)
}
