import { DeclaredCommand } from '../commands/declare.ts'
import type { Guide } from '../commands/help.ts'
import { allCommands, hiddenCommands } from '../commands/index.ts'
import type { Context } from '../context.ts'
import { describeProgram } from './description.ts'
import { addGlobalOptions, refuseIdleOptions, refuseMisfits } from './global-options.ts'
import { helpPage, nearestPage, styleHelp } from './help.ts'
import { walkTree } from './tree.ts'

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

  const guide: Guide = {
    page: (words) => helpPage(program, words, context.host.columns()),
    nearest: (words) => nearestPage(program, words),
    description: () => describeProgram(program, version),
    completion: async (shell) => (await import('./completion/index.ts')).completionScript(program, shell),
    manual: async () => (await import('./man.ts')).manPage(program, version),
  }
  for (const command of allCommands(context, guide)) program.addCommand(command)
  for (const command of hiddenCommands(context, guide)) program.addCommand(command, { hidden: true })

  program.hook('preAction', (_, chosen) => {
    refuseIdleOptions(program, chosen)
    refuseMisfits(program, chosen)
  })
  for (const command of [...walkTree(program), ...program.commands]) {
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
        // Commander would look at the process's own streams; what it writes here has no colours yet.
        getOutHasColors: () => false,
        getErrHasColors: () => false,
      })
  }
  return program
}
