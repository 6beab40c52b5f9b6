import type { Failure } from '../failure.ts'
import type { Host } from '../platform/host.ts'
import { wantsColor } from './color.ts'
import { errorText, errorValue, logText, noticeText, traceText } from './messages.ts'
import type { OutputSettings } from './output.ts'
import type { Progress, ProgressLine } from './progress.ts'
import { createMask, mask } from './redact.ts'
import { print } from './stream.ts'
import { styleFor } from './style.ts'

/** What goes to stderr: in words for people, as JSON lines for programs, never with a key in it. */
export interface Reporter {
  notice(code: string, message: string): Promise<void>
  /** A line of a log: for people it stands alone. */
  log(code: string, line: string): Promise<void>
  /** Lines of what goes over the wire, from a function that is given the means to cover secrets. */
  trace(linesOf: (cover: (text: string) => string) => string): Promise<void>
  error(failure: Failure): Promise<void>
  /** Shows how far something has come, where stderr is a terminal that nothing else is written to; until `end` is called. */
  progress(unit: string, look: () => Progress): Promise<{ end(): Promise<void> }>
  /** A failure as a value, for whoever shows it as something that happened on the way. */
  describe(failure: Failure): ErrorValue
  /** From here on notices go there, where the terminal they would appear in is taken; other kinds of lines go nowhere. */
  redirect(notices: (message: string) => void): void
}

type ErrorValue = ReturnType<typeof errorValue>

interface Ingredients {
  readonly host: Host
  readonly settings: () => Promise<OutputSettings>
  readonly isQuiet: () => boolean
  readonly isVerbose: () => boolean
  readonly secrets: ReadonlySet<string>
}

export function createReporter({ host, settings, isQuiet, isVerbose, secrets }: Ingredients): Reporter {
  const manner = async () => {
    const { format, color } = await settings()
    return {
      // Looked up this late because the settings bring the kept keys along.
      secrets: [...secrets],
      asJson: (format === 'json' || format === 'ndjson') && !host.terminal.stderr,
      style: await styleFor(wantsColor({ choice: color, isTerminal: host.terminal.stderr, env: host.env })),
    }
  }
  let masked = { secrets: 0, cover: (text: string) => text }
  /** Secrets are added and never taken away, so their number tells whether the mask is still whole. */
  const cover = (text: string) => {
    if (masked.secrets !== secrets.size) masked = { secrets: secrets.size, cover: createMask([...secrets]) }
    return masked.cover(text)
  }
  let line: ProgressLine | undefined
  const say = async (text: string) => {
    await line?.clear()
    // With stderr closed or full nobody is left to tell, and the command's own outcome still counts.
    await print(host, 'stderr', text).catch(() => {})
  }

  let redirected: ((message: string) => void) | undefined

  return {
    describe: (failure) => errorValue(failure, [...secrets]),
    redirect: (notices) => {
      if (host.terminal.stderr) redirected = notices
    },
    notice: async (code, message) => {
      if (redirected !== undefined) redirected(mask(message, [...secrets]))
      else if (!isQuiet()) await say(noticeText(code, message, await manner()))
    },
    log: async (code, line) => {
      if (redirected !== undefined || isQuiet()) return
      const look = await manner()
      await say(logText(code, cover(line), { ...look, secrets: [] }))
    },
    trace: async (linesOf) => {
      if (redirected !== undefined) return
      const look = await manner()
      await say(
        traceText(
          linesOf((text) => mask(text, look.secrets)),
          look,
        ),
      )
    },
    error: async (failure) => say(errorText(failure, { ...(await manner()), verbose: isVerbose() })),
    progress: async (unit, look) => {
      const { format } = await settings()
      const isShared = host.terminal.stdout && format !== 'table'
      if (isQuiet() || !host.terminal.stderr || host.env.TERM === 'dumb' || isShared) return { end: async () => {} }
      const { showProgress } = await import('./progress.ts')
      const shown = showProgress(host, unit, look)
      line = shown
      return { end: () => shown.end() }
    },
  }
}
