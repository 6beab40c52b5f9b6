import manifest from '../../package.json' with { type: 'json' }
import { DeclaredCommand } from '../commands/declare.ts'
import { allCommands, topLevelCommands } from '../commands/index.ts'
import { explainErrors } from '../commands/readers.ts'
import { declaredOptions } from './shared-options.ts'
import { walkTree } from './tree.ts'
import {
  completeCommand,
  completionCommand,
  descriptionCommand,
  helpCommand
} from './tree-commands.ts'

/** The whole tree of commands. */
export const program = new DeclaredCommand('petstore', '', {
  examples: `
    # list the sample pets of the local service
    petstore pets list --env local
    # log in to your service
    petstore auth login
  `
})

for (const each of declaredOptions) program.addOption(each)
const silent = () => {}
program
  .version(manifest.version, '-V, --version', 'print the version')
  .helpOption('-h, --help', 'show help')
  .showSuggestionAfterError(false)
  .configureOutput({ writeOut: silent, outputError: silent })

for (const [heading, commands] of Object.entries(allCommands)) {
  program.commandsGroup(`${heading}:`)
  for (const each of commands) program.addCommand(each)
}
const listed = [completionCommand, descriptionCommand(program), helpCommand(program)]
for (const each of listed) program.addCommand(each)
const hidden = [...topLevelCommands, completeCommand(program)]
for (const each of hidden) program.addCommand(each, { hidden: true })

for (const each of walkTree(program)) {
  each.copyInheritedSettings(program).helpCommand(false).exitOverride()
  // The run follows when the whole line is read.
  if (each.run !== undefined) each.action(() => {})
  each.noteTyped()
  each.options.forEach(explainErrors)
  each.registeredArguments.forEach(explainErrors)
}
