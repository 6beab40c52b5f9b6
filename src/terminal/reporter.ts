import type { Failure } from '../failure.ts'
import { formats, type Presentation } from '../output/formats.ts'
import { ignoreUnprinted, print } from '../output/stream.ts'
import { paintFor } from '../output/view.ts'
import type { Host } from '../system/host.ts'
import type { Interruption } from '../system/interruption.ts'
import { createSecrets } from '../text/secrets.ts'
import { type Redact, visibleText } from '../text/visible.ts'
import {
  describeFailure,
  errorText,
  hintLine,
  labeledText,
  lineText,
  type MessageLook
} from './messages.ts'
import { createStatusLine } from './progress.ts'

interface Summary {
  /** For programs. */
  readonly value: object
  /** One line for people. */
  readonly text: string
  /** A command line that can be run unchanged. */
  readonly hint?: string | undefined
}

export type Reporter = ReturnType<typeof createReporter>

/** Everything that goes to stderr: lines for people or JSON for programs, and never a secret. */
export function createReporter(
  host: Host,
  { color, output: format, quiet }: Presentation,
  interruption: Interruption
) {
  const secrets = createSecrets()
  const { redact } = secrets
  const { clear, ...status } = createStatusLine(host, { format, isQuiet: quiet })
  const write = async (text: string) => {
    await clear()
    // If stderr cannot be written, the run still has its data and its exit code.
    await interruption.waitFor(print(host, 'stderr', text).catch(ignoreUnprinted))
  }
  const currentLook = async (): Promise<MessageLook> => {
    const isTerminal = host.terminal.stderr
    return {
      redact,
      paint: await paintFor(host, 'stderr', color),
      columns: isTerminal ? host.columns() : undefined,
      isJson: formats[format].kind === 'json' && !isTerminal,
      isQuiet: quiet
    }
  }
  /** Writes an object with one field for programs, or a text for people. */
  const say = async (name: string, fields: object, text: string, { isJson }: MessageLook) => {
    if (!isJson) return write(text)
    const { stringifyJson } = await import('../text/json.ts')
    const line = stringifyJson({ [name]: redactedIn(fields, redact) })
    await write(`${line}\n`)
  }

  return {
    ...secrets,
    ...status,
    /** A failure as a value, for output that contains it. */
    describe: (failure: Failure) => redactedIn(describeFailure(failure, redact), redact),
    /** Information that is not an error. The code is for programs. */
    notice: async (code: string, message: string, { evenIfQuiet = false } = {}) => {
      const look = await currentLook()
      if (look.isQuiet && !evenIfQuiet) return
      const text = await labeledText('notice', message, look)
      await say('notice', { code, message }, text, look)
    },
    /** The result of many changes. Returns whether people can read it. */
    summary: async ({ value, text, hint }: Summary): Promise<boolean> => {
      const look = await currentLook()
      if (look.isQuiet) return false
      const line = await lineText(text, look)
      await say('summary', value, line + hintLine(hint, look), look)
      return !look.isJson
    },
    /**
     * Confirms a completed change for a person at a terminal, and returns whether it did; elsewhere,
     * the exit code is enough.
     */
    confirm: async (message: string) => {
      const look = await currentLook()
      if (look.isQuiet || !host.terminal.stderr) return false
      const line = await lineText(message, look, 'good')
      await write(line)
      return true
    },
    /** Lines of a log: for people they have no label. */
    log: async (code: string, message: string) => {
      const look = await currentLook()
      const text = visibleText(redact(message))
      await say('notice', { code, message }, `${text}\n`, look)
    },
    error: async (failure: Failure) => {
      const look = await currentLook()
      const text = await errorText(failure, look)
      await say('error', describeFailure(failure, redact), text, look)
    }
  }
}

/** Text becomes JSON only after it: a key with a quote would otherwise stay. */
function redactedIn(fields: object, redact: Redact) {
  const entries = Object.entries(fields).map(([name, value]) => {
    return [name, typeof value === 'string' ? redact(value) : value]
  })
  return Object.fromEntries(entries)
}
