import { headerLines, type Request, type Send } from '../model/exchange.ts'
import type { Redact } from '../model/visible.ts'

type Trace = (linesOf: (redact: Redact) => string) => Promise<void>

/** Shows every request and its reply in the style of `curl -v`. */
export function traced(send: Send, trace: Trace): Send {
  const show = (mark: string, head: readonly string[], body: Request['body']) =>
    trace(redact => {
      const lines = [...head, '', ...bodyLines(body, redact)]
      return lines.map(line => `${mark} ${line}`.trimEnd()).join('\n')
    })
  return async request => {
    const { method, url, headers, body } = request
    // A key that is too short to be redacted is hidden too.
    const shownHeaders = { ...headers, authorization: 'Bearer ***' }
    await show('>', [`${method} ${url}`, ...headerLines(shownHeaders)], body)
    const begun = Date.now()
    const time = () => `(${Date.now() - begun} ms)`
    try {
      const reply = await send(request)
      const head = [`${reply.status} ${time()}`, ...headerLines(reply.headers)]
      await show('<', head, reply.body)
      return reply
    } catch (fault) {
      const message = fault instanceof Error ? fault.message : String(fault)
      await trace(() => `* ${message} ${time()}`)
      throw fault
    }
  }
}

/** Longer bodies are cut. */
const mostCharacters = 20_000

function bodyLines(body: Request['body'] = '', redact: Redact): string[] {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const shown = redact(text).slice(0, mostCharacters)
  const omitted = text.length > mostCharacters ? ['… and more'] : []
  return [...shown.split('\n'), ...omitted]
}
