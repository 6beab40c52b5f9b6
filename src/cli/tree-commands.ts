import { type AnyCommand, argument, command, type DeclaredCommand, define } from '../commands/declare.ts'
import { Failure } from '../failure.ts'
import { environmentNames } from '../settings/environments.ts'
import { completionScripts, shells } from './completion-scripts.ts'
import { describeProgram } from './describe.ts'
import { helpPage, nearestPage } from './help.ts'

interface TreeCommands {
  readonly visible: readonly DeclaredCommand[]
  /** Called by scripts of ours alone. */
  readonly hidden: readonly DeclaredCommand[]
}

/** The commands that print the tree itself, and are a part of it. */
export function treeCommands(program: AnyCommand, version: string): TreeCommands {
  return {
    visible: [printCompletion(), describeCommands(program, version), help(program)],
    hidden: [complete(program), manual(program, version)],
  }
}

const help = (program: AnyCommand) =>
  define(
    command('help', 'help on a command or a topic', {
      examples: [
        ['petstore help pets list', 'help on a command'],
        ['petstore help exit-codes', 'help on a topic'],
      ],
    }).addArgument(argument('[words...]', 'a command or a topic')),
    async (_options, { output, host }, words) => {
      const page = helpPage(program, words, host.columns())
      if (page === undefined) throw unknownPage(words, nearestPage(program, words))
      await output.page(page)
    },
  )

function unknownPage(words: readonly string[], meant: string | undefined): Failure {
  const suggestion = meant === undefined ? '' : `; did you mean '${meant}'?`
  return new Failure('usage', `there is no command or topic '${words.join(' ')}'${suggestion}`, {
    hint: meant === undefined ? 'petstore help' : `petstore help ${meant}`,
  })
}

const describeCommands = (program: AnyCommand, version: string) =>
  define(
    command('commands', 'describe the whole program in JSON, for other programs and for agents', {
      actsOn: ['data'],
      examples: [
        ['petstore commands', 'commands with arguments, options and examples, and the exit codes'],
        [`petstore commands | jq -r '.commands[].name'`, 'the names of the commands'],
      ],
    }),
    (_options, { output }) => output.document(describeProgram(program, version)),
  )

const printCompletion = () =>
  define(
    command('completion', 'print the completion script for a shell', {
      examples: [
        ['source <(petstore completion bash)', 'in ~/.bashrc; the same in ~/.zshrc with zsh'],
        ['petstore completion fish | source', 'in ~/.config/fish/config.fish'],
        ['petstore completion zsh > _petstore', 'or as a file in a directory of $fpath'],
      ],
    }).addArgument(argument('<shell>', 'whose script').choices(shells)),
    (_options, { output }, shell) => output.text(completionScripts[shell]),
  )

/** Asked by the completion scripts at each TAB, with the words up to the cursor. */
const complete = (program: AnyCommand) =>
  define(
    command('__complete', 'print what can stand at the end of a command line', { examples: [] }).addArgument(
      argument('[words...]', 'the words after petstore, the last one unfinished'),
    ),
    async (_options, { store, output }, words) => {
      const { completionLines } = await import('./complete.ts')
      // Where the config file cannot be read there are still the built-in environments.
      const environments = async () => environmentNames(await store.read().catch(() => ({})))
      const lines = await completionLines(program, words, environments)
      if (lines.length > 0) await output.text(lines.join('\n'))
    },
  )

/** Printed into `man/` by the build. */
const manual = (program: AnyCommand, version: string) =>
  define(command('__manual', 'the manual as roff', { examples: [] }), async (_options, { output }) => {
    const { manPage } = await import('./man.ts')
    await output.text(manPage(program, version))
  })
