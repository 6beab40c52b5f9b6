import { type Failure, ignoreFailure } from '../failure.ts'
import { escapeActive, type Redact, visibleLine } from '../model/visible.ts'
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

export type Reporter = ReturnType<typeof createReporter>

/** Everything that goes to stderr: lines for people or JSON for programs, and never a secret. */
export function createReporter(
  host: Host,
  presentation: () => Promise<Presentation>,
  interruption: Interruption
) {
  const secrets = createSecrets()
  const { redactor } = secrets
  const isQuiet = async () => (await presentation()).quiet
  const messageOptions = async (id?: unknown) => {
    // The settings come first: reading them adds the saved keys to the secrets.
    const { output: format, color, verbose } = await presentation()
    const isJson = formats[format].kind === 'json' && !host.terminal.stderr
    return {
      verbose,
      redact: await redactor(),
      stringify: isJson ? await jsonWriter(id) : undefined,
      style: await styleFor(host, 'stderr', color)
    }
  }
  let showNotice: ((message: string) => void) | undefined
  const status = createStatus(
    async () => host.terminal.stderr && showNotice === undefined && !(await isQuiet())
  )
  const showWaiting = async (what: string) => {
    if (!host.terminal.stderr || !movesCursor(host)) return undefined
    const text = visibleLine((await redactor())(what))
    return status.show(({ showSpinner }) => showSpinner(host, text))
  }
  const write = async (text: string) => {
    await status.clear()
    // If stderr cannot be written, the run still has its data and its exit code.
    await interruption.waitFor(print(host, 'stderr', text).catch(ignoreUnprinted))
  }
  const writeLine = async (text: string, isGood: boolean) => {
    const { redact, style } = await messageOptions()
    const line = visibleLine(redact(text))
    await write(`${isGood ? style.good(line) : line}\n`)
  }

  return {
    ...secrets,
    /** Loads what messages need: later, another version of the program may have taken its place. */
    prepare: async () => void (await messageOptions()),
    /** A failure as a value, for output that contains it. */
    describe: async (failure: Failure) => describeFailure(failure, await redactor()),
    /** Passes notices to a screen that shows them itself. From then on, nothing else is printed. */
    divertNotices: (show: (message: string) => void) => {
      if (host.terminal.stderr) showNotice = show
    },
    /** Information that is not an error. The code is for programs. */
    notice: async (code: string, message: string, { evenIfQuiet = false } = {}) => {
      if (showNotice !== undefined) showNotice((await redactor())(message))
      else if (evenIfQuiet || !(await isQuiet()))
        await write(noticeText(code, message, await messageOptions()))
    },
    /** The result of many changes. */
    summary: async ({ value, text, isGood }: Summary): Promise<SummaryPlace> => {
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
    /** Confirms a completed change for a person at a terminal; elsewhere, the exit code is enough. */
    confirm: async (message: string) => {
      if (host.terminal.stderr && !(await isQuiet())) await writeLine(message, true)
    },
    /**
     * Lines of a log: for people they have no label. The function that creates them redacts text
     * before shortening it.
     */
    log: async (code: string, linesOf: (redact: Redact) => string) => {
      if (showNotice !== undefined) return
      const options = await messageOptions()
      await write(logText(code, linesOf(options.redact), options))
    },
    error: async (failure: Failure) => {
      await write(errorText(failure, await messageOptions(failure.change?.id)))
    },
    /** Shows progress until `end` is called, if stderr is a terminal with no other output. */
    progress: async (look: () => Progress) => {
      const { output: format } = await presentation()
      const isShared = host.terminal.stdout && formats[format].kind !== 'people'
      if (isShared) return undefined
      return status.show(({ showProgress }) => showProgress(host, look))
    },
    /** If the work takes long, shows what a person is waiting for, and then removes that line. */
    whileWaiting: async <Value>(what: string, work: () => Promise<Value>): Promise<Value> => {
      const showing = showWaiting(what).catch(ignoreFailure)
      try {
        return await work()
      } finally {
        const shown = await showing
        await shown?.end()
      }
    }
  }
}

/** JSON.stringify refuses the id of a pet; what can write it loads only for that. */
async function jsonWriter(id: unknown): Promise<(value: unknown) => string> {
  if (typeof id === 'bigint') return (await import('../model/json.ts')).stringifyJson
  return value => escapeActive(JSON.stringify(value))
}

/** The line at the bottom of the terminal. */
function createStatus(isSeen: () => Promise<boolean>) {
  let line: StatusLine | undefined
  return {
    clear: async () => line?.clear(),
    /** Undefined where it would not be seen, or there is another one. */
    show: async (open: (progress: typeof import('./progress.ts')) => StatusLine) => {
      if (!(await isSeen())) return undefined
      const progress = await import('./progress.ts')
      if (line !== undefined) return undefined
      const opened = open(progress)
      line = opened
      const end = () => {
        line = undefined
        return opened.end()
      }
      return { end }
    }
  }
}

/** The texts that must never be printed, and the function that removes them from other texts. */
function createSecrets() {
  const secrets = new Set<string>()
  /** Undefined if it does not know all secrets. */
  let redactor: Redact | undefined = text => text
  return {
    /** From now on, this secret, if there is one, never appears on stderr. */
    addSecret: (secret = '') => {
      if (secret === '') return
      // A key is sent without its final newline, and a service may repeat it without one.
      secrets.add(secret).add(withoutFinalNewline(secret))
      redactor = undefined
    },
    /** The same protection for text that is data, with the secrets known now. */
    redactor: async (): Promise<Redact> => {
      if (redactor !== undefined) return redactor
      const { createRedactor } = await import('./redact.ts')
      redactor ??= createRedactor([...secrets])
      return redactor
    }
  }
}
