import { type AnyCommand, argument, command, type DeclaredCommand, define, option } from '../commands/declare.ts'
import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'
import { environmentNames } from '../settings/environments.ts'
import { completionScript, shells } from './completion-scripts.ts'
import { describeProgram } from './describe.ts'
import { printHelpOn } from './help.ts'

/** The commands that print the tree, of which they are a part. */
export const treeCommands = (program: AnyCommand, version: string) => ({
  commands: describeCommands(program, version),
  completion: printCompletion(),
  help: help(program, version),
})

/** Only scripts of this program call these. */
export const hiddenCommands = (program: AnyCommand): readonly DeclaredCommand[] => [
  complete(program),
  reference(program),
]

const help = (program: AnyCommand, version: string) =>
  define(
    command('help', 'show help for a command or a topic', {
      examples: [
        ['petstore help pets list', 'show help for a command'],
        ['petstore help exit-codes', 'show help for a topic'],
        ['petstore help --man > petstore.1', 'save the man page, for a copy of petstore that no package installed'],
      ],
    })
      .addArgument(argument('[name...]', 'command or topic'))
      .addOption(option('--man', 'print the source of the man page, which has all commands and topics')),
    async ({ man }, context, words) => {
      if (man) return printManPage(program, version, words, context)
      if (await printHelpOn(program, words, context)) return
      const { fixHelpWords } = await import('./fixes.ts')
      throw new Failure('usage', `no command or topic is named '${words.join(' ')}'`, {
        hint: ['petstore help', ...fixHelpWords(program, words)].join(' '),
      })
    },
  )

async function printManPage(program: AnyCommand, version: string, words: readonly string[], { output }: Context) {
  if (words.length > 0)
    throw new Failure('usage', '--man prints the page of all commands: leave out the command or topic')
  const { manPage } = await import('./man.ts')
  await output.text(manPage(program, version))
}

const describeCommands = (program: AnyCommand, version: string) =>
  define(
    command('commands', 'print all commands and exit codes as JSON', {
      actsOn: ['data'],
      details: [
        'For programs and agents: every command with its arguments, options, choices, defaults, output fields and examples, and whether it changes something.',
      ],
      examples: [
        ['petstore commands', 'print everything'],
        [`petstore commands --jq '.commands[].name'`, 'print the names of all commands'],
        [
          `petstore commands --jq '.commands[] | select(.changes) | .name'`,
          'print the names of those that change something',
        ],
      ],
    }),
    (_options, { output }) => output.document(describeProgram(program, version)),
  )

const printCompletion = () =>
  define(
    command('completion', 'print a completion script for your shell', {
      details: ['With the script, TAB completes commands, options, choices, environments and files.'],
      examples: [
        ['source <(petstore completion bash)', 'for bash, in ~/.bashrc; for zsh, the same in ~/.zshrc'],
        ['petstore completion fish | source', 'for fish, in ~/.config/fish/config.fish'],
        ['petstore completion zsh > _petstore', 'or as a file in a directory of $fpath'],
      ],
    }).addArgument(argument('<shell>', 'shell to complete in').choices(shells)),
    (_options, { output, host }, shell) => output.text(completionScript(shell, host.standalone())),
  )

/** The completion scripts call it at each TAB, with the words up to the cursor. */
const complete = (program: AnyCommand) =>
  define(
    command('__complete', 'print what can follow on a command line', { examples: [] }).addArgument(
      argument('[name...]', 'words after petstore, the last one unfinished'),
    ),
    async (_options, { store, output }, words) => {
      const { completionLines } = await import('./complete.ts')
      // The built-in environments are there even if the config file cannot be read.
      const environments = async () => environmentNames(await store.read().catch(() => ({})))
      const lines = await completionLines(program, words, environments)
      if (lines.length > 0) await output.text(lines.join('\n'))
    },
  )

/** `npm run generate` writes it to `docs/`. */
const reference = (program: AnyCommand) =>
  define(command('__reference', 'print the reference', { examples: [] }), async (_options, { output }) => {
    const { referencePage } = await import('./reference.ts')
    await output.text(referencePage(program))
  })
