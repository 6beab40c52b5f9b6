import type { Failure } from '../failure.ts'
import { headerLines, type Send } from '../model/exchange.ts'
import { type Redact, visibleLine, visibleText } from '../model/visible.ts'
import type { Style } from './view.ts'

interface MessageOptions {
  /** Writes one JSON object per line, for programs; undefined for plain lines. */
  readonly stringify: ((value: unknown) => string) | undefined
  /** Applied before the text becomes JSON: a key such as `code` would otherwise break the JSON. */
  readonly redact: Redact
  /** Only plain lines are colored. */
  readonly style: Style
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

export function errorText(
  failure: Failure,
  { stringify, redact, verbose, style }: MessageOptions
): string {
  const value = describeFailure(failure, redact)
  const stack = verbose ? redact(stackOf(failure)) : undefined
  if (stringify !== undefined) return `${stringify({ error: { ...value, stack } })}\n`
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
  { stringify, redact, style }: MessageOptions
): string {
  const message = redact(text)
  if (stringify !== undefined) return `${stringify({ notice: { code, message } })}\n`
  return `${style.notice('notice:')} ${visibleLine(message)}\n`
}

/** A part of a log. Programs see no other kinds of lines than notices and errors. */
export function logText(code: string, text: string, options: MessageOptions): string {
  if (options.stringify !== undefined) return noticeText(code, text, options)
  return `${visibleText(options.redact(text))}\n`
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const stack = error.stack ?? String(error)
  return error.cause === undefined ? stack : `${stack}\ncaused by: ${stackOf(error.cause)}`
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
  trace: (linesOf: (redact: Redact) => string) => Promise<void>
): Send {
  return async request => {
    const { method, url, body } = request
    // A key that is too short to be redacted is hidden too.
    const headers = headerLines(request.headers).map(line => {
      return line.replace(/^authorization: .*/i, 'authorization: Bearer ***')
    })
    await trace(redact => {
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
    await trace(redact => {
      const lines = [...head, ...bodyLines(reply.body, redact)]
      return marked('<', lines)
    })
    return reply
  }
}

function marked(mark: string, lines: readonly string[]): string {
  return lines.map(line => `${mark} ${line}`.trimEnd()).join('\n')
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
