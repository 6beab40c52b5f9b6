import { inspect } from 'node:util'
import type { Failure } from '../failure.ts'
import type { Kind, Paint } from '../output/view.ts'
import { type Redact, visibleLine, visibleText } from '../text/visible.ts'
import { wrapped } from '../text/width.ts'

/** How messages look. */
export interface MessageLook {
  readonly redact: Redact
  readonly paint: Paint
  /** The width of the terminal, in which lines break between words; undefined elsewhere. */
  readonly columns: number | undefined
  /** For programs, instead of lines. */
  readonly isJson: boolean
  readonly isQuiet: boolean
}

/** A failure as programs see it. */
export function describeFailure(failure: Failure, redact: Redact) {
  const { code, message, exitCode, hint, status, serviceCode, waitSeconds, change } = failure
  return {
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
}

/** What is masked cannot be pasted: a shell reads it as a pattern. */
const isSafe = (hint = '', redact: Redact) => redact(hint) === hint

export async function errorText(failure: Failure, look: MessageLook): Promise<string> {
  const error = await labeledText('error', failure.message, look)
  const hint = hintLine(failure.hint, look)
  if (failure.code !== 'unexpected') return error + hint
  // A report of a bug needs its stack.
  const stack = look.redact(inspect(failure.cause))
  return `${error}${hint}${visibleText(stack)}\n`
}

/** It has no line breaks, so that it can be copied. Empty without a hint. */
export function hintLine(hint: string | undefined, { paint, redact }: MessageLook): string {
  if (hint === undefined || !isSafe(hint, redact)) return ''
  return `${paint('hint', 'hint:')} ${visibleLine(hint)}\n`
}

export async function labeledText(
  kind: 'error' | 'notice',
  text: string,
  look: MessageLook
): Promise<string> {
  const label = `${kind}:`
  const lines = await fitted(`${label} ${text}`, look)
  return `${look.paint(kind, label)}${lines.slice(label.length)}\n`
}

export async function lineText(text: string, look: MessageLook, kind?: Kind): Promise<string> {
  const lines = await fitted(text, look)
  return `${look.paint(kind, lines)}\n`
}

async function fitted(text: string, { columns, redact }: MessageLook) {
  const line = visibleLine(redact(text))
  if (columns === undefined) return line
  return wrapped(line, columns)
}
