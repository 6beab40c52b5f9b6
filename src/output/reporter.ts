import type { Failure } from '../failure.ts'
import { type Redact, visibleText } from '../model/visible.ts'
import type { Host } from '../platform/host.ts'
import type { Interruption } from '../platform/interruption.ts'
import { withoutFinalNewline } from '../platform/read-input.ts'
import { type Format, formats } from './formats.ts'
import {
  describeFailure,
  errorText,
  hintLine,
  labeledText,
  lineText,
  type MessageLook
} from './messages.ts'
import { createStatusLine, type Progress, progressText } from './progress.ts'
import { ignoreUnprinted, print } from './stream.ts'
import { asItIs, type ColorChoice, styleFor } from './view.ts'

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
  /** One line for people. */
  readonly text: string
  /** A command line that can be run unchanged. */
  readonly hint?: string | undefined
  readonly isGood: boolean
}

export type Reporter = ReturnType<typeof createReporter>

/** Seconds until a person wonders whether anything is happening. */
const patience = 1

/** Everything that goes to stderr: lines for people or JSON for programs, and never a secret. */
export function createReporter(
  host: Host,
  presentation: () => Promise<Presentation>,
  interruption: Interruption
) {
  const secrets = createSecrets()
  const { redactor } = secrets
  const status = createStatusLine(host)
  const isQuiet = async () => (await presentation()).quiet
  const isJson = async () => {
    const { output: format } = await presentation()
    return formats[format].kind === 'json' && !host.terminal.stderr
  }
  const messageLook = async (): Promise<MessageLook> => {
    // The settings come first: reading them adds the saved keys to the secrets.
    const { color, verbose } = await presentation()
    const style = await styleFor(host, 'stderr', color)
    const columns = host.terminal.stderr ? host.columns() : undefined
    return {
      verbose,
      style,
      columns,
      redact: await redactor()
    }
  }
  const write = async (text: string) => {
    await status.clear()
    // If stderr cannot be written, the run still has its data and its exit code.
    await interruption.waitFor(print(host, 'stderr', text).catch(ignoreUnprinted))
  }
  /** Writes an object with one field for programs, or a text for people. */
  const say = async (
    name: string,
    fields: object,
    textFor: (look: MessageLook) => string | Promise<string>
  ) => {
    const look = await messageLook()
    if (!(await isJson())) return write(await textFor(look))
    const { stringifyJson } = await import('../model/json.ts')
    await write(`${stringifyJson({ [name]: redactedIn(fields, look.redact) })}\n`)
  }

  return {
    ...secrets,
    /** A failure as a value, for output that contains it. */
    describe: async (failure: Failure) => describeFailure(failure, await redactor()),
    /** Information that is not an error. The code is for programs. */
    notice: async (code: string, message: string, { evenIfQuiet = false } = {}) => {
      if (!evenIfQuiet && (await isQuiet())) return
      await say('notice', { code, message }, look => labeledText('notice', message, look))
    },
    /** The result of many changes. Returns whether people can read it. */
    summary: async ({ value, text, hint, isGood }: Summary): Promise<boolean> => {
      if (await isQuiet()) return false
      await say('summary', value, async look => {
        const paint = isGood ? look.style.good : asItIs
        const line = await lineText(text, paint, look)
        return line + hintLine(hint, look)
      })
      return !(await isJson())
    },
    /**
     * Confirms a completed change for a person at a terminal, and returns whether it did; elsewhere,
     * the exit code is enough.
     */
    confirm: async (message: string) => {
      if (!host.terminal.stderr || (await isQuiet())) return false
      const look = await messageLook()
      await write(await lineText(message, look.style.good, look))
      return true
    },
    /** Lines of a log: for people they have no label. */
    log: (code: string, message: string) =>
      say('notice', { code, message }, ({ redact }) => `${visibleText(redact(message))}\n`),
    error: async (failure: Failure) => {
      // The settings come first: reading them adds the saved keys to the secrets.
      await presentation()
      const described = describeFailure(failure, await redactor())
      await say('error', described, look => errorText(failure, look))
    },
    /** Shows progress until `end` is called, if stderr is a terminal with no other output. */
    progress: async (look: () => Progress) => {
      const { output: format, quiet } = await presentation()
      const isShared = host.terminal.stdout && formats[format].kind !== 'people'
      if (isShared || quiet) return undefined
      return status.show((seconds, columns) => progressText(look(), seconds, columns))
    },
    /** If the work takes long, shows what a person is waiting for, and then removes that line. */
    whileWaiting: async <Value>(what: string, work: () => Promise<Value>): Promise<Value> => {
      let line: ReturnType<typeof status.show>
      const begin = () => {
        line = status.show(() => `waiting for ${what}`)
      }
      const timer = (await isQuiet()) ? undefined : setTimeout(begin, patience * 1000)
      try {
        return await work()
      } finally {
        clearTimeout(timer)
        await line?.end()
      }
    }
  }
}

/** Text becomes JSON only after it: a key with a quote would otherwise stay. */
function redactedIn(fields: object, redact: Redact): object {
  const entries = Object.entries(fields).map(([name, value]) => {
    return [name, typeof value === 'string' ? redact(value) : value]
  })
  return Object.fromEntries(entries)
}

const shortestSecret = 4

/** The texts that must never be printed, and the function that removes them from other texts. */
function createSecrets() {
  const forms = new Set<string>()
  return {
    /** From now on, this secret, if there is one, never appears on stderr. */
    addSecret: (secret = '') => {
      // A key is sent without its final newline, and a service repeats it without one.
      const text = withoutFinalNewline(secret)
      if (text.length < shortestSecret) return
      const inJson = JSON.stringify(text).slice(1, -1)
      forms.add(text).add(encodeURIComponent(text))
      // JSON may escape a slash.
      forms.add(inJson).add(inJson.replaceAll('/', '\\/'))
    },
    /** The same protection for text that is data, with the secrets known now. */
    redactor: async (): Promise<Redact> => {
      // A secret may contain another one.
      const longestFirst = [...forms].sort((one, other) => other.length - one.length)
      return text => longestFirst.reduce((shown, form) => shown.replaceAll(form, '***'), text)
    }
  }
}
