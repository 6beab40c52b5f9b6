import { type AnyCommand, DeclaredCommand } from '../commands/declare.ts'
import { allCommands } from '../commands/index.ts'
import type { Context } from '../context.ts'
import { addGlobalOptions, commandPath, refuseIdleOptions } from './global-options.ts'
import { helpPage, styleHelp } from './help.ts'

/** What commander wants to print: help and versions. Its errors come as exceptions and are worded in main. */
export interface Printed {
  text: string
}

/** The whole tree of commands. It is built at every start, so it loads nothing but itself and commander. */
export function buildProgram(context: Context, version: string, printed: Printed) {
  const program = addGlobalOptions(
    new DeclaredCommand('petstore', {
      actsOn: ['environment', 'requests', 'data'],
      examples: [
        ['petstore pets list --env local', 'try it: the local service needs no setting up'],
        ['petstore auth login', 'keep a key for the environment in use'],
        ['petstore help exit-codes', 'what a script can rely on'],
      ],
    }),
  )
    .description('the command line of the pet store service')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')

  for (const command of allCommands(context, { page: (words) => helpPage(program, words) })) program.addCommand(command)

  program.hook('preAction', (_, chosen) => refuseIdleOptions(program, chosen))
  forEachCommand(program, (command) => {
    if (command !== program) command.copyInheritedSettings(program)
    styleHelp(command)
    command
      .exitOverride()
      .allowExcessArguments(false)
      .configureOutput({
        writeOut: (text) => {
          printed.text += text
        },
        writeErr: (text) => {
          printed.text += text
        },
        outputError: () => {},
        getOutHelpWidth: () => context.host.columns(),
        getErrHelpWidth: () => context.host.columns(),
      })
  })
  return program
}

function forEachCommand(command: AnyCommand, visit: (command: AnyCommand) => void): void {
  visit(command)
  for (const child of command.commands) forEachCommand(child, visit)
}

/** The help of the command that a broken command line meant, as far as its words go. */
export function helpHint(program: AnyCommand, argv: readonly string[]): string {
  let meant = program
  for (const word of argv) meant = meant.commands.find((child) => child.name() === word) ?? meant
  return `${commandPath(meant)} --help`
}
