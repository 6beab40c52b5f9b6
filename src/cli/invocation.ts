import type { DeclaredCommand } from '../commands/declare.ts'
import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'
import type { SettingFlags } from '../settings/settings.ts'
import { printCommandHelp, printGroup } from './help.ts'
import { type ParsedLine, parseArgv } from './parse.ts'

/** What a command line requests. For a wrong one, `run` throws the error. */
export interface Invocation {
  readonly flags: SettingFlags
  /** The command works without a config file if that cannot be read. */
  readonly toleratesBrokenConfig: boolean
  readonly run: (context: Context) => Promise<void>
}

export function parseCommandLine(argv: readonly string[], version: string): Invocation {
  const line = parseArgv(argv, version)
  return {
    flags: line.flags,
    toleratesBrokenConfig: commandOf(line)?.notes.toleratesBrokenConfig === true,
    run: (context) => run(line, context, version),
  }
}

async function run(line: ParsedLine, context: Context, version: string): Promise<void> {
  const { result, typed } = line
  if (result === 'version') return context.output.text(version)
  if (result === 'help') return printCommandHelp(typed.command, context)
  if (result === 'group') return printGroup(typed.command, context)
  try {
    if ('error' in result) throw result.error
    await result.command.run?.(context)
  } catch (error) {
    const isNameUnknown = error instanceof Failure && error.unknownName !== undefined
    if (!('error' in result) && !isNameUnknown) throw error
    const { withSuggestion } = await import('./mistakes.ts')
    const canPrompt = await context.settings().then(
      (settings) => settings.value('input'),
      () => false,
    )
    throw withSuggestion(line, error, { version, canPrompt })
  }
}

function commandOf({ result }: ParsedLine): DeclaredCommand | undefined {
  return typeof result === 'object' && 'command' in result ? result.command : undefined
}
