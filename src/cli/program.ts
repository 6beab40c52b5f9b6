import { DeclaredCommand } from '../commands/declare.ts'
import { allCommands } from '../commands/index.ts'
import { addSharedOptions } from './shared-options.ts'
import { hiddenCommands, treeCommands } from './tree-commands.ts'

/** The whole tree of commands as a value. Every start builds it, so it loads only itself and commander. */
export function buildProgram(version: string): DeclaredCommand {
  const program = new DeclaredCommand('petstore', {
    actsOn: ['environment', 'requests', 'data'],
    examples: [
      ['petstore pets list --env local', 'list the sample pets of the local service'],
      ['petstore auth login', 'log in to the default environment'],
      ['petstore help exit-codes', 'read about a topic'],
    ],
  })
  addSharedOptions(program)
  program
    .description('the command line of a pet store service')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')

  for (const [heading, commands] of Object.entries(allCommands(treeCommands(program, version)))) {
    for (const command of commands) program.addCommand(command.helpGroup(heading))
  }
  for (const command of hiddenCommands(program)) program.addCommand(command, { hidden: true })
  return program
}
