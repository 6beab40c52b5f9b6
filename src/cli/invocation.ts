import { asDeclared, notesOf } from '../commands/declare.ts'
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
    toleratesBrokenConfig: notesOf(line.typed.command).toleratesBrokenConfig === true,
    retyped: (change: HintOptions, paths: readonly string[] = []) =>
      retyped(line.typed, change, paths),
    run: (context: Context) => runLine(line, context),
  }
}

async function runLine(line: ParsedLine, context: Context): Promise<void> {
  const { result, typed } = line
  // Node replaces bytes that are not UTF-8 by this character.
  if (typed.argv.some((word) => word.includes('\ufffd')) && !context.host.hasTextArguments()) {
    throw new Failure('usage', 'an argument is not UTF-8 text')
  }
  if (result === 'version') return context.output.text(context.version)
  if (result === 'help') return printCommandHelp(typed.command, context)
  if (result === 'group') return printGroup(typed.command, context)
  const mistake =
    'mistake' in result
      ? result.mistake
      : await mistakeOf(async () => {
          await requireTypedEnvironment(line, context)
          await asDeclared(typed.command).run?.(result.options, context, ...result.args)
        })
  if (mistake === undefined) return
  const { usageFailure } = await import('./mistakes.ts')
  throw await usageFailure(typed, mistake, await situationOf(context))
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
  const { createsEnvironment, toleratesBrokenConfig } = notesOf(typed.command)
  if (flags.env === undefined || createsEnvironment || toleratesBrokenConfig) return
  const resolved = await settings()
  resolved.environmentNamed(flags.env)
}

/**
 * A name that does not exist is a mistake on the command line too, even if only the command can
 * know.
 */
async function mistakeOf(run: () => Promise<void>): Promise<Mistake | undefined> {
  try {
    await run()
    return undefined
  } catch (error) {
    if (error instanceof Failure && (error.unknownName !== undefined || error.isIncomplete))
      return { kind: 'refused', failure: error }
    throw error
  }
}
