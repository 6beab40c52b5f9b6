import { inspect } from 'node:util'
import type { Failure } from '../failure.ts'
import { formats, type OutputSettings } from '../output/formats.ts'
import { type Kind, paintFor } from '../output/paint.ts'
import { ignoreUnprinted, print } from '../output/stream.ts'
import type { Host } from '../system/host.ts'
import type { Interruption } from '../system/interruption.ts'
import { createSecrets } from '../text/secrets.ts'
import { type Redact, visibleLine, visibleText } from '../text/visible.ts'
import { wrapped } from '../text/width.ts'
import { createStatusLine } from './progress.ts'

/** What is said to people. */
interface Message {
  readonly text: string
  /** `error:` before the text. */
  readonly label?: 'error' | 'notice'
  /** Of a text without a label. */
  readonly kind?: Kind
  /** A command line that can be run unchanged, on a line of its own. */
  readonly hint?: string | undefined
}

export type Reporter = ReturnType<typeof createReporter>

/** Everything that goes to stderr: lines for people or JSON for programs, and never a secret. */
export function createReporter(
  host: Host,
  { color, format, quiet }: Pick<OutputSettings, 'color' | 'format' | 'quiet'>,
  interruption: Interruption
) {
  const secrets = createSecrets()
  const { redact } = secrets
  const { clear, ...status } = createStatusLine(host, { format, quiet })
  const isForPrograms = formats[format].kind === 'json' && !host.terminal.stderr
  const write = async (text: string) => {
    await clear()
    // If stderr cannot be written, the run still has its data and its exit code.
    await interruption.waitFor(print(host, 'stderr', text).catch(ignoreUnprinted))
  }
  const writeMessage = async ({ text, label, kind, hint }: Message) => {
    const paint = await paintFor(host, 'stderr', color)
    const start = label === undefined ? '' : `${label}:`
    const line = `${start} ${visibleLine(redact(text))}`.trimStart()
    // A terminal's lines break between words; a hint is one line, so that it can be copied.
    const lines = host.terminal.stderr ? await wrapped(line, host.columns()) : line
    const painted = paint(label, start) + paint(kind, lines.slice(start.length))
    const isShown = hint !== undefined && isSafe(hint, redact)
    const hintLine = isShown ? `${paint('hint', 'hint:')} ${visibleLine(hint)}\n` : ''
    await write(`${painted}\n${hintLine}`)
  }
  /** Writes an object with one field for programs, or a message for people. */
  const say = async (name: string, fields: object, message: Message) => {
    if (!isForPrograms) return writeMessage(message)
    const { stringifyJson } = await import('../text/json.ts')
    await write(`${stringifyJson({ [name]: redactedIn(fields, redact) })}\n`)
  }

  return {
    ...secrets,
    ...status,
    /** A failure as a value, for output that contains it. */
    describe: (failure: Failure) => describeFailure(failure, redact),
    /** Information that is not an error. The code is for programs. */
    notice: async (code: string, message: string, { evenIfQuiet = false } = {}) => {
      const fields = { code, message }
      if (!quiet || evenIfQuiet) await say('notice', fields, { label: 'notice', text: message })
    },
    /** The result of many changes, with a value for programs. Returns whether people can read it. */
    summary: async ({ value, ...message }: Message & { value: object }): Promise<boolean> => {
      if (!quiet) await say('summary', value, message)
      return !quiet && !isForPrograms
    },
    /**
     * Confirms a completed change for a person at a terminal, and returns whether it did; elsewhere,
     * the exit code is enough.
     */
    confirm: async (text: string) => {
      const isShown = !quiet && host.terminal.stderr
      if (isShown) await writeMessage({ text, kind: 'good' })
      return isShown
    },
    /** Lines of a log: for people they have no label. */
    log: async (code: string, message: string) => {
      if (isForPrograms) await say('notice', { code, message }, { text: message })
      else await write(`${visibleText(redact(message))}\n`)
    },
    error: async (failure: Failure) => {
      const { message: text, hint, code, cause } = failure
      await say('error', describeFailure(failure, redact), { label: 'error', text, hint })
      // A report of a bug needs its stack.
      const isBug = code === 'unexpected' && !isForPrograms
      if (isBug) await write(`${visibleText(redact(inspect(cause)))}\n`)
    }
  }
}

/** A failure as programs see it. */
function describeFailure(failure: Failure, redact: Redact) {
  const { code, message, exitCode, hint, status, serviceCode, waitSeconds, change } = failure
  const fields = {
    code,
    message,
    exitCode,
    hint: isSafe(hint, redact) ? hint : undefined,
    status,
    serviceCode,
    retryable: failure.isRetryable,
    retryAfter: waitSeconds && Math.ceil(waitSeconds),
    changed: change && true,
    id: change?.id
  }
  return redactedIn(fields, redact)
}

/** What is masked cannot be pasted: a shell reads it as a pattern. */
const isSafe = (hint = '', redact: Redact) => redact(hint) === hint

/** Text becomes JSON only after it: a key with a quote would otherwise stay. */
function redactedIn(fields: object, redact: Redact) {
  const entries = Object.entries(fields).map(([name, value]) => {
    return [name, typeof value === 'string' ? redact(value) : value]
  })
  return Object.fromEntries(entries)
}
