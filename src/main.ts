import manifest from '../package.json' with { type: 'json' }
import { readFlags } from './cli/global-options.ts'
import { openingPage } from './cli/opening.ts'
import { buildProgram, type Printed } from './cli/program.ts'
import { helpAskedFor, wantsHelp } from './cli/request.ts'
import { isHelp, isVersion, mannerOf, usageFailure } from './cli/usage.ts'
import { NothingSent } from './client/dry-run.ts'
import { createContext } from './context.ts'
import { Failure, unexpectedFailure } from './failure.ts'
import { ClosedPipe } from './output/stream.ts'
import type { Host } from './platform/host.ts'
import { listenForCrash, listenForInterruption } from './platform/interruption.ts'

export { processHost } from './platform/host.ts'

/** Runs one command line to its end and answers with the exit code. Every failure is turned into words here. */
export async function main(argv: readonly string[], host: Host): Promise<number> {
  const interruption = listenForInterruption(host)
  const printed: Printed = { text: '' }
  let flags = () => readFlags(program)
  const context = createContext({ host, interruption, version: manifest.version, flags: () => flags() })
  const program = buildProgram(context, manifest.version, printed)
  // Only from here on can a crash be told; before, it is left to Node.
  const crash = listenForCrash(host)

  const run = async () => {
    if (wantsHelp(program, argv)) {
      flags = () => mannerOf(argv)
      await context.output.page(helpAskedFor(program, argv, host.columns()))
      return
    }
    await program.parseAsync([...argv], { from: 'user' }).catch(async (error: unknown) => {
      if (isVersion(error)) await context.output.text(printed.text.trimEnd())
      else if (isHelp(error)) await context.output.page(await openingPage(program, context, printed.text.trimEnd()))
      else throw error
    })
    await context.close()
  }

  /** Says what went wrong, and answers with the exit code. */
  const tell = async (error: unknown) => {
    // Whoever read the output has seen enough, or the request was to be shown and not sent: no failure of ours.
    if (error instanceof ClosedPipe || error instanceof NothingSent) return 0
    const misuse = usageFailure(error, program, argv)
    if (misuse !== undefined) flags = () => mannerOf(argv)
    const failure = misuse ?? asFailure(error, interruption.signal)
    await context.reporter.error(failure)
    return failure.exitCode
  }

  try {
    await Promise.race([run(), interruption.deadline, crash.happened])
    return 0
  } catch (error) {
    const exitCode = await tell(error)
    interruption.stop()
    const closing = await context.close().then(() => 0, tell)
    return exitCode || closing
  } finally {
    interruption.stop()
    crash.stop()
  }
}

function asFailure(error: unknown, interruption: AbortSignal): Failure {
  if (error instanceof Failure) return error
  if (interruption.aborted) return interruption.reason as Failure
  return unexpectedFailure(error)
}
