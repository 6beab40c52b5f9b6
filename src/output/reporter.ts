import { type Failure, ignoreFailure } from '../failure.ts'
import type { ErrorValue } from '../model/results.ts'
import { type Redact, visibleLine } from '../model/visible.ts'
import type { Host } from '../platform/host.ts'
import type { Interruption } from '../platform/interruption.ts'
import { withoutFinalNewline } from '../platform/read-input.ts'
import { type Format, formats } from './formats.ts'
import { describeFailure, errorText, logText, noticeText } from './messages.ts'
import type { Progress, StatusLine } from './progress.ts'
import { ignoreUnprinted, print } from './stream.ts'
import { type ColorChoice, movesCursor, styleFor } from './view.ts'

/** The style of text that appears even if the settings cannot be read. */
interface Presentation {
  readonly output: Format
  readonly color: ColorChoice
  readonly quiet: boolean
  readonly verbose: boolean
}

interface Summary {
  /** For programs. */
  readonly value: object
  /** One line for people; undefined if they have read it already. */
  readonly text: string | undefined
  readonly isGood: boolean
}

/** Where people can read a summary; undefined if they cannot. */
export type SummaryPlace = 'terminal' | 'file' | undefined

/** Everything that goes to stderr: lines for people or JSON for programs, and never a secret. */
export interface Reporter {
  /** From now on, this secret, if there is one, never appears on stderr. */
  addSecret(secret?: string): void
  /** The same protection for text that is data, with the secrets known now. */
  redactor(): Promise<Redact>
  /** Loads what messages need: later, another version of the program may have taken its place. */
  prepare(): Promise<void>
  /** A failure as a value, for output that contains it. */
  describe(failure: Failure): Promise<ErrorValue>
  /** Passes notices to a screen that shows them itself. From then on, nothing else is printed. */
  divertNotices(show: (message: string) => void): void
  /** Information that is not an error. The code is for programs. */
  notice(code: string, message: string, options?: { readonly evenIfQuiet?: boolean }): Promise<void>
  /** The result of many changes. */
  summary(summary: Summary): Promise<SummaryPlace>
  /** Confirms a completed change for a person at a terminal; elsewhere, the exit code is enough. */
  confirm(message: string): Promise<void>
  /**
   * Lines of a log: for people they have no label. The function that creates them redacts text
   * before shortening it.
   */
  log(code: string, linesOf: (redact: Redact) => string): Promise<void>
  error(failure: Failure): Promise<void>
  /** Shows progress until `end` is called, if stderr is a terminal with no other output. */
  progress(look: () => Progress): Promise<{ end(): Promise<void> }>
  /** If the work takes long, shows what a person is waiting for, and then removes that line. */
  whileWaiting<Value>(what: string, work: () => Promise<Value>): Promise<Value>
}

export function createReporter(
  host: Host,
  presentation: () => Promise<Presentation>,
  interruption: Pick<Interruption, 'waitFor'>,
): Reporter {
  const { addSecret, redactor } = createSecrets()
  const isQuiet = async () => (await presentation()).quiet
  const messageOptions = async () => {
    // The settings come first: reading them adds the saved keys to the secrets.
    const { output: format, color, verbose } = await presentation()
    const isJson = formats[format].kind === 'json' && !host.terminal.stderr
    return {
      verbose,
      redact: await redactor(),
      stringify: isJson ? (await import('../model/json.ts')).stringifyJson : undefined,
      style: await styleFor(host, 'stderr', color),
    }
  }
  let statusLine: StatusLine | undefined
  let showNotice: ((message: string) => void) | undefined
  const noStatus = { end: async () => {} }
  /** Shows a status unless there is another one. */
  const showStatus = (show: () => StatusLine) => {
    if (statusLine !== undefined) return noStatus
    const shown = show()
    statusLine = shown
    const end = () => {
      statusLine = undefined
      return shown.end()
    }
    return { end }
  }
  const canShowStatus = async () =>
    host.terminal.stderr && showNotice === undefined && !(await isQuiet())
  const showWaiting = async (what: string) => {
    if (!movesCursor(host) || !(await canShowStatus())) return undefined
    const { showSpinner } = await import('./progress.ts')
    const shownText = visibleLine((await redactor())(what))
    return showStatus(() => showSpinner(host, shownText))
  }
  const write = async (text: string) => {
    await statusLine?.clear()
    // If stderr cannot be written, the run still has its data and its exit code.
    await interruption.waitFor(print(host, 'stderr', text).catch(ignoreUnprinted))
  }
  const writeLine = async (text: string, isGood: boolean) => {
    const { redact, style } = await messageOptions()
    const line = visibleLine(redact(text))
    await write(`${isGood ? style.good(line) : line}\n`)
  }

  return {
    addSecret,
    redactor,
    prepare: async () => void (await messageOptions()),
    describe: async (failure) => describeFailure(failure, await redactor()),
    divertNotices: (show) => {
      if (host.terminal.stderr) showNotice = show
    },
    notice: async (code, message, { evenIfQuiet = false } = {}) => {
      if (showNotice !== undefined) showNotice((await redactor())(message))
      else if (evenIfQuiet || !(await isQuiet()))
        await write(noticeText(code, message, await messageOptions()))
    },
    summary: async ({ value, text, isGood }) => {
      if (await isQuiet()) return undefined
      const { stringify, redact } = await messageOptions()
      if (stringify !== undefined) {
        const summary = Object.entries(value).map(([name, item]) => {
          return [name, typeof item === 'string' ? redact(item) : item]
        })
        await write(`${stringify({ summary: Object.fromEntries(summary) })}\n`)
        return undefined
      }
      if (text !== undefined) await writeLine(text, isGood)
      return host.terminal.stderr ? 'terminal' : 'file'
    },
    confirm: async (message) => {
      if (host.terminal.stderr && !(await isQuiet())) await writeLine(message, true)
    },
    log: async (code, linesOf) => {
      if (showNotice !== undefined) return
      const options = await messageOptions()
      await write(logText(code, linesOf(options.redact), options))
    },
    error: async (failure) => write(errorText(failure, await messageOptions())),
    progress: async (look) => {
      const { output: format } = await presentation()
      const isShared = host.terminal.stdout && formats[format].kind !== 'people'
      if (isShared || !(await canShowStatus())) return noStatus
      const { showProgress } = await import('./progress.ts')
      return showStatus(() => showProgress(host, look))
    },
    whileWaiting: async (what, work) => {
      const showing = showWaiting(what).catch(ignoreFailure)
      try {
        return await work()
      } finally {
        const shown = await showing
        await shown?.end()
      }
    },
  }
}

/** The texts that must never be printed, and the function that removes them from other texts. */
function createSecrets(): Pick<Reporter, 'addSecret' | 'redactor'> {
  const secrets = new Set<string>()
  /** Undefined if it does not know all secrets. */
  let redactor: Redact | undefined = (text) => text
  return {
    addSecret: (secret = '') => {
      if (secret === '') return
      // A key is sent without its final newline, and a service may repeat it without one.
      secrets.add(secret).add(withoutFinalNewline(secret))
      redactor = undefined
    },
    redactor: async () => {
      if (redactor !== undefined) return redactor
      const { createRedactor } = await import('./redact.ts')
      redactor ??= createRedactor([...secrets])
      return redactor
    },
  }
}
