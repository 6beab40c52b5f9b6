import zsh from '../../completions/_petstore'
import bash from '../../completions/petstore.bash'
import fish from '../../completions/petstore.fish'
import { argument, command, DeclaredCommand, define } from '../commands/declare.ts'
import { allCommands } from '../commands/index.ts'
import { ignoreFailure } from '../failure.ts'
import { environmentNames } from '../settings/saved-state.ts'
import { printHelpOn } from './help.ts'
import { addSharedOptions } from './shared-options.ts'

/** The whole tree of commands. */
export const program = new DeclaredCommand('petstore', {
  actsOn: ['requests', 'data'],
  examples: `
    # list the sample pets of the local service
    petstore pets list --env local
    # log in to the default environment
    petstore auth login
    # read about a topic
    petstore help exit-codes
  `
})

const help = define(
  command('help', 'show help for a command or a topic', {
    examples: `
      # show help for a command
      petstore help pets list
      # show help for a topic
      petstore help exit-codes
    `
  }).argument('[name...]', 'command or topic'),
  (_options, context, words) => printHelpOn(program, words, context)
)

const describeCommands = define(
  command('commands', 'print all commands and exit codes as JSON', {
    actsOn: ['data'],
    toleratesBrokenConfig: true,
    examples: `
      # print everything
      petstore commands
      # print the names of all commands
      petstore commands --jq '.commands[].name'
    `
  }).argument('[command...]', 'only this command'),
  async (_options, { output, version }, words) => {
    const { describeProgram } = await import('./description.ts')
    await output.json(describeProgram(program, version, words))
  }
)

/** Small scripts that ask the program at each TAB, through `__complete`. */
const completionScripts = { bash, zsh, fish }

const printCompletion = define(
  command('completion', 'print a completion script for your shell', {
    examples: `
      # for bash: add this line to ~/.bashrc
      eval "$(petstore completion bash)"
      # for fish: run this once, in a directory that exists
      petstore completion fish > ~/.config/fish/completions/petstore.fish
    `
  }).addArgument(argument('<shell>', 'shell to complete in').choices(['bash', 'zsh', 'fish'])),
  (_options, { output }, shell) => output.text(completionScripts[shell].trimEnd())
)

/** The completion scripts call it at each TAB, with the words up to the cursor. */
const complete = define(
  command('__complete', 'print what can follow on a command line', {
    examples: ''
  }).argument('[name...]', 'words after petstore, the last one unfinished'),
  async (_options, { store, output }, words) => {
    const { completionLines } = await import('./complete.ts')
    const saved = (await store.read().catch(ignoreFailure)) ?? {}
    const lines = completionLines(program, words, environmentNames(saved))
    if (lines.length > 0) await output.text(lines.join('\n'))
  }
)

addSharedOptions(program)
const silent = () => {}
program
  .description('a command-line client for a pet store service')
  .version('', '-V, --version', 'print the version')
  .helpOption('-h, --help', 'show help')
  .helpCommand(false)
  .showSuggestionAfterError(false)
  .configureOutput({ writeOut: silent, writeErr: silent, outputError: silent })

const treeCommands: Readonly<Record<string, readonly DeclaredCommand[]>> = {
  Scripting: [describeCommands, printCompletion],
  More: [help]
}
for (const [heading, commands] of Object.entries(allCommands)) {
  const others = treeCommands[heading] ?? []
  for (const command of [...commands, ...others])
    program.addCommand(command.helpGroup(`${heading}:`))
}
program.addCommand(complete, { hidden: true })
