import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'
import type { HintOptions } from '../platform/shell.ts'
import { retyped } from './argv.ts'
import { printCommandHelp, printGroup } from './help.ts'
import { type ParsedLine, parseArgv } from './parse.ts'
import { buildProgram } from './program.ts'

/** A parsed command line. If it is wrong, `run` throws the error. */
export function parseCommandLine(argv: readonly string[], version: string) {
  const line = parseArgv(buildProgram(version), argv)
  const { flags, result } = line
  const notes = typeof result === 'object' && 'command' in result ? result.command.notes : undefined
  const toleratesBrokenConfig = notes?.toleratesBrokenConfig === true
  return {
    flags,
    toleratesBrokenConfig,
    retyped: (change: HintOptions, paths: readonly string[] = []) => retyped(line.typed, change, paths),
    run: (context: Context) => run(line, context),
  }
}

async function run(line: ParsedLine, context: Context): Promise<void> {
  const { result, typed } = line
  // Node replaces bytes that are not UTF-8 by this character.
  if (typed.argv.some((word) => word.includes('\ufffd')) && !context.host.hasTextArguments()) {
    throw new Failure('usage', 'an argument is not UTF-8 text')
  }
  if (result === 'version') return context.output.text(context.version)
  if (result === 'help') return printCommandHelp(typed.command, context)
  if (result === 'group') return printGroup(typed.command, context)
  try {
    if ('error' in result) throw result.error
    await result.command.run?.(result.values, context)
  } catch (error) {
    const isNameUnknown = error instanceof Failure && error.unknownName !== undefined
    if (!('error' in result) && !isNameUnknown) throw error
    const { withSuggestion } = await import('./mistakes.ts')
    const canPrompt = await context.settings().then(
      (settings) => settings.value('input'),
      () => false,
    )
    throw withSuggestion(line, error, canPrompt)
  }
}
