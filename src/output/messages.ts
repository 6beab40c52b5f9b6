import type { Failure } from '../failure.ts'
import { type Redact, visibleLine, visibleText } from '../model/visible.ts'
import type { Paint, Style } from './view.ts'

/** How lines for people look. */
export interface MessageLook {
  readonly redact: Redact
  readonly style: Style
  /** The width of the terminal, in which lines break between words; undefined elsewhere. */
  readonly columns: number | undefined
  /** Shows errors with their stack, and those of their causes. */
  readonly verbose: boolean
}

/** A failure as programs see it, without secrets. */
export function describeFailure(failure: Failure, redact: Redact) {
  const { code, exitCode, status, change, hint = '' } = failure
  const id = change?.id
  return {
    code,
    message: redact(failure.message),
    exitCode,
    // What is masked cannot be pasted: a shell reads it as a pattern.
    hint: redact(hint) === hint ? failure.hint : undefined,
    status,
    serviceCode: failure.serviceCode && redact(failure.serviceCode),
    retryable: failure.isRetryable,
    retryAfter: failure.waitSeconds && Math.ceil(failure.waitSeconds),
    changed: change && true,
    id: typeof id === 'string' ? redact(id) : id
  }
}

export async function errorText(failure: Failure, look: MessageLook): Promise<string> {
  const { message, hint } = describeFailure(failure, look.redact)
  const lines = [await labeledText('error:', look.style.error, message, look)]
  lines.push(hintLine(hint, look))
  if (look.verbose) lines.push(`${visibleText(look.redact(stackOf(failure)))}\n`)
  return lines.join('')
}

/** It has no line breaks, so that it can be copied. Empty without a hint. */
function hintLine(hint: string | undefined, { style, redact }: MessageLook): string {
  if (hint === undefined) return ''
  return `${style.hint('hint:')} ${visibleLine(redact(hint))}\n`
}

export async function summaryText(text: string, paint: Paint, look: MessageLook, hint?: string) {
  const line = await lineText(text, paint, look)
  return line + hintLine(hint, look)
}

export async function labeledText(label: string, paint: Paint, text: string, look: MessageLook) {
  const lines = await fitted(`${label} ${text}`, look)
  return `${paint(label)}${lines.slice(label.length)}\n`
}

export async function lineText(text: string, paint: Paint, look: MessageLook): Promise<string> {
  return `${paint(await fitted(text, look))}\n`
}

async function fitted(text: string, { columns, redact }: MessageLook): Promise<string> {
  const line = visibleLine(redact(text))
  if (columns === undefined) return line
  const { wrapped } = await import('./width.ts')
  return wrapped(line, columns)
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const causes = error.cause === undefined ? [] : [stackOf(error.cause)]
  return [error.stack, ...causes].join('\ncaused by: ')
}
