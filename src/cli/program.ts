import zsh from '../../completions/_petstore'
import bash from '../../completions/petstore.bash'
import fish from '../../completions/petstore.fish'
import { argument, command, DeclaredCommand, define } from '../commands/declare.ts'
import { allCommands } from '../commands/index.ts'
import { ignoreFailure } from '../failure.ts'
import { environmentNames } from '../settings/saved-state.ts'
import { printHelpOn } from './help.ts'
import { addSharedOptions } from './shared-options.ts'

/** The whole tree of commands. Every start creates it, so it loads only itself and commander. */
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
    takesCommand: 'or topic',
    examples: `
      # show help for a command
      petstore help pets list
      # show help for a topic
      petstore help exit-codes
    `
  }).argument('[name...]', 'command or topic'),
  (_options, context, words) => printHelpOn(program, words.flatMap(singleWords), context)
)

/** `help 'pets list'` is `help pets list`. */
const singleWords = (text: string) => text.split(/\s+/)

const describeCommands = define(
  command('commands', 'print all commands and exit codes as JSON', {
    actsOn: ['data'],
    prints: ['object', 'program'],
    takesCommand: 'only',
    toleratesBrokenConfig: true,
    details: [
      'For programs and agents: every command with its arguments, options, types, limits, defaults, exit codes and examples, what it changes, and the JSON Schema of what it prints; and the schemas of errors, notices, imports and watches.'
    ],
    examples: `
      # print everything
      petstore commands
      # describe one command
      petstore commands pets add
      # print the names of all commands
      petstore commands --jq '.commands[].name'
      # print the names of those that change something at the service
      petstore commands --jq '.commands[] | select(.changes == "service") | .name'
    `
  }).argument('[command...]', 'only these commands'),
  async (_options, { output, version }, words) => {
    const { describeProgram } = await import('./description.ts')
    await output.json(describeProgram(program, version, words.flatMap(singleWords)))
  }
)

/** Small scripts that ask the program at each TAB, through `__complete`. */
const completionScripts = { bash, zsh, fish }

const printCompletion = define(
  command('completion', 'print a completion script for your shell', {
    details: [
      'With the script, TAB completes commands, options, choices, fields, environments and files.'
    ],
    examples: `
      # for bash: add this line to ~/.bashrc
      eval "$(petstore completion bash)"
      # for zsh: add this line to ~/.zshrc
      eval "$(petstore completion zsh)"
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
    // The built-in environments exist even if the config file cannot be read.
    const environments = async () =>
      environmentNames((await store.read().catch(ignoreFailure)) ?? {})
    const lines = await completionLines(program, words, environments)
    if (lines.length > 0) await output.text(lines.join('\n'))
  }
)

addSharedOptions(program)
program
  .description('a command-line client for a pet store service')
  .option('-V, --version', 'print the version')
  .option('-h, --help', 'show help')

const treeCommands: Readonly<Record<string, readonly DeclaredCommand[]>> = {
  Scripting: [describeCommands, printCompletion],
  More: [help]
}
for (const [heading, commands] of Object.entries(allCommands)) {
  const others = treeCommands[heading] ?? []
  for (const command of [...commands, ...others]) program.addCommand(command.helpGroup(heading))
}
program.addCommand(complete)
