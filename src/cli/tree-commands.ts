import zsh from '../../completions/_petstore'
import bash from '../../completions/petstore.bash'
import fish from '../../completions/petstore.fish'
import { Argument, command, type DeclaredCommand, define } from '../commands/declare.ts'
import { asFinding, Failure } from '../failure.ts'
import { environmentNames } from '../settings/saved-state.ts'
import { pageOf } from './help.ts'
import { topicNames, topics } from './topics.ts'
import { childNamed, childrenOf, namesOf } from './tree.ts'

/** The command or group with this name; a usage error if there is none. */
function commandBelow(name: string, above: DeclaredCommand) {
  const found = childNamed(above, name)
  if (found !== undefined) return found
  const known = [...childrenOf(above).flatMap(namesOf), ...topicNames]
  throw new Failure('usage', `nothing is named '${name}'`, {
    hint: 'petstore help',
    unknownName: { name, known }
  })
}

/** A command, or the text of a topic, which has nothing below it. */
function pageBelow(name: string, above: DeclaredCommand | string) {
  if (typeof above === 'string') return above
  // `pets import` is a command, and `import` a topic.
  const topic = above.parent === null ? topics.get(name) : undefined
  return topic ?? commandBelow(name, above)
}

export const helpCommand = (program: DeclaredCommand | string) =>
  define(
    command('help', 'show help for a command or a topic', {
      examples: `
        # show help for a command
        petstore help pets list
        # show help for a topic
        petstore help exit-codes
      `
    }).argument('[name...]', 'command or topic', pageBelow, program),
    (_options, { host, output }, chosen) => output.text(pageOf(chosen, host))
  )

export const descriptionCommand = (program: DeclaredCommand) =>
  define(
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
      const { descriptionOf } = await import('./description.ts')
      // Programs pay for each byte.
      const form = host.terminal.stdout ? {} : ({ format: 'ndjson' } as const)
      await output.json(descriptionOf(chosen), form)
    }
  )

/** Small scripts that ask the program at each TAB, through `__complete`. */
const completionScripts = { bash, zsh, fish }

export const completionCommand = define(
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
export const completeCommand = (program: DeclaredCommand) =>
  define(
    command('__complete', 'print what can follow on a command line', {
      examples: ''
    }).argument('[name...]', 'words after petstore, the last one unfinished'),
    async (_options, { store, output }, words) => {
      const { completionLines } = await import('./complete.ts')
      const saved = (await store.read().catch(error => void asFinding(error))) ?? {}
      const lines = completionLines(program, words, environmentNames(saved))
      const text = lines.join('\n')
      if (text !== '') await output.text(text)
    }
  )
