import { optionNotes } from '../commands/declare.ts'
import type { Context } from '../context.ts'
import { Failure, ignoreFailure } from '../failure.ts'
import { commandLine, type HintOptions } from '../platform/shell.ts'
import { defaultEnvironment } from '../settings/saved-state.ts'
import type { CommandLine, Mistake } from './argv.ts'
import { printCommandHelp, printGroup } from './help.ts'
import { type ParsedLine, parseArgv } from './parse.ts'
import { program } from './program.ts'
import type { Situation } from './suggestion.ts'
import { commandPath } from './tree.ts'

/** A parsed command line. If it is wrong, `run` throws the error. */
export function parseCommandLine(argv: readonly string[]) {
  const line = parseArgv(program, argv)
  return {
    flags: line.flags,
    toleratesBrokenConfig: line.typed.command.notes.toleratesBrokenConfig === true,
    retyped: retyped(line.typed),
    run: (context: Context) => runLine(line, context)
  }
}

/**
 * The same command for a hint, with some options changed or left out. A user may paste a hint
 * unread, so it never deletes data or sends it again. The caller passes the files. Not for a
 * command whose options hold secrets or can be repeated.
 */
function retyped({ command, options }: CommandLine) {
  const harmless = options.filter(({ option }) => !optionNotes(option).isDrastic)
  const entries = harmless.map(({ option, value }) => [option.long, value?.text ?? true])
  const typed = Object.fromEntries(entries)
  return (change: HintOptions, paths: readonly string[] = []) =>
    commandLine(commandPath(command), { paths, options: { ...typed, ...change } })
}

async function runLine(line: ParsedLine, context: Context): Promise<void> {
  const { typed, page } = line
  // Node replaces bytes that are not UTF-8 by this character.
  if (typed.argv.some(word => word.includes('\ufffd')) && !context.host.hasTextArguments()) {
    throw new Failure('usage', 'an argument is not UTF-8 text')
  }
  if (page === 'version') return context.output.text(context.version)
  if (page === 'help') return printCommandHelp(typed.command, context)
  if (page === 'group') return printGroup(typed.command, context)
  const mistake = line.mistake ?? (await runCommand(line, context))
  if (mistake === undefined) return
  const { usageFailure } = await import('./mistakes.ts')
  throw await usageFailure(typed, mistake, await situationOf(context))
}

/**
 * Returns a mistake that only the command can know: a name that does not exist, or a value that is
 * missing.
 */
async function runCommand(line: ParsedLine, context: Context): Promise<Mistake | undefined> {
  const { typed, values } = line
  try {
    await requireTypedEnvironment(line, context)
    if (values !== undefined) await typed.command.run?.(values.options, context, ...values.args)
    return undefined
  } catch (error) {
    if (error instanceof Failure && (error.unknownName !== undefined || error.isIncomplete))
      return { kind: 'refused', failure: error }
    throw error
  }
}

/** Where the settings cannot be read, nothing prompts. */
async function situationOf({ settings, store, host }: Context): Promise<Situation> {
  const saved = (await store.read().catch(ignoreFailure)) ?? {}
  const resolved = await settings().catch(ignoreFailure)
  return {
    saved,
    environment: resolved?.value('env') ?? defaultEnvironment(saved),
    canPrompt: resolved?.value('input') ?? false,
    hasFileInput: host.hasFileInput()
  }
}

/**
 * An environment that was typed must exist, even where the command would not need it. A variable is
 * not checked here: it may be wrong in every command, also in those that help to correct it.
 */
async function requireTypedEnvironment({ typed, flags }: ParsedLine, { settings }: Context) {
  const { createsEnvironment, toleratesBrokenConfig } = typed.command.notes
  if (flags.env === undefined || createsEnvironment || toleratesBrokenConfig) return
  const resolved = await settings()
  resolved.environmentNamed(flags.env)
}
