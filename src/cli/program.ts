import zsh from '../../completions/_petstore'
import bash from '../../completions/petstore.bash'
import fish from '../../completions/petstore.fish'
import manifest from '../../package.json' with { type: 'json' }
import { Argument, command, DeclaredCommand, define, explainErrors } from '../commands/declare.ts'
import { allCommands, topLevelCommands } from '../commands/index.ts'
import { Failure } from '../failure.ts'
import { pageOf } from './help.ts'
import { addSharedOptions } from './shared-options.ts'
import { topicNames, topics } from './topics.ts'
import { childNamed, childrenOf, namesOf, walkTree } from './tree.ts'

/** The whole tree of commands. */
export const program = new DeclaredCommand('petstore', '', {
  examples: `
    # list the sample pets of the local service
    petstore pets list --env local
    # log in to your service
    petstore auth login
  `
})

/** The command or group with this name; a usage error if there is none. */
function commandBelow(name: string, above: DeclaredCommand) {
  const command = childNamed(above, name)
  if (command !== undefined) return command
  const known = [...childrenOf(above).flatMap(namesOf), ...topicNames]
  throw new Failure('usage', `nothing is named '${name}'`, {
    hint: 'petstore help',
    unknownName: { name, known }
  })
}

/** A command, or the text of a topic, which has nothing below it. */
type Subject = DeclaredCommand | string

function subjectBelow(name: string, above: Subject) {
  if (typeof above === 'string') return above
  // `pets import` is a command, and `import` a topic.
  const topic = above === program ? topics.get(name) : undefined
  return topic ?? commandBelow(name, above)
}

const help = define(
  command('help', 'show help for a command or a topic', {
    examples: `
      # show help for a command
      petstore help pets list
      # show help for a topic
      petstore help exit-codes
    `
  }).argument('[name...]', 'command or topic', subjectBelow, program as Subject),
  (_options, { host, output }, chosen) => output.text(pageOf(chosen, host))
)

const describeCommands = define(
  command('commands', 'print all commands and exit codes as JSON', {
    actsOn: ['data'],
    examples: `
      # print everything
      petstore commands
      # print the names of all commands
      petstore commands --jq '.commands[].name'
    `
  }).argument('[command...]', 'only this command', commandBelow, program),
  async (_options, { host, output }, chosen) => {
    const { describe } = await import('./description.ts')
    // Programs pay for each byte.
    const form = host.terminal.stdout ? {} : ({ format: 'ndjson' } as const)
    await output.json(describe(chosen), form)
  }
)

/** Small scripts that ask the program at each TAB, through `__complete`. */
const completionScripts = { bash, zsh, fish }

const printCompletion = define(
  command('completion', 'print a completion script for your shell', {
    examples: `
      # for bash: add this line to ~/.bashrc
      eval "$(petstore completion bash)"
      # for zsh: add this line to ~/.zshrc
      eval "$(petstore completion zsh)"
      # for fish: write a file once
      petstore completion fish > ~/.config/fish/completions/petstore.fish
    `
  }).addArgument(new Argument('<shell>', 'shell to complete in').choices(['bash', 'zsh', 'fish'])),
  (_options, { output }, shell) => output.text(completionScripts[shell].trimEnd())
)

/** The completion scripts call it at each TAB, with the words up to the cursor. */
const complete = define(
  command('__complete', 'print what can follow on a command line', {
    examples: ''
  }).argument('[name...]', 'words after petstore, the last one unfinished'),
  async (_options, { settings, output }, words) => {
    const { completionLines } = await import('./complete.ts')
    const lines = completionLines(program, words, settings.environmentNames())
    const text = lines.join('\n')
    if (text !== '') await output.text(text)
  }
)

addSharedOptions(program)
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
for (const each of [printCompletion, describeCommands, help]) program.addCommand(each)
for (const each of [...topLevelCommands, complete]) program.addCommand(each, { hidden: true })

for (const each of walkTree(program)) {
  each.copyInheritedSettings(program).helpCommand(false).exitOverride()
  // The run follows when the whole line is read.
  if (each.run !== undefined) each.action(() => {})
  each.noteTyped()
  each.options.forEach(explainErrors)
  each.registeredArguments.forEach(explainErrors)
}
