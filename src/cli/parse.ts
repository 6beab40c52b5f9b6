import { CommanderError } from '@commander-js/extra-typings'
import { DeclaredCommand } from '../commands/declare.ts'
import type { SettingFlags } from '../settings/settings.ts'
import { type CommandLine, readArgv } from './argv.ts'
import { buildProgram } from './program.ts'
import { readFlags, refuseMisfits } from './shared-options.ts'

/** A command line, and what commander makes of it. */
export interface ParsedLine {
  readonly program: DeclaredCommand
  readonly typed: CommandLine
  readonly flags: SettingFlags
  readonly result: 'help' | 'group' | 'version' | { readonly command: DeclaredCommand } | { readonly error: unknown }
}

/** Parsing touches neither disk nor network, and never fails: what is wrong is part of the result. */
export function parseArgv(argv: readonly string[], version: string): ParsedLine {
  const program = buildProgram(version)
  const typed = readArgv(program, argv)
  const flags = readFlags(typed.options)
  return { program, typed, flags, result: resultOf(program, argv, typed, flags) }
}

function resultOf(
  program: DeclaredCommand,
  argv: readonly string[],
  typed: CommandLine,
  flags: SettingFlags,
): ParsedLine['result'] {
  if (typed.wantsHelp) return typed.stray === undefined ? 'help' : { error: undefined }
  try {
    const command = parseByCommander(program, argv, typed)
    refuseMisfits(typed, command, flags)
    return { command }
  } catch (error) {
    if (hasCode(error, 'commander.version')) return 'version'
    return hasCode(error, 'commander.help') ? 'group' : { error }
  }
}

/** Commander checks the command line and reads its values into the command that it names. */
function parseByCommander(
  program: DeclaredCommand,
  argv: readonly string[],
  { command }: CommandLine,
): DeclaredCommand {
  if (command.commands.length === 0) command.action(() => {})
  program.parse([...argv], { from: 'user' })
  return command instanceof DeclaredCommand ? command : program
}

const hasCode = (error: unknown, code: string) => error instanceof CommanderError && error.code === code
