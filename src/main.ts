import manifest from '../package.json' with { type: 'json' }
import { asFailure, Failure, NothingSent } from './failure.ts'
import { ClosedPipe, print } from './output/stream.ts'
import type { Host } from './system/host.ts'
import { listenForInterruption } from './system/interruption.ts'

export { processHost } from './system/host.ts'

/** Runs one command line and resolves to the exit code. Only this function prints failures. */
export async function main(argv: readonly string[], host: Host): Promise<number> {
  const { version } = manifest
  // Alone, -v has nothing to be verbose about.
  const isForVersion = ['--version', '-version', '-V', '-v'].includes(argv.join(' '))
  if (isForVersion && (await isPrinted(host, version))) return 0
  const { parseCommandLine } = await import('./cli/parse.ts')
  const invocation = parseCommandLine(argv)
  const { flags, retyped, page } = invocation
  const isPlain = flags.output === undefined
  if (page && isPlain && (await isPrinted(host, page(host)))) return 0

  const interruption = listenForInterruption(host)
  const { createContext } = await import('./session/create-context.ts')
  const context = await createContext(argv, flags, { host, interruption, version, retyped })
  host.onWarning(message => void context.report.notice('node', `Node: ${message}`))

  const run = async () => {
    await invocation.run(context)
    await context.close()
  }
  const report = async (error: unknown) => {
    // The reader has seen enough, or the request was only shown: neither is a failure.
    if (error instanceof ClosedPipe || error instanceof NothingSent) return 0
    // A failure after a signal is a consequence of the signal.
    const isConsequence = interruption.signal.aborted && !(error instanceof Failure)
    const failure = asFailure(isConsequence ? interruption.signal.reason : error)
    const isExpected = interruption.isExpected && failure.code === 'interrupted'
    if (!isExpected && !failure.isReported) await context.report.error(failure)
    return failure.exitCode
  }

  try {
    await Promise.race([run(), interruption.ending])
    return 0
  } catch (error) {
    const exitCode = await report(error)
    const closingCode = await context.close().then(() => 0, report)
    return exitCode || closingCode
  } finally {
    interruption.stop()
  }
}

/**
 * The version and pages of help need no context, and the version no tree: each takes 4 ms. What
 * cannot be written is printed again in the usual way, which reports the failure.
 */
async function isPrinted(host: Host, text: string) {
  return print(host, 'stdout', `${text}\n`).then(
    () => true,
    () => false
  )
}
