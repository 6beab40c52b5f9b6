import type { Context } from '../context.ts'
import { Failure, ignoreFailure } from '../failure.ts'
import type { HintOptions } from '../platform/shell.ts'
import { defaultEnvironment } from '../settings/saved-state.ts'
import { type Mistake, retyped } from './argv.ts'
import { printCommandHelp, printGroup } from './help.ts'
import { type ParsedLine, parseArgv } from './parse.ts'
import { program } from './program.ts'
import type { Situation } from './suggestion.ts'

/** A parsed command line. If it is wrong, `run` throws the error. */
export function parseCommandLine(argv: readonly string[]) {
  const line = parseArgv(program, argv)
  return {
    flags: line.flags,
    toleratesBrokenConfig: line.typed.command.notes.toleratesBrokenConfig === true,
    retyped: (change: HintOptions, paths: readonly string[] = []) =>
      retyped(line.typed, change, paths),
    run: (context: Context) => runLine(line, context),
  }
}

async function runLine(line: ParsedLine, context: Context): Promise<void> {
  const { typed, page } = line
  // Node replaces bytes that are not UTF-8 by this character.
  if (typed.argv.some((word) => word.includes('\ufffd')) && !context.host.hasTextArguments()) {
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
    hasFileInput: host.hasFileInput(),
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
