import type { CommanderError } from '@commander-js/extra-typings'
import type { DeclaredCommand } from '../commands/declare.ts'
import { Failure } from '../failure.ts'
import type { Context } from '../session/context.ts'
import { variableNames } from '../settings/table.ts'
import type { Host } from '../system/host.ts'
import { commandLine, type HintOptions } from '../text/shell.ts'
import { pageOf } from './help.ts'
import { program } from './program.ts'
import { readLine } from './read-line.ts'
import { typedSettings } from './shared-options.ts'
import { commandPath, isDrastic } from './tree.ts'

/** What a command line asks for. If it is wrong, `run` throws the error. */
export function parseCommandLine(argv: readonly string[]) {
  const line = readLine(program, argv)
  const { command, error, request } = line
  const flags = typedSettings(program)
  const options: HintOptions = Object.fromEntries([program, command].flatMap(harmlessOptions))
  // Before anything is awaited: the next line that is read takes the place of this one.
  const { processedArgs: args } = command
  const typed = command.opts()
  const isVersion = request?.code === 'commander.version'
  const page = (host: Host) => (isVersion ? request.message : pageOf(command, host))
  const refuse = async (problem: CommanderError | Failure, { terminal }: Host) => {
    const { usageFailure } = await import('./usage.ts')
    throw usageFailure({
      ...line,
      error: problem,
      isBeforeRun: problem === error,
      isPiped: !terminal.stdin
    })
  }
  const run = async (context: Context) => {
    if (request !== undefined) return context.output.text(page(context.host))
    if (error !== undefined) return refuse(error, context.host)
    try {
      // An environment that was typed must exist, even where the command would not need it.
      if (flags.env !== undefined && !command.notes.createsEnvironment)
        context.settings.environmentNamed(flags.env)
      await requireKnownVariables(command, context.host)
      await command.run?.(typed, context, ...args)
    } catch (problem) {
      if (problem instanceof Failure && problem.code === 'usage')
        return refuse(problem, context.host)
      throw problem
    }
  }
  return {
    flags,
    /**
     * Writes the command again for a hint, with some options changed or left out. A user may paste
     * a hint unread, so it never deletes data or sends it again.
     */
    retyped: (change: HintOptions, paths: readonly string[] = []) =>
      commandLine(commandPath(command), { paths, options: { ...options, ...change } }),
    /** The version or the page of help that it asks for instead. */
    page: request && page,
    run
  }
}

/** The options that were typed and do no harm, each with what was typed for it. */
function harmlessOptions({ typed }: DeclaredCommand) {
  const harmless = [...typed].filter(([each]) => !isDrastic(each))
  return harmless.map(([{ long }, texts]) => [long, texts])
}

/** A mistyped PETSTORE_READ_ONLY would have no effect. */
async function requireKnownVariables({ notes }: DeclaredCommand, { env }: Host) {
  const unknown = Object.keys(env).filter(name => {
    return /^PETSTORE_[A-Z_]+$/.test(name) && env[name] && !variableNames.includes(name)
  })
  const isEffective = notes.changes ?? notes.actsOn
  if (!isEffective || unknown.length === 0) return
  const { requireOtherMeaning } = await import('./spelling.ts')
  unknown.forEach(requireOtherMeaning)
}
