import type { Failure } from '../failure.ts'
import { mask } from './redact.ts'
import { plainStyle, type Style } from './style.ts'
import { escapeActive, visibleLine, visibleText } from './visible.ts'

interface MessageLook {
  /** One JSON object a line, for programs; else lines for people. */
  readonly asJson: boolean
  /** Covered wherever they stand. It is done before the text becomes JSON, which a key such as `code` would break. */
  readonly secrets?: readonly string[]
  /** Only lines for people are coloured. */
  readonly style?: Style
}

interface ErrorLook extends MessageLook {
  /** With the stack, and those of the causes. */
  readonly verbose?: boolean
}

/** A failure as programs see it; nothing of the secrets is left in it. */
export function errorValue(failure: Failure, secrets: readonly string[] = []) {
  const covered = (text: string | undefined) => (text === undefined ? undefined : mask(text, secrets))
  return {
    code: failure.code,
    message: mask(failure.message, secrets),
    exitCode: failure.exitCode,
    hint: covered(failure.hint),
    status: failure.status,
    serviceCode: covered(failure.serviceCode),
    retryable: failure.isRetryable,
  }
}

/** What stderr says of a run that did not succeed. */
export function errorText(
  failure: Failure,
  { asJson, secrets = [], verbose = false, style = plainStyle }: ErrorLook,
): string {
  const value = errorValue(failure, secrets)
  const stack = verbose ? mask(stackOf(failure), secrets) : undefined
  if (asJson) return jsonLine({ error: { ...value, stack } })
  const { message, hint } = value
  const lines = [`${style.error('error:')} ${visibleLine(message)}\n`]
  if (hint !== undefined) lines.push(`${style.hint('hint:')} ${visibleLine(hint)}\n`)
  if (stack !== undefined) lines.push(`${visibleText(stack)}\n`)
  return lines.join('')
}

/** What stderr says beside the data. The code is for programs. */
export function noticeText(
  code: string,
  text: string,
  { asJson, secrets = [], style = plainStyle }: MessageLook,
): string {
  const message = mask(text, secrets)
  if (asJson) return jsonLine({ notice: { code, message } })
  return `${style.notice('notice:')} ${visibleLine(message)}\n`
}

/** What stderr says of something that goes on for long. A program sees no other kind of line than notices and errors. */
export function logText(code: string, text: string, look: MessageLook): string {
  return look.asJson ? noticeText(code, text, look) : `${visibleLine(mask(text, look.secrets ?? []))}\n`
}

/** What went over the wire: lines for people, one notice for a program. */
export function traceText(lines: string, look: MessageLook): string {
  return look.asJson ? noticeText('trace', lines, look) : `${visibleText(mask(lines, look.secrets ?? []))}\n`
}

/** Nothing outside its strings can act, so escaping the whole line is escaping the strings. */
function jsonLine(value: object): string {
  return `${escapeActive(JSON.stringify(value))}\n`
}

function stackOf(error: unknown, seen: readonly unknown[] = []): string {
  if (!(error instanceof Error)) return String(error)
  const stack = error.stack ?? String(error)
  if (error.cause === undefined || error.cause === null || seen.includes(error.cause)) return stack
  return `${stack}\ncaused by: ${stackOf(error.cause, [...seen, error])}`
}
