import { CommanderError, type OptionValues } from '@commander-js/extra-typings'
import { type DeclaredCommand, optionNotes } from '../commands/declare.ts'
import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'
import { commandLine, type HintOptions } from '../platform/shell.ts'
import type { PartialSettings } from '../settings/settings.ts'
import { printCommandHelp } from './help.ts'
import { program } from './program.ts'
import { requireEffect, typedOptions, typedSettings } from './shared-options.ts'
import { commandPath, walkTree } from './tree.ts'
import { usageFailure } from './usage.ts'

/** What a command line asks for. If it is wrong, `run` throws the error. */
export interface ParsedLine {
  readonly command: DeclaredCommand
  readonly flags: PartialSettings
  readonly run: (context: Context) => Promise<void>
}

interface Words {
  readonly command: DeclaredCommand
  readonly options?: OptionValues
  readonly args?: readonly unknown[]
}

/** The command at which commander ended. */
let latest: Words = { command: program }

for (const command of walkTree(program)) {
  command.copyInheritedSettings(program).helpCommand(false)
  command.exitOverride(end => {
    latest = { command }
    throw end
  })
  // Commander calls it with the arguments, the options and itself.
  if (command.run !== undefined)
    command.action((...args: unknown[]) => {
      latest = { command, options: command.opts(), args: args.slice(0, -2) }
    })
}

/** Commands at the top, as in other programs. */
const shortcuts = new Map([
  ['login', ['auth', 'login']],
  ['logout', ['auth', 'logout']],
  ['whoami', ['auth', 'status']],
  ['list', ['pets', 'list']],
  ['ls', ['pets', 'list']],
  ['get', ['pets', 'get']],
  ['add', ['pets', 'add']],
  ['import', ['pets', 'import']],
  ['send', ['messages', 'send']]
])

/** Parsing touches neither disk nor network. */
export function parseCommandLine(argv: readonly string[]): ParsedLine {
  const { command, options = {}, args = [], flags, error } = read(argv)
  const run = async (context: Context) => {
    if (error !== undefined) throw error
    await requireTypedEnvironment(command, flags, context)
    await command.run?.(options, context, ...args)
  }
  const isValid = (words: readonly string[]) => read(words).error === undefined
  const end = (problem: unknown, context: Context) => {
    const isCommanders = problem instanceof CommanderError
    if (isCommanders && problem.code === 'commander.version')
      return context.output.text(context.version)
    if (isCommanders && problem.code.startsWith('commander.help'))
      return printCommandHelp(command, context)
    if (isCommanders || (problem instanceof Failure && problem.code === 'usage'))
      throw usageFailure({ error: problem, command, argv, isValid })
    throw problem
  }
  return { command, flags, run: context => run(context).catch(problem => end(problem, context)) }
}

function read(argv: readonly string[]): Words & { flags: PartialSettings; error?: unknown } {
  latest = { command: program }
  const [first = '', ...rest] = argv
  const named = shortcuts.get(first)
  try {
    program.parse(named ? [...named, ...rest] : argv, { from: 'user' })
    const flags = typedSettings(program)
    requireEffect(latest.command, program, flags)
    return { ...latest, flags }
  } catch (error) {
    return { command: latest.command, flags: typedSettings(program), error }
  }
}

/** An environment that was typed must exist, even where the command would not need it. */
async function requireTypedEnvironment(
  { notes }: DeclaredCommand,
  { env }: PartialSettings,
  { settings }: Context
): Promise<void> {
  if (env === undefined || notes.createsEnvironment || notes.toleratesBrokenConfig) return
  const resolved = await settings()
  resolved.environmentNamed(env)
}

/**
 * The same command for a hint, with some options changed or left out. A user may paste a hint
 * unread, so it never deletes data or sends it again.
 */
export function retyped(command: DeclaredCommand) {
  const typed = [program, command].flatMap(one => {
    const values: OptionValues = one.opts()
    const harmless = typedOptions(one).filter(option => !optionNotes(option).isDrastic)
    return harmless.map(option => {
      const value = values[option.attributeName()]
      return [option.long, typeof value === 'boolean' ? true : [value].flat().join()]
    })
  })
  const options: HintOptions = Object.fromEntries(typed)
  return (change: HintOptions, paths: readonly string[] = []) =>
    commandLine(commandPath(command), { paths, options: { ...options, ...change } })
}
