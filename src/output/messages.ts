import type { Failure } from '../failure.ts'
import { headerLines, type Request, type Send } from '../model/exchange.ts'
import type { ErrorValue } from '../model/results.ts'
import { escapeActive, type Redact, visibleLine, visibleText } from '../model/visible.ts'
import { plainStyle, type Style } from './view.ts'

interface MessageOptions {
  /** One JSON object per line, for programs, instead of plain lines. */
  readonly asJson: boolean
  /** Applied before the text becomes JSON: a key such as `code` would otherwise break the JSON. */
  readonly redact: Redact
  /** Only plain lines are colored. */
  readonly style?: Style
  /** Shows errors with their stack, and those of their causes. */
  readonly verbose?: boolean
  /** Needed for a value that `JSON.stringify` refuses. */
  readonly stringify?: ((value: object) => string) | undefined
}

/** A failure as programs see it, without secrets. */
export function describeFailure(failure: Failure, redact: Redact): ErrorValue {
  const id = failure.change?.id
  return {
    code: failure.code,
    message: redact(failure.message),
    exitCode: failure.exitCode,
    hint: failure.hint && redact(failure.hint),
    status: failure.status,
    serviceCode: failure.serviceCode && redact(failure.serviceCode),
    retryable: failure.isRetryable,
    retryAfter: failure.waitSeconds && Math.ceil(failure.waitSeconds),
    changed: failure.change && true,
    id: typeof id === 'string' ? redact(id) : id,
  }
}

export function errorText(
  failure: Failure,
  { asJson, redact, verbose = false, style = plainStyle, stringify }: MessageOptions,
): string {
  const value = describeFailure(failure, redact)
  const stack = verbose ? redact(stackOf(failure)) : undefined
  if (asJson) return jsonLine({ error: { ...value, stack } }, stringify)
  const { message, hint } = value
  const lines = [`${style.error('error:')} ${visibleLine(message)}\n`]
  if (hint !== undefined) lines.push(`${style.hint('hint:')} ${visibleLine(hint)}\n`)
  if (stack !== undefined) lines.push(`${visibleText(stack)}\n`)
  return lines.join('')
}

/** Information beside the data. The code is for programs. */
export function noticeText(
  code: string,
  text: string,
  { asJson, redact, style = plainStyle }: MessageOptions,
): string {
  const message = redact(text)
  if (asJson) return jsonLine({ notice: { code, message } })
  return `${style.notice('notice:')} ${visibleLine(message)}\n`
}

/** The result of many changes, for programs. */
export function summaryLine(summary: object, redact: Redact): string {
  const safe = (_key: string, value: unknown) => {
    return typeof value === 'string' ? redact(value) : value
  }
  return jsonLine({ summary }, (value) => JSON.stringify(value, safe))
}

/**
 * A part of a log, made safe by `show`. Programs see no other kinds of lines than notices and
 * errors.
 */
export function logText(
  code: string,
  text: string,
  show: typeof visibleText,
  options: MessageOptions,
): string {
  if (options.asJson) return noticeText(code, text, options)
  const shown = show(options.redact(text))
  return `${shown}\n`
}

/**
 * Only characters in its strings can act as control codes, so escaping the whole line escapes just
 * the strings.
 */
function jsonLine(value: object, stringify: (value: object) => string = JSON.stringify): string {
  return `${escapeActive(stringify(value))}\n`
}

function stackOf(error: unknown, seen: readonly unknown[] = []): string {
  if (!(error instanceof Error)) return String(error)
  const stack = error.stack ?? String(error)
  const { cause } = error
  const isLast = cause === undefined || cause === null
  if (isLast || seen.includes(cause)) return stack
  const earlier = stackOf(cause, [...seen, error])
  return `${stack}\ncaused by: ${earlier}`
}

/** Longer bodies are cut. */
const mostBodyCharacters = 20_000

/**
 * The first part of the text that is cut off is also searched for secrets, so that none is shown in
 * part. Not all of it: for a huge hostile reply, the search would take a minute.
 */
const mostSearched = 2 * mostBodyCharacters

/** Shows every request and its reply in the style of `curl -v`. */
export function traced(
  send: Send,
  trace: (linesOf: (redact: Redact) => string) => Promise<void>,
): Send {
  return async (request) => {
    const { method, url, body } = request
    const headers = headerLines(withoutKey(request.headers))
    await trace((redact) => {
      const lines = [`${method} ${url}`, ...headers, ...bodyLines(body, redact)]
      return marked('>', lines)
    })
    // Node's more precise clock is in a module that would have to be loaded.
    const start = Date.now()
    const time = () => `(${Date.now() - start} ms)`
    const reply = await send(request).catch(async (fault: unknown) => {
      const message = fault instanceof Error ? fault.message : String(fault)
      await trace(() => `* ${message} ${time()}`)
      throw fault
    })
    const head = [`${reply.status} ${time()}`, ...headerLines(reply.headers)]
    await trace((redact) => {
      const lines = [...head, ...bodyLines(reply.body, redact)]
      return marked('<', lines)
    })
    return reply
  }
}

function withoutKey(headers: Request['headers']): Request['headers'] {
  if (headers.authorization === undefined) return headers
  return { ...headers, authorization: 'Bearer ***' }
}

function marked(mark: string, lines: readonly string[]): string {
  return lines.map((line) => `${mark} ${line}`.trimEnd()).join('\n')
}

function bodyLines(body: string | Uint8Array | undefined, redact: Redact): string[] {
  if (body === undefined || body.length === 0) return []
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const searched = redact(text.slice(0, mostSearched))
  const shown = searched.slice(0, mostBodyCharacters)
  const lines = ['', ...shown.split('\n')]
  const rest = text.length - mostBodyCharacters
  if (rest > 0) lines.push(`… and ${rest} more characters`)
  return lines
}
