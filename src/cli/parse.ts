import { CommanderError } from '@commander-js/extra-typings'
import { DeclaredCommand } from '../commands/declare.ts'
import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'
import type { SettingFlags } from '../settings/settings.ts'
import { type CommandLine, readArgv } from './argv.ts'
import { printCommandHelp, printGroup } from './help.ts'
import { buildProgram } from './program.ts'
import { readFlags, refuseMisfits } from './shared-options.ts'
import { unknownCommand } from './suggest.ts'
import { commandPath, leavesOf } from './tree.ts'

/** What a command line asks for. A wrong one asks for an error, which `run` throws. */
export interface Invocation {
  readonly flags: SettingFlags
  /** The command works without the config file if that cannot be read. */
  readonly toleratesBrokenConfig: boolean
  readonly run: (context: Context) => Promise<void>
}

/** Parsing touches neither disk nor network, and never fails. */
export function parseCommandLine(argv: readonly string[], version: string): Invocation {
  const program = buildProgram(version)
  const typed = readArgv(program, argv)
  const flags = readFlags(typed.options)
  const invocation = (run: Invocation['run'], toleratesBrokenConfig = false) => ({ flags, toleratesBrokenConfig, run })

  if (typed.wantsHelp) return invocation((context) => printHelp(typed, context))
  try {
    const chosen = parseByCommander(program, argv)
    refuseMisfits(typed, chosen, flags)
    return invocation(async (context) => chosen.run?.(context), chosen.notes.toleratesBrokenConfig)
  } catch (error) {
    if (hasCode(error, 'commander.version')) return invocation((context) => context.output.text(version))
    if (hasCode(error, 'commander.help')) return invocation((context) => printGroup(typed.command, context))
    return invocation(async () => {
      throw error instanceof CommanderError ? usageFailure(error, typed) : error
    })
  }
}

/** Commander checks the command line and reads its values into the command that it names. */
function parseByCommander(program: DeclaredCommand, argv: readonly string[]): DeclaredCommand {
  let chosen = program
  for (const leaf of leavesOf(program, { withHidden: true })) {
    leaf.action(() => {
      if (leaf instanceof DeclaredCommand) chosen = leaf
    })
  }
  program.parse([...argv], { from: 'user' })
  return chosen
}

/** The page that `--help` asks for, wherever it stands on the command line. */
async function printHelp({ command, stray }: CommandLine, context: Context): Promise<void> {
  if (stray !== undefined) throw unknownCommand(command, stray)
  await printCommandHelp(command, context)
}

const hasCode = (error: unknown, code: string) => error instanceof CommanderError && error.code === code

/** Commander's error in the words of this program. */
function usageFailure(error: CommanderError, { command, stray = '' }: CommandLine): Failure {
  if (error.code === 'commander.unknownCommand') return unknownCommand(command, stray)
  const message = error.message.replace(/^error: /, '').replace(/\s*\(Did you mean (.*)\?\)$/s, '; did you mean $1?')
  return new Failure('usage', message, { hint: `${commandPath(command)} --help`, cause: error })
}
