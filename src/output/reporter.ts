import type { Failure } from '../failure.ts'
import type { Host } from '../platform/host.ts'
import { type Format, formats } from './formats.ts'
import { errorText, errorValue, logText, noticeText, type Redact, traceText } from './messages.ts'
import type { Progress, StatusLine } from './progress.ts'
import { print } from './stream.ts'
import { type ColorChoice, styleFor } from './style.ts'
import { visibleLine } from './visible.ts'

/** Everything that goes to stderr: lines for people or JSON for programs, and never a secret. */
export interface Reporter {
  /** A remark that is not an error. The code is for programs. */
  notice(code: string, message: string): Promise<void>
  /** Confirms a completed change, for a person at a terminal; elsewhere the exit code does. */
  confirm(message: string): Promise<void>
  /** A line of a log: for people it has no label. */
  log(code: string, line: string): Promise<void>
  /** Lines about a request or a reply. The function that makes them redacts what it cuts, before it cuts. */
  trace(linesOf: (redact: Redact) => string): Promise<void>
  error(failure: Failure): Promise<void>
  /** Shows a progress bar until `end` is called, if stderr is a terminal that nothing else is written to. */
  progress(unit: string, look: () => Progress): Promise<{ end(): Promise<void> }>
  /** Shows what a person waits for if the work takes long, and leaves nothing behind. */
  whileWaiting<Value>(what: string, work: () => Promise<Value>): Promise<Value>
  /** A failure as a value, for output that contains it. */
  describe(failure: Failure): Promise<ErrorValue>
  /** Passes notices on instead of printing them, for a screen that shows them itself; nothing else is printed then. */
  divertNotices(show: (message: string) => void): void
  /** From now on this never shows on stderr, if there is one. */
  addSecret(secret: string | undefined): void
  /** The same protection for text that is data. */
  redact(text: string): Promise<string>
}

type ErrorValue = ReturnType<typeof errorValue>

interface ReporterOptions {
  readonly host: Host
  readonly presentation: () => Promise<Presentation>
}

/** How text looks that appears even if the settings cannot be read. */
interface Presentation {
  readonly output: Format
  readonly color: ColorChoice
  readonly quiet: boolean
  readonly verbose: boolean
}

/** Milliseconds until a person wonders whether anything happens. */
const spinnerDelay = 1000

export function createReporter({ host, presentation }: ReporterOptions): Reporter {
  const secrets = new Set<string>()
  let redactor: { readonly secretCount: number; readonly redact: Redact } = { secretCount: 0, redact: (text) => text }
  const currentRedactor = async (): Promise<Redact> => {
    // Secrets are only ever added, so their number tells whether the redactor knows them all.
    if (redactor.secretCount !== secrets.size) {
      const { createRedactor } = await import('./redact.ts')
      redactor = { secretCount: secrets.size, redact: createRedactor([...secrets]) }
    }
    return redactor.redact
  }
  const messageOptions = async () => {
    // The settings come first: reading them adds the saved keys to the secrets.
    const { output: format, color, verbose } = await presentation()
    return {
      verbose,
      redact: await currentRedactor(),
      asJson: formats[format].isJson && !host.terminal.stderr,
      style: await styleFor(host, 'stderr', color),
    }
  }
  let statusLine: StatusLine | undefined
  let showNotice: ((message: string) => void) | undefined
  /** Returns the function that removes it again. */
  const showStatus = (shown: StatusLine) => {
    statusLine = shown
    return () => {
      statusLine = undefined
      return shown.end()
    }
  }
  const canShowStatus = async () => {
    const isFree = host.terminal.stderr && host.env.TERM !== 'dumb' && showNotice === undefined
    return isFree && !(await presentation()).quiet
  }
  const write = async (text: string) => {
    await statusLine?.clear()
    // If stderr cannot be written, the data and the exit code still count.
    await print(host, 'stderr', text).catch(() => {})
  }

  return {
    addSecret: (secret = '') => {
      // A key is sent without the newline at its end, and may come back without it.
      for (const form of [secret, secret.replace(/\r?\n$/, '')]) {
        if (form !== '') secrets.add(form)
      }
    },
    redact: async (text) => (await currentRedactor())(text),
    describe: async (failure) => errorValue(failure, await currentRedactor()),
    divertNotices: (show) => {
      if (host.terminal.stderr) showNotice = show
    },
    notice: async (code, message) => {
      if (showNotice !== undefined) showNotice((await currentRedactor())(message))
      else if (!(await presentation()).quiet) await write(noticeText(code, message, await messageOptions()))
    },
    confirm: async (message) => {
      if (!host.terminal.stderr || (await presentation()).quiet) return
      const { style, redact } = await messageOptions()
      await write(`${style.good(visibleLine(redact(message)))}\n`)
    },
    log: async (code, line) => {
      if (showNotice !== undefined || (await presentation()).quiet) return
      await write(logText(code, line, await messageOptions()))
    },
    trace: async (linesOf) => {
      if (showNotice !== undefined) return
      const options = await messageOptions()
      await write(traceText(linesOf(options.redact), options))
    },
    error: async (failure) => write(errorText(failure, await messageOptions())),
    progress: async (unit, look) => {
      const { output: format } = await presentation()
      const isShared = host.terminal.stdout && !formats[format].isForPeople
      if (isShared || !(await canShowStatus())) return { end: async () => {} }
      const { showProgress } = await import('./progress.ts')
      return { end: showStatus(showProgress(host, unit, look)) }
    },
    whileWaiting: async (what, work) => {
      // `performance` would load a module of Node's for every request.
      const since = Date.now()
      let isDone = false
      let end = async () => {}
      const show = async () => {
        if (!(await canShowStatus())) return
        const [{ showSpinner }, redact] = await Promise.all([import('./progress.ts'), currentRedactor()])
        if (isDone || statusLine !== undefined) return
        end = showStatus(showSpinner(host, visibleLine(redact(what)), since))
      }
      const timer = setTimeout(() => show().catch(() => {}), spinnerDelay)
      try {
        return await work()
      } finally {
        isDone = true
        clearTimeout(timer)
        await end()
      }
    },
  }
}
