import type { Failure } from '../failure.ts'
import { visibleLine, visibleText } from '../model/visible.ts'
import type { Host } from '../platform/host.ts'
import { type Format, formats } from './formats.ts'
import { errorText, errorValue, logText, noticeText, type Redact } from './messages.ts'
import type { Progress, StatusLine } from './progress.ts'
import { print } from './stream.ts'
import { type ColorChoice, styleFor } from './style.ts'

/** How text looks that appears even if the settings cannot be read. */
interface Presentation {
  readonly output: Format
  readonly color: ColorChoice
  readonly quiet: boolean
  readonly verbose: boolean
}

/** Milliseconds until a person wonders whether anything happens. */
const spinnerDelay = 1000

export type Reporter = ReturnType<typeof createReporter>

/** Everything that goes to stderr: lines for people or JSON for programs, and never a secret. */
export function createReporter(host: Host, presentation: () => Promise<Presentation>) {
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
    /** From now on this never shows on stderr, if there is one. */
    addSecret: (secret = '') => {
      // A key is sent without the newline at its end, and may come back without it.
      for (const form of [secret, secret.replace(/\r?\n$/, '')]) {
        if (form !== '') secrets.add(form)
      }
    },
    /** The same protection for text that is data. */
    redact: async (text: string) => (await currentRedactor())(text),
    /** A failure as a value, for output that contains it. */
    describe: async (failure: Failure) => errorValue(failure, await currentRedactor()),
    /** Passes notices on instead of printing them, for a screen that shows them itself; nothing else is printed then. */
    divertNotices: (show: (message: string) => void) => {
      if (host.terminal.stderr) showNotice = show
    },
    /** A remark that is not an error. The code is for programs. */
    notice: async (code: string, message: string) => {
      if (showNotice !== undefined) showNotice((await currentRedactor())(message))
      else if (!(await presentation()).quiet) await write(noticeText(code, message, await messageOptions()))
    },
    /** Confirms a completed change, for a person at a terminal; elsewhere the exit code does. */
    confirm: async (message: string) => {
      if (!host.terminal.stderr || (await presentation()).quiet) return
      const { style, redact } = await messageOptions()
      await write(`${style.good(visibleLine(redact(message)))}\n`)
    },
    /** A line of a log: for people it has no label. */
    log: async (code: string, line: string) => {
      if (showNotice !== undefined || (await presentation()).quiet) return
      await write(logText(code, line, visibleLine, await messageOptions()))
    },
    /** Lines about a request or a reply. The function that makes them redacts what it cuts, before it cuts. */
    trace: async (linesOf: (redact: Redact) => string) => {
      if (showNotice !== undefined) return
      const options = await messageOptions()
      await write(logText('trace', linesOf(options.redact), visibleText, options))
    },
    error: async (failure: Failure) => write(errorText(failure, await messageOptions())),
    /** Shows a progress bar until `end` is called, if stderr is a terminal that nothing else is written to. */
    progress: async (unit: string, look: () => Progress) => {
      const { output: format } = await presentation()
      const isShared = host.terminal.stdout && !formats[format].isForPeople
      if (isShared || !(await canShowStatus())) return { end: async () => {} }
      const { showProgress } = await import('./progress.ts')
      return { end: showStatus(showProgress(host, unit, look)) }
    },
    /** Shows what a person waits for if the work takes long, and leaves nothing behind. */
    whileWaiting: async <Value>(what: string, work: () => Promise<Value>): Promise<Value> => {
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
