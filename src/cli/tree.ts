import { Help, type Option } from '@commander-js/extra-typings'
import type { DeclaredCommand } from '../commands/declare.ts'

/** The program, the groups and the command itself. */
export function lineageOf(command: DeclaredCommand): [DeclaredCommand, ...DeclaredCommand[]] {
  const { parent } = command
  return parent === null ? [command] : [...lineageOf(parent), command]
}

/** The words that run a command: `petstore pets list`. */
export function commandPath(command: DeclaredCommand): string {
  const names = lineageOf(command).map(each => each.name())
  return names.join(' ')
}

/** `pets list`; empty for the program. */
export function commandName(command: DeclaredCommand): string {
  return commandPath(command).replace(/^petstore ?/, '')
}

export function namesOf(command: DeclaredCommand): string[] {
  return [command.name(), ...command.aliases()]
}

/** The commands and groups directly below that help shows. */
export function childrenOf(command: DeclaredCommand): DeclaredCommand[] {
  return new Help().visibleCommands(command) as DeclaredCommand[]
}

/** The command itself and everything below it. */
export function walkTree(command: DeclaredCommand): DeclaredCommand[] {
  return [command, ...command.commands.flatMap(walkTree)]
}

/** Every command that does something, without the groups. */
export function leavesOf(command: DeclaredCommand): DeclaredCommand[] {
  const children = childrenOf(command)
  return children.length === 0 ? [command] : children.flatMap(leavesOf)
}

/** It deletes data or sends it again, so no hint has it, and a line with it is never corrected. */
export function isDrastic({ long = '' }: Pick<Option, 'long'>): boolean {
  return /^--(yes|add|skip)(=|$)/.test(long)
}

export function childNamed(command: DeclaredCommand, name = ''): DeclaredCommand | undefined {
  return command.commands.find(child => namesOf(child).includes(name))
}

/** The command to which commander gave the words that it read last. */
export function innermost(command: DeclaredCommand): DeclaredCommand {
  const child = childNamed(command, command.args[0])
  return child === undefined ? command : innermost(child)
}
